#include "cpu/openblas.h"

#include "base/shared_library.h"

#include <fmt/format.h>

#include <sstream>

namespace cpu {
namespace {

using base::Error;
using base::Failure;

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH Haswell MAX_THREADS=64": the version is the second word.
std::string version_in(const std::string& configuration) {
    std::istringstream words(configuration);
    std::string name, version;
    words >> name >> version;
    return version;
}

} // namespace

base::Result<OpenBlas> OpenBlas::open(const std::vector<std::string>& names) {
    constexpr base::Phrase todo = base::phrase("install libopenblas0-pthread");
    auto library = base::SharedLibrary::open(names);
    if (!library) return Error{Failure::missing, base::say("no OpenBLAS: {}", library.error().what), {}, todo};
    OpenBlas found;
    found.sgemm_ = library->function<Gemm<float>>("cblas_sgemm");
    found.dgemm_ = library->function<Gemm<double>>("cblas_dgemm");
    auto* configuration = library->function<char*()>("openblas_get_config");
    auto* core = library->function<char*()>("openblas_get_corename");
    auto* threads = library->function<int()>("openblas_get_num_threads");
    if (!found.sgemm_ || !found.dgemm_ || !configuration || !core || !threads)
        return Error{Failure::missing, base::say("{} lacks a function of OpenBLAS", library->path()), {}, todo};
    found.core_ = core();
    found.version_ = fmt::format("{}, {} kernels", version_in(configuration()), found.core_);
    found.threads_ = threads();
    return found;
}

std::string note_on_kernels(std::string_view core, const Processor& processor) {
    if (core != "Prescott" || !processor.avx2) return {};
    return fmt::format("OpenBLAS does not know this processor and runs kernels without AVX; with "
                       "OPENBLAS_CORETYPE={} in the environment it takes others",
                       processor.avx512 ? "SkylakeX" : "Haswell");
}

void OpenBlas::multiply(const measure::Workload& workload, const base::Numbers& a, const base::Numbers& b,
                        base::Numbers& c) const {
    constexpr int row_major = 101, no_transpose = 111; // CblasRowMajor, CblasNoTrans
    const auto with = [&]<class T>(Gemm<T>* gemm) {
        const auto values = [](const base::Numbers& matrix) {
            return reinterpret_cast<const T*>(matrix.bytes().data());
        };
        const auto [m, n, k] = workload.problem;
        gemm(row_major, no_transpose, no_transpose, m, n, k, static_cast<T>(workload.alpha), values(a), k, values(b), n,
             static_cast<T>(workload.beta), reinterpret_cast<T*>(c.bytes().data()), n);
    };
    if (workload.operands == catalog::OperandType::f64) with(dgemm_);
    else with(sgemm_);
}

} // namespace cpu
