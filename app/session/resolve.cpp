// From what the user looks at to what the stages need.
#include "base/file.h"
#include "catalog/tuned.h"
#include "session/nearest.h"
#include "session/stages.h"
#include "trace/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <unistd.h>

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

Argument matrix(const char* name, int rows, int columns, Argument::Fill fill) {
    Argument argument;
    argument.buffer.name = name;
    argument.buffer.rows = static_cast<uint64_t>(rows);
    argument.buffer.columns = static_cast<uint64_t>(columns);
    argument.buffer.element_bytes = sizeof(float);
    argument.buffer.bytes = argument.buffer.rows * argument.buffer.columns * sizeof(float);
    argument.fill = fill;
    return argument;
}

Argument tensor_map(catalog::Problem problem, const catalog::TensorBox& box) {
    const catalog::Matrix matrix = catalog::matrix_of(problem, box.of);
    if (!catalog::can_be_mapped(matrix)) return scalar(std::array<std::byte, sizeof(trace::TensorMap)>{});
    trace::TensorMap map;
    map.dimensions = 2;
    map.element_bytes = sizeof(float);
    map.size[0] = static_cast<uint64_t>(matrix.columns);
    map.size[1] = static_cast<uint64_t>(matrix.rows);
    map.stride[0] = map.size[0] * sizeof(float);
    map.box[0] = static_cast<uint16_t>(box.columns);
    map.box[1] = static_cast<uint16_t>(box.rows);
    map.swizzle = static_cast<uint8_t>(box.swizzle_bytes);
    Argument argument = scalar(map);
    const Gemm numbers;
    argument.maps = static_cast<size_t>(box.of == 'A' ? numbers.a : box.of == 'B' ? numbers.b : numbers.c);
    return argument;
}

// The catalogue's convention: (M, N, K, alpha, A, B, beta, C), then the tensor maps. C is not to be read when
// beta is 0.
std::vector<Argument> gemm_arguments(catalog::Problem p, float alpha, float beta,
                                     std::span<const catalog::TensorBox> boxes) {
    using Fill = Argument::Fill;
    std::vector<Argument> arguments{scalar(p.m),
                                    scalar(p.n),
                                    scalar(p.k),
                                    scalar(alpha),
                                    matrix("A", p.m, p.k, Fill::random),
                                    matrix("B", p.k, p.n, Fill::random),
                                    scalar(beta),
                                    matrix("C", p.m, p.n, beta == 0 ? Fill::poison : Fill::random)};
    for (const catalog::TensorBox& box : boxes) arguments.push_back(tensor_map(p, box));
    return arguments;
}

base::Status check(catalog::Problem p) {
    for (auto [name, size] : {std::pair{"M", p.m}, {"N", p.n}, {"K", p.k}}) {
        if (size < 1) return Error{Failure::usage, fmt::format("{} = {} is not positive", name, size), {}, "choose 1 or more"};
    }
    double m = p.m, n = p.n, k = p.k;
    return fits_memory(sizeof(float) * (m * k + k * n + m * n), fmt::format("{} x {} x {}", p.m, p.n, p.k));
}

// A number of bytes from a file of the system that starts with it, or after `key`.
double bytes_in(const char* path, std::string_view key, double unit) {
    auto text = base::read_file(path);
    if (!text) return 0;
    size_t at = text->find(key);
    return at == std::string::npos ? 0 : unit * std::strtod(text->c_str() + at + key.size(), nullptr);
}

double memory_available() {
    double available = bytes_in("/proc/meminfo", "MemAvailable:", 1024);
    if (available == 0) available = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    double limit = bytes_in("/sys/fs/cgroup/memory.max", "", 1); // "max" reads as 0: no limit
    return limit > 0 ? std::min(available, limit) : available;
}

} // namespace

base::Status fits_memory(double bytes, const std::string& for_what) {
    double available = memory_available();
    if (bytes <= available) return base::Done{};
    return Error{Failure::usage,
                 fmt::format("{} needs {:.3g} GiB of memory and this machine has {:.3g} GiB left", for_what,
                             bytes / 0x1p30, available / 0x1p30),
                 {},
                 "choose a smaller size"};
}

base::Result<Job> resolve(const catalog::Kernel& kernel, const Subject& subject) {
    auto values = catalog::values_for(kernel, subject.parameters, {}, subject.arch, subject.problem);
    if (!values) return values.error();
    if (auto sizes = check(subject.problem); !sizes) return sizes.error();
    auto shape = catalog::launch_shape(kernel, *values, subject.problem);
    if (!shape) return shape.error();

    auto arch = catalog::target(kernel, subject.arch);
    if (!arch) return arch.error();

    Job job;
    job.kernel = kernel.id;
    job.source = {kernel.source, kernel.path, catalog::instantiation(kernel, *values), {}, std::move(*arch)};
    job.shape = *shape;
    job.arguments = gemm_arguments(subject.problem, subject.alpha, subject.beta, shape->tensor_maps);
    job.gemm = Gemm{subject.problem, subject.alpha, subject.beta};
    job.parameters = std::move(*values);
    job.seed = subject.seed;
    job.schedule = subject.schedule;
    return job;
}

base::Result<Job> resolve(const catalog::Catalog& catalog, const Subject& subject) {
    if (auto kernel = catalog.find(subject.kernel)) return resolve(*kernel, subject);
    std::vector<std::string> ids;
    for (const auto& kernel : catalog.kernels) ids.push_back(kernel->id);
    std::string meant = nearest(subject.kernel, ids);
    return Error{Failure::usage, fmt::format("there is no kernel {}", subject.kernel), {},
                 meant.empty() ? "see gemmscope list" : fmt::format("did you mean {}?", meant)};
}

} // namespace session
