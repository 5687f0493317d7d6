#include "measure/bench_point.h"

#include "base/fields.h"
#include "base/number.h"
#include "catalog/kernel.h"

#include <fmt/chrono.h>

#include <cmath>

namespace measure {
namespace {

using base::Fields;
using base::FieldsWriter;
using base::significant;

FieldsWriter& number_or_null(FieldsWriter& json, const char* name, bool known, double value) {
    return known ? json.number(name, significant(value)) : json.null(name);
}
FieldsWriter& number_or_null(FieldsWriter& json, const char* name, const std::optional<double>& value) {
    return number_or_null(json, name, value.has_value(), value.value_or(0));
}

FieldsWriter fields_of(const CublasPoint& c) {
    FieldsWriter json;
    json.text("mode", c.mode)
        .number("median_ms", significant(c.median_ms))
        .number("gflops", significant(c.gflops))
        .text("algorithm", c.algorithm);
    return number_or_null(number_or_null(json, "spread", c.spread), "joules", c.joules);
}

// Older files lack some fields.
bool known(Fields& fields, const char* name) { return fields.has(name) && !fields.null(name); }

CublasPoint cublas_point_from(Fields& fields) {
    CublasPoint c{fields.text("mode"), fields.positive("median_ms"), fields.positive("gflops"), {}, {}, {}};
    if (fields.has("algorithm")) c.algorithm = fields.text("algorithm");
    if (known(fields, "spread")) c.spread = fields.number("spread");
    if (known(fields, "joules")) c.joules = fields.positive("joules");
    return c;
}

} // namespace

bool throttled(const BenchPoint& p) { return p.clock_before_mhz > 0 && p.sm_clock_mhz < 0.98 * p.clock_before_mhz; }

double gflops(int m, int n, int k, double ms) { return ms > 0 ? 2e-6 * m * n * k / ms : 0; }

std::string today() { return fmt::format("{:%F}", fmt::gmtime(std::chrono::system_clock::now())); }

double gb_s(const BenchPoint& p) {
    double bytes = 0;
    for (const char name : {'A', 'B', 'C'})
        bytes += static_cast<double>(catalog::matrix_of({p.m, p.n, p.k}, p.operation, p.operands, name).bytes());
    return bytes / p.median_ms * 1e-6;
}

std::string_view cublas_mode(catalog::OperandType type) {
    switch (catalog::cublas_operands(type)) {
    case catalog::OperandType::f32: return "pedantic_fp32";
    case catalog::OperandType::f64: return "fp64";
    default: return catalog::name_of(type);
    }
}

FieldsWriter fields_of(const BenchPoint& p) {
    const bool has_cublas = !p.cublas.mode.empty(), has_clock = p.clock_before_mhz > 0;
    FieldsWriter json;
    json.text("kernel", p.kernel)
        .integers("parameters", p.parameters)
        .integer("m", p.m)
        .integer("n", p.n)
        .integer("k", p.k)
        .integer("samples", p.samples)
        .number("median_ms", significant(p.median_ms))
        .number("min_ms", significant(p.min_ms));
    number_or_null(json, "back_to_back_ms", p.back_to_back_ms > 0, p.back_to_back_ms)
        .number("gflops", significant(p.gflops));
    has_cublas ? json.object("cublas", fields_of(p.cublas)) : json.null("cublas");
    number_or_null(json, "ratio", has_cublas, p.ratio);
    number_or_null(json, "max_rel_error", !std::isnan(p.max_rel_error), p.max_rel_error)
        .text("device", p.device)
        .integer("sm_clock_mhz", p.sm_clock_mhz)
        .text("driver", p.driver)
        .text("cuda", p.cuda)
        .text("date", p.date);
    number_or_null(number_or_null(json, "spread", p.spread), "joules", p.joules);
    has_clock ? json.integer("sm_clock_before_mhz", p.clock_before_mhz) : json.null("sm_clock_before_mhz");
    has_clock ? json.truth("throttled", throttled(p)) : json.null("throttled");
    json.text("operands", catalog::name_of(p.operands));
    p.library.empty() ? json.null("library") : json.text("library", p.library);
    json.text("operation", catalog::name_of(p.operation)).integer("rounding", p.rounding);
    return p.elements_checked > 0 ? json.integer("elements_checked", p.elements_checked)
                                  : json.null("elements_checked");
}

std::string to_json(const BenchPoint& p) { return fields_of(p).line(); }

base::Result<BenchPoint> point_from_json(std::string_view line) { return point_from(Fields(line)); }

base::Result<BenchPoint> point_from(Fields fields) {
    BenchPoint p;
    p.kernel = fields.text("kernel");
    p.parameters = fields.integers("parameters");
    p.m = fields.integer("m", 1);
    p.n = fields.integer("n", 1);
    p.k = fields.integer("k", 1);
    p.samples = fields.integer("samples", 1);
    p.median_ms = fields.positive("median_ms");
    p.min_ms = fields.positive("min_ms");
    p.back_to_back_ms = fields.number_or_null("back_to_back_ms", 0);
    p.gflops = fields.positive("gflops");
    if (!fields.null("cublas")) {
        Fields cublas = fields.object("cublas");
        p.cublas = cublas_point_from(cublas);
        fields.adopt(cublas);
    }
    p.ratio = fields.number_or_null("ratio", 0);
    p.max_rel_error = fields.number_or_null("max_rel_error", std::nan(""));
    p.device = fields.text("device");
    p.sm_clock_mhz = fields.integer("sm_clock_mhz", 0);
    p.driver = fields.text("driver");
    p.cuda = fields.text("cuda");
    p.date = fields.text("date");
    if (known(fields, "spread")) p.spread = fields.number("spread");
    if (known(fields, "joules")) p.joules = fields.positive("joules");
    if (known(fields, "sm_clock_before_mhz")) p.clock_before_mhz = fields.integer("sm_clock_before_mhz", 1);
    if (fields.has("operands")) { // in older files all was FP32
        auto type = catalog::operand_type_named(fields.text("operands"));
        if (type) p.operands = *type;
        else fields.fail(base::say("operands is no type of operands"));
    }
    if (known(fields, "library")) p.library = fields.text("library");
    if (fields.has("operation")) { // in older files all were products
        if (auto operation = catalog::operation_named(fields.text("operation"))) p.operation = *operation;
        else fields.fail(base::say("operation is unknown"));
    }
    if (fields.has("rounding")) p.rounding = fields.integer("rounding", 1);
    if (known(fields, "elements_checked")) p.elements_checked = fields.integer("elements_checked", 1);
    if (!fields.ok()) return fields.error();
    return p;
}

} // namespace measure
