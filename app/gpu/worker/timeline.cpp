#include "gpu/worker/timeline.h"

#include "gpu/worker/rig.h"
#include "measure/statistics.h"

namespace gpu {
namespace {

using base::Error;
using base::Failure;
using base::Status;

Status warm_up(Rig& rig, Deadline deadline) {
    const Deadline end = after(measure::warm_up_s);
    do {
        if (auto done = rig.launch_kernel(); !done) return done;
        if (auto done = rig.watch().finish(deadline); !done) return done;
    } while (std::chrono::steady_clock::now() < end);
    return base::Done{};
}

measure::BlockTimeline described(const Station& station, const Launch& launch) {
    measure::BlockTimeline t;
    t.kernel = launch.kernel;
    t.parameters = launch.parameters;
    t.m = launch.problem.m;
    t.n = launch.problem.n;
    t.k = launch.problem.k;
    t.grid = launch.grid;
    t.block = launch.block;
    t.multiprocessors = station.device.multiprocessors;
    t.device = station.device.name;
    t.driver = station.driver_version;
    t.cuda = launch.cuda.empty() ? station.cuda_version : launch.cuda;
    t.date = measure::today();
    return t;
}

} // namespace

base::Result<measure::BlockTimeline> record_blocks(Station& station, const TimelineRequest& request,
                                                   const Report& report) {
    report({measure::Phase::inputs, 0, 0});
    auto built = Rig::build(station.context.driver(), request.launch);
    if (!built) return built.error();
    station.rig = std::move(*built);
    Rig& rig = *station.rig;
    auto loaded = rig.load_recording(station.context.driver(), request.recording);
    if (!loaded) return loaded.error();

    report({measure::Phase::warm_up, 0, 0});
    const Deadline deadline = after(2 * request.time_limit_s);
    if (auto done = warm_up(rig, deadline); !done) return done.error();
    measure::BlockTimeline timeline = described(station, request.launch);
    report({measure::Phase::samples, 0, 2});
    auto plain = rig.result_of([&] { return rig.launch_kernel(); }, deadline, &timeline.plain_ms);
    if (!plain) return plain.error();
    for (int i = 0; i < 2; ++i) { // the first launch loads the code
        report({measure::Phase::samples, 1, 2});
        auto recorded = rig.result_of([&] { return rig.launch_recording(); }, deadline, &timeline.recorded_ms);
        if (!recorded) return recorded.error();
        if (*plain != *recorded)
            return Error{Failure::check_failed,
                         base::say("{}: with the recording in it the kernel gives another C", request.launch.kernel),
                         {},
                         base::say("run `gemmscope check` on it")};
    }
    auto records = rig.records();
    if (!records) return records.error();
    timeline.blocks = std::move(*records);
    if (auto whole = measure::settle(timeline.blocks); !whole) return whole.error();
    return timeline;
}

} // namespace gpu
