// From what the user looks at to what the stages need.
#include "base/memory.h"
#include "catalog/breaks.h"
#include "catalog/factor.h"
#include "catalog/tuned.h"
#include "session/nearest.h"
#include "session/stages.h"
#include "trace/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace session {
namespace {

using base::Error;
using base::Failure;

template <class T>
Argument scalar(const T& value) {
    Argument argument;
    argument.scalar.resize(sizeof value);
    std::memcpy(argument.scalar.data(), &value, sizeof value);
    return argument;
}

// alpha or beta.
Argument factor(const Gemm& gemm, double value) {
    return catalog::result_of(gemm.operands) == base::NumberType::f64 ? scalar(value)
                                                                      : scalar(static_cast<float>(value));
}

Argument matrix(const Gemm& gemm, char name, Argument::Fill fill) {
    const catalog::Matrix shape = gemm.matrix(name);
    Argument argument;
    argument.buffer.name = name;
    argument.buffer.rows = static_cast<uint64_t>(shape.rows);
    argument.buffer.columns = static_cast<uint64_t>(shape.columns);
    argument.buffer.element = shape.element;
    argument.buffer.packing = shape.packing;
    argument.buffer.padding = shape.padding;
    argument.buffer.bytes = shape.bytes();
    argument.fill = fill;
    argument.stream = catalog::stream_of(gemm.operation, name);
    return argument;
}

Argument tensor_map(const Gemm& gemm, const catalog::TensorBox& box) {
    const catalog::Matrix matrix = gemm.matrix(box.of);
    if (!catalog::can_be_mapped(matrix)) return scalar(std::array<std::byte, sizeof(trace::TensorMap)>{});
    trace::TensorMap map;
    map.dimensions = 2;
    map.element_bytes = static_cast<uint8_t>(base::bytes_of(matrix.element));
    map.size[0] = static_cast<uint64_t>(matrix.columns);
    map.size[1] = static_cast<uint64_t>(matrix.rows);
    map.stride[0] = matrix.pitch();
    map.box[0] = static_cast<uint16_t>(box.columns);
    map.box[1] = static_cast<uint16_t>(box.rows);
    map.swizzle = static_cast<uint8_t>(box.swizzle_bytes);
    map.to_tf32 = box.to_tf32;
    Argument argument = scalar(map);
    argument.maps = catalog::argument_number(gemm.operation, gemm.row_alignment, box.of);
    return argument;
}

Argument argument(const Gemm& gemm, char letter) {
    using Fill = Argument::Fill;
    const bool reads_c = gemm.operation == catalog::Operation::product && gemm.beta != 0;
    switch (letter) {
    case 'M': return scalar(gemm.problem.m);
    case 'N': return scalar(gemm.problem.n);
    case 'K': return scalar(gemm.problem.k);
    case 'a': return factor(gemm, gemm.alpha);
    case 'b': return factor(gemm, gemm.beta);
    case 'x':
    case 'y':
    case 'z': return scalar(gemm.matrix(catalog::led_by(letter)).leading_dimension());
    case 'C': return matrix(gemm, letter, reads_c ? Fill::random : Fill::poison);
    default: return matrix(gemm, letter, Fill::random);
    }
}

// As catalog::arguments_of() says, then the tensor maps.
std::vector<Argument> gemm_arguments(const Gemm& gemm, std::span<const catalog::TensorBox> boxes) {
    std::vector<Argument> arguments;
    for (const char letter : catalog::arguments_of(gemm.operation, gemm.row_alignment))
        arguments.push_back(argument(gemm, letter));
    for (const catalog::TensorBox& box : boxes) arguments.push_back(tensor_map(gemm, box));
    return arguments;
}

base::Status check(const Gemm& gemm) {
    const catalog::Problem& p = gemm.problem;
    for (auto [name, size] : {std::pair{"M", p.m}, {"N", p.n}, {"K", p.k}}) {
        if (size < 1)
            return Error{
                Failure::usage, base::say("{} = {} is not positive", name, size), {}, base::say("choose 1 or more")};
    }
    double bytes = 0;
    for (char name : {'A', 'B', 'C'}) bytes += static_cast<double>(gemm.matrix(name).bytes());
    return base::fits_memory(bytes, base::verbatim(fmt::format("{} x {} x {}", p.m, p.n, p.k)));
}

} // namespace

base::Result<Job> resolve(const catalog::Kernel& kernel, const Subject& subject) {
    auto values = catalog::values_for(kernel, subject.parameters, {}, subject.arch, subject.problem);
    if (!values) return values.error();
    const auto alpha = catalog::finite_factor(kernel.operands, subject.alpha, "alpha"),
               beta = catalog::finite_factor(kernel.operands, subject.beta, "beta");
    for (const auto* factor : {&alpha, &beta})
        if (!*factor) return factor->error();
    auto rounding = catalog::rounding(kernel, *values);
    if (!rounding) return rounding.error();
    const Gemm gemm{
        subject.problem,    *alpha, *beta, kernel.operands, kernel.operation, *rounding, kernel.row_alignment,
        kernel.tensor_cores};
    if (auto sizes = check(gemm); !sizes) return sizes.error();
    auto shape = catalog::launch_shape(kernel, *values, subject.problem);
    if (!shape) return shape.error();

    auto arch = catalog::target(kernel, subject.arch);
    if (!arch) return arch.error();

    auto source = catalog::broken_source(kernel, subject.breaks);
    if (!source) return source.error();

    Job job;
    job.engine = subject.engine;
    job.kernel = kernel.id;
    job.source = {std::move(*source), kernel.path, catalog::instantiation(kernel, *values), {}, std::move(*arch)};
    job.shape = *shape;
    job.arguments = gemm_arguments(gemm, shape->tensor_maps);
    job.gemm = gemm;
    for (const catalog::Break& one : kernel.breaks)
        if (subject.breaks.contains(one.name) && !catalog::can_show(kernel, one, *values, subject.problem))
            job.idle_breaks[one.name] = one.when;
    job.parameters = std::move(*values);
    job.breaks = subject.breaks;
    job.seed = subject.seed;
    job.schedule = subject.schedule;
    return job;
}

base::Result<Job> resolve(const catalog::Catalog& catalog, const Subject& subject) {
    if (auto kernel = catalog.find(subject.kernel)) return resolve(*kernel, subject);
    std::vector<std::string> ids;
    for (const auto& kernel : catalog.kernels) ids.push_back(kernel->id);
    std::string meant = nearest(subject.kernel, ids);
    return Error{Failure::usage,
                 base::say("there is no kernel {}", subject.kernel),
                 {},
                 meant.empty() ? base::say("see gemmscope list") : base::say("did you mean {}?", meant)};
}

} // namespace session
