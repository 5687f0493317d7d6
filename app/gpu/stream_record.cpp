#include "gpu/stream_record.h"

#include "base/number.h"
#include "gpu/bench.h"
#include "gpu/json_lines.h"
#include "gpu/stream_fields.h"

#include <fmt/format.h>

#include <cmath>

namespace gpu {
namespace {

using base::Error;
using base::Failure;
using base::significant;
using nlohmann::ordered_json;

uint64_t microseconds(double ms) {
    return static_cast<uint64_t>(std::llround(ms * 1e3));
}

// What follows from plan and times, for those who read the file without us.
void add_figures(ordered_json& json, const StreamRecord& r) {
    const auto plan = r.plan();
    if (!plan) return;
    const StreamSummary sum = summary(*plan, r.times);
    const auto [m, n, k] = r.problem;
    json["device_bytes"] = plan->device_bytes;
    json["total_ms"] = significant(sum.total_ms);
    json["gflops"] = significant(sum.gflops());
    json["compute_share"] = significant(sum.compute_share());
    json["copy_gb_s"] = significant(sum.speed().copy_gb_s);
    json["kernel_gflops"] = significant(sum.speed().gflops);
    if (r.in_core_ms <= 0) return;
    json["in_core_gflops"] = significant(gflops(m, n, k, r.in_core_ms));
    json["ratio"] = significant(r.in_core_ms / sum.total_ms);
}

std::vector<StreamTime> times_from(Fields& fields) {
    const auto start = fields.naturals("start_us"), end = fields.naturals("end_us");
    std::vector<StreamTime> times;
    if (start.size() != end.size()) fields.fail("start_us and end_us are not of the same operations");
    for (size_t i = 0; i < std::min(start.size(), end.size()); ++i) {
        if (end[i] < start[i]) fields.fail("an operation ends before it starts");
        times.push_back({static_cast<double>(start[i]) / 1e3, static_cast<double>(end[i]) / 1e3});
    }
    return times;
}

} // namespace

ordered_json stream_shape_json(const catalog::StreamShape& shape) {
    return {{"rows", shape.rows},
            {"columns", shape.columns},
            {"depth", shape.depth},
            {"buffers", shape.buffers},
            {"cap_bytes", shape.cap_bytes}};
}

catalog::StreamShape stream_shape_from(Fields fields, Fields& outer) {
    catalog::StreamShape shape;
    shape.rows = fields.integer("rows", 1);
    shape.columns = fields.integer("columns", 1);
    shape.depth = fields.integer("depth", 1);
    shape.buffers = fields.integer("buffers", 1);
    shape.cap_bytes = fields.natural("cap_bytes");
    outer.adopt(fields);
    return shape;
}

bool is_of(const StreamRecord& r, std::string_view kernel, const catalog::Values& parameters,
           const catalog::Problem& problem) {
    return r.kernel == kernel && r.parameters == parameters && r.problem == problem;
}

std::string to_json(const StreamRecord& r) {
    ordered_json json{{"kernel", r.kernel},     {"parameters", r.parameters},
                      {"m", r.problem.m},       {"n", r.problem.n},
                      {"k", r.problem.k},       {"operands", catalog::name_of(r.operands)},
                      {"measured", r.measured}, {"shape", stream_shape_json(r.shape)},
                      {"with_c", r.with_c}};
    if (!r.measured) {
        json["assumed_copy_gb_s"] = significant(r.assumed.copy_gb_s);
        json["assumed_gflops"] = significant(r.assumed.gflops);
    }
    json["in_core_ms"] = r.in_core_ms > 0 ? ordered_json(significant(r.in_core_ms)) : ordered_json(nullptr);
    json["max_rel_error"] = std::isnan(r.max_rel_error) || !r.measured
                                ? ordered_json(nullptr)
                                : ordered_json(significant(r.max_rel_error));
    add_figures(json, r);
    json["device"] = r.device, json["driver"] = r.driver, json["cuda"] = r.cuda, json["date"] = r.date,
    json["command"] = r.command;
    ordered_json start = ordered_json::array(), end = start;
    for (const StreamTime& time : r.times)
        start.push_back(microseconds(time.start_ms)), end.push_back(microseconds(time.end_ms));
    json["start_us"] = std::move(start), json["end_us"] = std::move(end);
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

base::Result<StreamRecord> stream_record_from_json(std::string_view text) {
    Fields fields(text);
    StreamRecord r;
    r.kernel = fields.text("kernel");
    r.parameters = fields.integers("parameters");
    r.problem.m = fields.integer("m", 1);
    r.problem.n = fields.integer("n", 1);
    r.problem.k = fields.integer("k", 1);
    if (auto type = catalog::operand_type_named(fields.text("operands")))
        r.operands = *type;
    else
        fields.fail("operands is no type of operands");
    r.measured = fields.truth("measured");
    r.shape = stream_shape_from(fields.object("shape"), fields);
    r.with_c = fields.truth("with_c");
    if (!r.measured) r.assumed = {fields.positive("assumed_copy_gb_s"), fields.positive("assumed_gflops")};
    r.in_core_ms = fields.number_or_null("in_core_ms", 0);
    r.max_rel_error = fields.number_or_null("max_rel_error", std::nan(""));
    r.device = fields.text("device");
    r.driver = fields.text("driver");
    r.cuda = fields.text("cuda");
    r.date = fields.text("date");
    r.command = fields.text("command");
    r.times = times_from(fields);
    if (!fields.ok()) return fields.error();
    auto plan = r.plan();
    if (!plan) return plan.error();
    if (plan->operations.size() != r.times.size())
        return Error{Failure::usage,
                     fmt::format("there are {} times for the {} operations of the plan", r.times.size(),
                                 plan->operations.size()),
                     {},
                     {}};
    return r;
}

base::Result<std::vector<StreamRecord>> read_stream_records(const std::filesystem::path& path) {
    return read_json_lines<StreamRecord>(path, stream_record_from_json,
                                         "write it again by gemmscope stream --output");
}

} // namespace gpu
