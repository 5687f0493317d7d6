// cuBLAS, loaded on first use: the reference that every kernel is timed beside.
#pragma once

#include "gpu/worker/cublas_lt.h"

#include <memory>
#include <string>
#include <vector>

namespace gpu {

class Cublas {
public:
    // Needs a current context. Errors (Failure::missing): no library, or one that does not start.
    static base::Result<Cublas> open(const Driver&);

    const std::string& version() const { return version_; } // "13.0.2"

    // The ways in which it can multiply operands of the launch's type (catalog::cublas_operands()), of f32
    // without tensor cores: cublasSgemm, cublasDgemm or cublasGemmEx, then what cuBLASLt's heuristics name.
    // They must not outlive this; another call ends them. `notes` gets the reason where there is only the
    // first.
    base::Result<std::vector<CublasAlgorithm>> algorithms(const Launch&, std::vector<std::string>& notes) const;

private:
    // cublas_api.h without its header: these have been the same since CUDA 6.
    struct Table {
        int (*create)(void** handle) = nullptr;
        int (*destroy)(void* handle) = nullptr;
        int (*get_version)(void* handle, int* version) = nullptr;
        int (*set_math_mode)(void* handle, int mode) = nullptr;
        int (*sgemm)(void* handle, int trans_a, int trans_b, int m, int n, int k, const float* alpha, const float* a,
                     int lda, const float* b, int ldb, const float* beta, float* c, int ldc) = nullptr;
        int (*dgemm)(void* handle, int trans_a, int trans_b, int m, int n, int k, const double* alpha, const double* a,
                     int lda, const double* b, int ldb, const double* beta, double* c, int ldc) = nullptr;
        int (*gemm_ex)(void* handle, int trans_a, int trans_b, int m, int n, int k, const void* alpha, const void* a,
                       int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c, int c_type,
                       int ldc, int compute_type,
                       int algorithm) = nullptr; // as it is since CUDA 11
    };
    CublasAlgorithm simple(const Launch&) const; // the one without cuBLASLt
    Cublas() = default;

    Table table_;
    std::shared_ptr<void> handle_;
    std::string version_;
    std::shared_ptr<const base::Result<CublasLt>> lt_;
};

// Whether the library is there, without starting it (which takes a context and time): its path, or why not.
base::Result<std::string> find_cublas();

} // namespace gpu
