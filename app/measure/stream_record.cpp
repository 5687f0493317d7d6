#include "measure/stream_record.h"

#include "base/json_lines.h"
#include "base/number.h"
#include "measure/bench_point.h"
#include "measure/stream_fields.h"

#include <cmath>

namespace measure {
namespace {

using base::Error;
using base::Failure;
using base::Fields;
using base::FieldsWriter;
using base::significant;

uint64_t microseconds(double ms) { return static_cast<uint64_t>(std::llround(ms * 1e3)); }

// What follows from plan and times, for those who read the file without us.
void add_figures(FieldsWriter& json, const StreamRecord& r) {
    const auto plan = r.plan();
    if (!plan) return;
    const StreamSummary sum = summary(*plan, r.times);
    const auto [m, n, k] = r.problem;
    json.natural("device_bytes", plan->device_bytes)
        .number("total_ms", significant(sum.total_ms))
        .number("gflops", significant(sum.gflops()))
        .number("compute_share", significant(sum.compute_share()))
        .number("copy_gb_s", significant(sum.speed().copy_gb_s))
        .number("kernel_gflops", significant(sum.speed().gflops));
    if (r.in_core_ms <= 0) return;
    json.number("in_core_gflops", significant(gflops(m, n, k, r.in_core_ms)))
        .number("ratio", significant(r.in_core_ms / sum.total_ms));
}

std::vector<StreamTime> times_from(Fields& fields) {
    const auto start = fields.naturals("start_us"), end = fields.naturals("end_us");
    std::vector<StreamTime> times;
    if (start.size() != end.size()) fields.fail(base::say("start_us and end_us are not of the same operations"));
    for (size_t i = 0; i < std::min(start.size(), end.size()); ++i) {
        if (end[i] < start[i]) fields.fail(base::say("an operation ends before it starts"));
        times.push_back({static_cast<double>(start[i]) / 1e3, static_cast<double>(end[i]) / 1e3});
    }
    return times;
}

} // namespace

FieldsWriter stream_shape_fields(const catalog::StreamShape& shape) {
    FieldsWriter json;
    json.integer("rows", shape.rows)
        .integer("columns", shape.columns)
        .integer("depth", shape.depth)
        .integer("buffers", shape.buffers)
        .natural("cap_bytes", shape.cap_bytes);
    return json;
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

FieldsWriter fields_of(const StreamRecord& r) {
    FieldsWriter json;
    json.text("kernel", r.kernel)
        .integers("parameters", r.parameters)
        .integer("m", r.problem.m)
        .integer("n", r.problem.n)
        .integer("k", r.problem.k)
        .text("operands", catalog::name_of(r.operands))
        .truth("measured", r.measured)
        .object("shape", stream_shape_fields(r.shape))
        .truth("with_c", r.with_c);
    if (!r.measured)
        json.number("assumed_copy_gb_s", significant(r.assumed.copy_gb_s))
            .number("assumed_gflops", significant(r.assumed.gflops));
    const bool has_error = r.measured && !std::isnan(r.max_rel_error);
    r.in_core_ms > 0 ? json.number("in_core_ms", significant(r.in_core_ms)) : json.null("in_core_ms");
    has_error ? json.number("max_rel_error", significant(r.max_rel_error)) : json.null("max_rel_error");
    add_figures(json, r);
    std::vector<uint64_t> start, end;
    for (const StreamTime& time : r.times)
        start.push_back(microseconds(time.start_ms)), end.push_back(microseconds(time.end_ms));
    return json.text("device", r.device)
        .text("driver", r.driver)
        .text("cuda", r.cuda)
        .text("date", r.date)
        .text("command", r.command)
        .naturals("start_us", start)
        .naturals("end_us", end);
}

std::string to_json(const StreamRecord& r) { return fields_of(r).line(); }

base::Result<StreamRecord> stream_record_from_json(std::string_view text) { return stream_record_from(Fields(text)); }

base::Result<StreamRecord> stream_record_from(Fields fields) {
    StreamRecord r;
    r.kernel = fields.text("kernel");
    r.parameters = fields.integers("parameters");
    r.problem.m = fields.integer("m", 1);
    r.problem.n = fields.integer("n", 1);
    r.problem.k = fields.integer("k", 1);
    if (auto type = catalog::operand_type_named(fields.text("operands"))) r.operands = *type;
    else fields.fail(base::say("operands is no type of operands"));
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
        return Error{
            Failure::usage,
            base::say("there are {} times for the {} operations of the plan", r.times.size(), plan->operations.size()),
            {},
            {}};
    return r;
}

base::Result<std::vector<StreamRecord>> read_stream_records(const std::filesystem::path& path) {
    return base::read_json_lines<StreamRecord>(path, stream_record_from_json,
                                               base::phrase("write it again by gemmscope stream --output"));
}

} // namespace measure
