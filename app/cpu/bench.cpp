#include "cpu/bench.h"

#include "cpu/processor.h"
#include "gpu/host_product.h"

namespace cpu {

gpu::PointLog::Key key(const OpenBlas& openblas, const gpu::Launch& launch) {
    return {launch.kernel,
            {{"threads", openblas.threads()}},
            launch.operands,
            launch.problem,
            name_of(this_processor()),
            {},
            "OpenBLAS " + openblas.version()};
}

base::Result<gpu::Point> bench(const OpenBlas& openblas, const gpu::Launch& launch, const Limits& limits,
                               const std::function<void(const gpu::Progress&)>& report, std::stop_token stop) {
    const auto matrix = [&](char name) {
        const catalog::Matrix shape = launch.matrix(name);
        return base::Numbers(shape.element, shape.layout().stored());
    };
    base::Numbers a = matrix('A'), b = matrix('B'), c = matrix('C');
    const auto multiply = [&]() -> base::Status {
        openblas.multiply(launch, a, b, c);
        return base::Done{};
    };
    auto point =
        gpu::measure({launch, a.bytes(), b.bytes(), c.bytes(), multiply, base::say("install another OpenBLAS")},
                     {.most = limits.samples, .time_limit_s = limits.time_s}, report, std::move(stop));
    if (!point) return point.error();
    const gpu::PointLog::Key said = key(openblas, launch);
    point->parameters = said.parameters;
    point->device = said.device;
    point->library = said.library;
    gpu::Point measured{std::move(*point), {}};
    if (std::string note = note_on_kernels(openblas.core(), this_processor()); !note.empty())
        measured.notes.push_back(std::move(note));
    return measured;
}

} // namespace cpu
