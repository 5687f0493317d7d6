#include "gpu/worker/cublas.h"

#include "base/file.h"
#include "base/shared_library.h"

#include <fmt/format.h>

#include <cstdlib>
#include <type_traits>

namespace gpu {
namespace {

using base::Error;
using base::Failure;

constexpr int default_math = 0, pedantic_math = 2; // CUBLAS_PEDANTIC_MATH: the named precision throughout
constexpr int default_algorithm = -1;              // CUBLAS_GEMM_DEFAULT

base::Result<base::SharedLibrary> library() {
    std::vector<std::string> candidates;
    for (const char* version : {"13", "12", "11"}) {
        std::string name = fmt::format("libcublas.so.{}", version);
        candidates.push_back(name);
        for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
            if (const char* folder = std::getenv(variable))
                candidates.push_back(fmt::format("{}/lib64/{}", folder, name));
        candidates.push_back("/usr/local/cuda/lib64/" + name);
        candidates.push_back((base::data_folder() / "cuda/lib" / name).string()); // of gemmscope setup --cublas
    }
    auto opened = base::SharedLibrary::open(candidates);
    if (!opened)
        return Error{
            Failure::missing,
            base::say("no cuBLAS: {}", opened.error().what),
            {},
            base::say(
                "install the CUDA Toolkit's cuBLAS, name its folder in LD_LIBRARY_PATH, or run gemmscope setup --cublas")};
    return opened;
}

} // namespace

base::Result<std::string> find_cublas() {
    auto found = library();
    if (!found) return found.error();
    return found->path();
}

base::Result<Cublas> Cublas::open(const Driver& driver) {
    auto found = library();
    if (!found) return found.error();
    Cublas cublas;
    Table& table = cublas.table_;
    auto load = [&](auto& function, const char* name) {
        function = found->function<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
        return function != nullptr;
    };
    if (!load(table.create, "cublasCreate_v2") || !load(table.destroy, "cublasDestroy_v2") ||
        !load(table.get_version, "cublasGetVersion_v2") || !load(table.set_math_mode, "cublasSetMathMode") ||
        !load(table.sgemm, "cublasSgemm_v2") || !load(table.dgemm, "cublasDgemm_v2") ||
        !load(table.gemm_ex, "cublasGemmEx"))
        return Error{Failure::missing,
                     base::say("{} lacks a function", found->path()),
                     {},
                     base::say("install cuBLAS 11 or newer")};
    void* handle = nullptr;
    if (auto done = cublas_status("cuBLAS", table.create(&handle), base::phrase("its start")); !done)
        return done.error();
    cublas.handle_ = std::shared_ptr<void>(handle, table.destroy);
    int version = 0;
    if (auto done = cublas_status("cuBLAS", table.get_version(handle, &version), base::phrase("its version")); !done)
        return done.error();
    int per_major = version >= 100'000 ? 10'000 : 1'000; // cuBLAS 11 counted by thousands
    cublas.version_ = fmt::format("{}.{}.{}", version / per_major, version % per_major / 100, version % 100);
    cublas.lt_ = std::make_shared<base::Result<CublasLt>>(CublasLt::open(driver, found->path()));
    return cublas;
}

// Column-major libraries see our row-major matrices transposed: C' = B' A'.
CublasAlgorithm Cublas::simple(const Launch& launch) const {
    const LeadingDimensions ld(launch);
    auto sgemm = [this, ld, p = launch.problem, alpha = static_cast<float>(launch.alpha),
                  beta = static_cast<float>(launch.beta)](CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) {
        auto pointer = [](CUdeviceptr address) { return reinterpret_cast<float*>(address); };
        return cublas_status("cuBLAS",
                             table_.sgemm(handle_.get(), no_transpose, no_transpose, p.n, p.m, p.k, &alpha, pointer(b),
                                          ld.b, pointer(a), ld.a, &beta, pointer(c), ld.c),
                             base::phrase("the multiplication"));
    };
    auto dgemm = [this, ld, p = launch.problem, alpha = launch.alpha, beta = launch.beta](CUdeviceptr a, CUdeviceptr b,
                                                                                          CUdeviceptr c) {
        auto pointer = [](CUdeviceptr address) { return reinterpret_cast<double*>(address); };
        return cublas_status("cuBLAS",
                             table_.dgemm(handle_.get(), no_transpose, no_transpose, p.n, p.m, p.k, &alpha, pointer(b),
                                          ld.b, pointer(a), ld.a, &beta, pointer(c), ld.c),
                             base::phrase("the multiplication"));
    };
    auto gemm_ex = [this, ld, p = launch.problem, types = cublas_types(launch.operands),
                    alpha = static_cast<float>(launch.alpha),
                    beta = static_cast<float>(launch.beta)](CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) {
        auto pointer = [](CUdeviceptr address) { return reinterpret_cast<void*>(address); };
        return cublas_status("cuBLAS",
                             table_.gemm_ex(handle_.get(), no_transpose, no_transpose, p.n, p.m, p.k, &alpha,
                                            pointer(b), types.operands, ld.b, pointer(a), types.operands, ld.a, &beta,
                                            pointer(c), types.result, ld.c, types.compute, default_algorithm),
                             base::phrase("the multiplication"));
    };
    const catalog::OperandType operands = catalog::cublas_operands(launch.operands);
    if (operands == catalog::OperandType::f32) return {"cublasSgemm", std::move(sgemm)};
    if (operands == catalog::OperandType::f64) return {"cublasDgemm", std::move(dgemm)};
    return {"cublasGemmEx", std::move(gemm_ex)};
}

base::Result<std::vector<CublasAlgorithm>> Cublas::algorithms(const Launch& launch,
                                                              std::vector<std::string>& notes) const {
    const int mode =
        catalog::cublas_operands(launch.operands) == catalog::OperandType::f32 ? pedantic_math : default_math;
    if (auto done =
            cublas_status("cuBLAS", table_.set_math_mode(handle_.get(), mode), base::phrase("choosing its precision"));
        !done)
        return done.error();
    std::vector<CublasAlgorithm> all{simple(launch)};
    auto others = *lt_ ? (*lt_)->algorithms(launch) : base::Result<std::vector<CublasAlgorithm>>(lt_->error());
    if (others) all.insert(all.end(), others->begin(), others->end());
    else notes.push_back(fmt::format("only {} is the reference: {}", all[0].name, others.error().sentence()));
    return all;
}

} // namespace gpu
