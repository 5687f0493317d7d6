#include "gpu/bench.h"

#include "base/number.h"
#include "catalog/kernel.h"
#include "gpu/fields.h"

#include <fmt/chrono.h>

#include <cmath>

namespace gpu {
namespace {

using nlohmann::ordered_json;

using base::significant;

ordered_json null_if(bool absent, double value) {
    return absent ? ordered_json(nullptr) : ordered_json(significant(value));
}
ordered_json or_null(const std::optional<double>& value) {
    return null_if(!value, value.value_or(0));
}

ordered_json json_of(const CublasPoint& c) {
    return {{"mode", c.mode},
            {"median_ms", significant(c.median_ms)},
            {"gflops", significant(c.gflops)},
            {"algorithm", c.algorithm},
            {"spread", or_null(c.spread)}};
}

// Of a field that older files lack.
std::optional<double> number_if_known(Fields& fields, const char* name) {
    if (!fields.has(name) || fields.null(name)) return {};
    return fields.number(name);
}

} // namespace

bool throttled(const BenchPoint& p) {
    return p.clock_before_mhz > 0 && p.sm_clock_mhz < 0.98 * p.clock_before_mhz;
}

double gflops(int m, int n, int k, double ms) {
    return ms > 0 ? 2e-6 * m * n * k / ms : 0;
}

std::string today() {
    return fmt::format("{:%F}", fmt::gmtime(std::chrono::system_clock::now()));
}

double gb_s(const BenchPoint& p) {
    double bytes = 0;
    for (const char name : {'A', 'B', 'C'})
        bytes +=
            static_cast<double>(catalog::matrix_of({p.m, p.n, p.k}, p.operation, p.operands, name).bytes());
    return bytes / p.median_ms * 1e-6;
}

std::string_view cublas_mode(catalog::OperandType type) {
    switch (catalog::cublas_operands(type)) {
    case catalog::OperandType::f32:
        return "pedantic_fp32";
    case catalog::OperandType::f64:
        return "fp64";
    default:
        return catalog::name_of(type);
    }
}

std::string to_json(const BenchPoint& p) {
    ordered_json json;
    json["kernel"] = p.kernel;
    json["parameters"] = p.parameters;
    json["m"] = p.m;
    json["n"] = p.n;
    json["k"] = p.k;
    json["samples"] = p.samples;
    json["median_ms"] = significant(p.median_ms);
    json["min_ms"] = significant(p.min_ms);
    json["back_to_back_ms"] = null_if(p.back_to_back_ms <= 0, p.back_to_back_ms);
    json["gflops"] = significant(p.gflops);
    if (p.cublas.mode.empty())
        json["cublas"] = nullptr;
    else
        json["cublas"] = json_of(p.cublas);
    json["ratio"] = null_if(p.cublas.mode.empty(), p.ratio);
    json["max_rel_error"] = null_if(std::isnan(p.max_rel_error), p.max_rel_error);
    json["device"] = p.device;
    json["sm_clock_mhz"] = p.sm_clock_mhz;
    json["driver"] = p.driver;
    json["cuda"] = p.cuda;
    json["date"] = p.date;
    json["spread"] = or_null(p.spread);
    json["sm_clock_before_mhz"] =
        p.clock_before_mhz > 0 ? ordered_json(p.clock_before_mhz) : ordered_json(nullptr);
    json["throttled"] = p.clock_before_mhz > 0 ? ordered_json(throttled(p)) : ordered_json(nullptr);
    json["operands"] = catalog::name_of(p.operands);
    json["library"] = p.library.empty() ? ordered_json(nullptr) : ordered_json(p.library);
    json["operation"] = catalog::name_of(p.operation);
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

base::Result<BenchPoint> point_from_json(std::string_view line) {
    Fields fields(line);
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
        p.cublas = {cublas.text("mode"),
                    cublas.positive("median_ms"),
                    cublas.positive("gflops"),
                    {},
                    number_if_known(cublas, "spread")};
        if (cublas.has("algorithm")) p.cublas.algorithm = cublas.text("algorithm");
        fields.adopt(cublas);
    }
    p.ratio = fields.number_or_null("ratio", 0);
    p.max_rel_error = fields.number_or_null("max_rel_error", std::nan(""));
    p.device = fields.text("device");
    p.sm_clock_mhz = fields.integer("sm_clock_mhz", 0);
    p.driver = fields.text("driver");
    p.cuda = fields.text("cuda");
    p.date = fields.text("date");
    p.spread = number_if_known(fields, "spread");
    if (fields.has("sm_clock_before_mhz") && !fields.null("sm_clock_before_mhz"))
        p.clock_before_mhz = fields.integer("sm_clock_before_mhz", 1);
    if (fields.has("operands")) { // in older files all was FP32
        auto type = catalog::operand_type_named(fields.text("operands"));
        if (type)
            p.operands = *type;
        else
            fields.fail("operands is no type of operands");
    }
    if (fields.has("library") && !fields.null("library")) p.library = fields.text("library");
    if (fields.has("operation")) { // in older files all were products
        if (auto operation = catalog::operation_named(fields.text("operation")))
            p.operation = *operation;
        else
            fields.fail("operation is none that is known");
    }
    if (!fields.ok()) return fields.error();
    return p;
}

} // namespace gpu
