#include "session/streams.h"

#include "session/gpu_runs.h"
#include "session/series.h"

#include <algorithm>

namespace session {
namespace {

double operations(const catalog::Problem& p) { return catalog::operations(catalog::Operation::product, p.m, p.n, p.k); }

} // namespace

StreamFiles read_streams(const std::filesystem::path& assets) {
    StreamFiles all;
    for (const auto& file : files_of(assets / "recorded/streams", ".json")) {
        auto records = measure::read_stream_records(file);
        if (!records) {
            all.problems.push_back(records.error());
            continue;
        }
        for (measure::StreamRecord& record : *records)
            all.records.push_back(std::make_shared<const measure::StreamRecord>(std::move(record)));
    }
    return all;
}

AssumedSpeed assumed_speed(const catalog::Kernel& kernel,
                           const std::vector<std::shared_ptr<const measure::StreamRecord>>& records) {
    const measure::StreamRecord* largest = nullptr;
    for (const auto& record : records)
        if (record->kernel == kernel.id && record->measured &&
            (!largest || operations(record->problem) > operations(largest->problem)))
            largest = record.get();
    if (largest)
        if (const auto plan = largest->plan())
            return {measure::summary(*plan, largest->times).speed(), largest->device};
    if (!kernel.stream) return {};
    return {{static_cast<double>(kernel.stream->copy_gb_s), static_cast<double>(kernel.stream->gflops)}, {}};
}

base::Result<measure::StreamRecord> planned_stream(const catalog::Kernel& kernel, const catalog::Values& values,
                                                   const catalog::Problem& problem, bool with_c,
                                                   const AssumedSpeed& assumed) {
    auto shape = catalog::stream_shape(kernel, values, problem);
    if (!shape) return shape.error();
    measure::StreamRecord record;
    record.kernel = kernel.id;
    record.parameters = values;
    record.problem = problem;
    record.operands = kernel.operands;
    record.shape = *shape;
    record.with_c = with_c;
    record.assumed = assumed.speed;
    record.device = assumed.device;
    auto plan = record.plan();
    if (!plan) return plan.error();
    record.times = measure::planned_times(*plan, assumed.speed);
    return record;
}

base::Result<Stream> stream_of(const catalog::Kernel& kernel, const catalog::Values& values,
                               const catalog::Problem& problem, bool with_c,
                               const std::vector<std::shared_ptr<const measure::StreamRecord>>& records) {
    const auto is_it = [&](const auto& record) {
        return measure::is_of(*record, kernel.id, values, problem) && record->with_c == with_c;
    };
    Stream stream;
    if (const auto found = std::find_if(records.rbegin(), records.rend(), is_it); found != records.rend()) {
        stream.record = *found;
    } else {
        auto planned = planned_stream(kernel, values, problem, with_c, assumed_speed(kernel, records));
        if (!planned) return planned.error();
        stream.record = std::make_shared<const measure::StreamRecord>(std::move(*planned));
    }
    auto plan = stream.record->plan();
    if (!plan) return plan.error();
    stream.plan = std::move(*plan);
    stream.sum = measure::summary(stream.plan, stream.record->times);
    return stream;
}

base::Result<gpu::StreamRequest> stream_request(const catalog::Kernel& kernel, const Subject& subject,
                                                const std::string& arch, std::stop_token stop) {
    Subject small = subject; // nothing of the product's size is executed on this machine
    small.problem = {};
    auto compiled = gpu_launch(kernel, small, arch, stop);
    if (!compiled) return compiled.error();
    auto shape = catalog::stream_shape(kernel, compiled->parameters, subject.problem);
    if (!shape) return shape.error();
    auto launch =
        gpu::launch_of(kernel, compiled->parameters, subject.problem, subject.alpha, subject.beta, subject.seed);
    if (!launch) return launch.error();
    launch->image = std::move(compiled->image);
    launch->entry = std::move(compiled->entry);
    launch->cuda = std::move(compiled->cuda);
    gpu::StreamRequest request{std::move(*launch), *shape, {}, 0, 60};
    auto plan = measure::stream_plan(subject.problem, *shape, kernel.operands, request.launch.beta != 0);
    if (!plan) return plan.error();
    for (const measure::StreamOperation& operation : plan->operations) {
        const auto has = [&](const auto& grid) { return grid.piece == operation.size; };
        if (operation.step != measure::StreamStep::multiply ||
            std::any_of(request.grids.begin(), request.grids.end(), has))
            continue;
        auto piece = catalog::launch_shape(kernel, request.launch.parameters, operation.size);
        if (!piece) return piece.error();
        if (piece->block != request.launch.block || piece->dynamic_shared_bytes != request.launch.dynamic_shared_bytes)
            return base::Error{base::Failure::usage,
                               base::say("{}: its blocks depend on the size of the matrices", kernel.id), kernel.path,
                               base::say("let only the grid depend on M, N and K")};
        request.grids.push_back({operation.size, piece->grid});
    }
    return request;
}

} // namespace session
