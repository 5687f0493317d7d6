// cublasXt, the part of cuBLAS that multiplies matrices in the host's memory: it streams tiles of them
// through the GPU.
#pragma once

#include "gpu/protocol.h"

#include <memory>
#include <string>

namespace gpu {

class CublasXt {
public:
    // On the device of this number, whose context is current. Errors (Failure::missing): no cuBLAS, or one
    // that lacks it or does not start.
    static base::Result<CublasXt> open(int device);

    const std::string& version() const { return version_; } // "13.0.2"

    // C = alpha A B + beta C of the launch's problem; the matrices are row-major floats in host memory.
    base::Status multiply(const Launch&, const float* a, const float* b, float* c) const;

private:
    // cublasXt.h without its header.
    using Sgemm = int(void* handle, int trans_a, int trans_b, size_t m, size_t n, size_t k, const float* alpha,
                      const float* a, size_t lda, const float* b, size_t ldb, const float* beta, float* c, size_t ldc);
    CublasXt() = default;

    std::shared_ptr<void> handle_;
    Sgemm* sgemm_ = nullptr;
    std::string version_;
};

} // namespace gpu
