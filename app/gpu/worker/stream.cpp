#include "gpu/worker/stream.h"

#include "gpu/worker/stream_rig.h"
#include "measure/verify.h"

namespace gpu {
namespace {

using base::Error;
using base::Failure;

constexpr size_t checked_elements = 256; // each is a column of B, 4 bytes in each of its rows: slow to read

measure::StreamRecord described(const Station& station, const StreamRequest& request) {
    const Launch& launch = request.launch;
    measure::StreamRecord r;
    r.kernel = launch.kernel;
    r.parameters = launch.parameters;
    r.problem = launch.problem;
    r.operands = launch.operands;
    r.shape = request.shape;
    r.with_c = launch.beta != 0;
    r.measured = true;
    r.device = station.device.name;
    r.driver = station.driver_version;
    r.cuda = launch.cuda.empty() ? station.cuda_version : launch.cuda;
    r.date = measure::today();
    return r;
}

// The relative error of a C that is right.
base::Result<double> verify(const StreamRig& rig, const Launch& launch) {
    const measure::Reference expected =
        measure::reference({launch.problem, launch.alpha, launch.beta, rig.a(), rig.b(), rig.c_before(),
                            launch.operands, launch.operation, launch.rounding},
                           checked_elements);
    return measure::relative_error(launch, expected, measure::max_abs_error(expected, rig.c()),
                                   base::say("run `gemmscope check` on it"));
}

} // namespace

base::Result<measure::StreamRecord> stream(Station& station, const StreamRequest& request, const Report& report) {
    const Launch& launch = request.launch;
    auto plan = measure::stream_plan(launch.problem, request.shape, launch.operands, launch.beta != 0);
    if (!plan) return plan.error();
    report({measure::Phase::inputs, 0, 0});
    auto built = StreamRig::build(station.context.driver(), request, std::move(*plan));
    if (!built) return built.error();
    station.stream_rig = std::move(*built);
    StreamRig& rig = *station.stream_rig;

    const Deadline deadline = after(request.time_limit_s);
    report({measure::Phase::warm_up, 0, 0});
    if (auto warm = rig.run(deadline); !warm) return warm.error();
    report({measure::Phase::samples, 0, 1});
    auto times = rig.run(deadline);
    if (!times) return times.error();
    report({measure::Phase::verify, 0, 0});
    auto error = verify(rig, launch);
    if (!error) return error.error();
    report({measure::Phase::samples, 1, 1});
    auto in_core = rig.in_core_ms(deadline);
    if (!in_core) return in_core.error();

    measure::StreamRecord record = described(station, request);
    record.times = std::move(*times);
    record.in_core_ms = *in_core;
    record.max_rel_error = *error;
    return record;
}

} // namespace gpu
