#include "cpu/bench.h"

#include "cpu/processor.h"
#include "measure/host_product.h"

namespace cpu {

measure::PointLog::Key key(const OpenBlas& openblas, const measure::Workload& workload) {
    return {workload.kernel,
            {{"threads", openblas.threads()}},
            workload.operands,
            workload.problem,
            name_of(this_processor()),
            {},
            "OpenBLAS " + openblas.version()};
}

base::Result<measure::NotedPoint> bench(const OpenBlas& openblas, const measure::Workload& workload,
                                        const Limits& limits,
                                        const std::function<void(const measure::Progress&)>& report,
                                        std::stop_token stop) {
    const auto matrix = [&](char name) {
        const catalog::Matrix shape = workload.matrix(name);
        return base::Numbers(shape.element, shape.layout().stored());
    };
    base::Numbers a = matrix('A'), b = matrix('B'), c = matrix('C');
    const auto multiply = [&]() -> base::Status {
        openblas.multiply(workload, a, b, c);
        return base::Done{};
    };
    auto point =
        measure::bench({workload, a.bytes(), b.bytes(), c.bytes(), multiply, base::say("install another OpenBLAS")},
                       {.most = limits.samples, .time_limit_s = limits.time_s}, report, std::move(stop));
    if (!point) return point.error();
    const measure::PointLog::Key said = key(openblas, workload);
    point->parameters = said.parameters;
    point->device = said.device;
    point->library = said.library;
    measure::NotedPoint measured{std::move(*point), {}};
    if (std::string note = note_on_kernels(openblas.core(), this_processor()); !note.empty())
        measured.notes.push_back(std::move(note));
    return measured;
}

} // namespace cpu
