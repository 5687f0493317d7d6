// OpenBLAS, loaded when it is first needed: what a CPU's cores reach.
#pragma once

#include "base/numbers.h"
#include "base/result.h"
#include "cpu/processor.h"
#include "measure/workload.h"

#include <string>
#include <vector>

namespace cpu {

class OpenBlas {
public:
    // The first of `names` that loads. Errors (Failure::missing): there is none, or it lacks a function.
    static base::Result<OpenBlas> open(const std::vector<std::string>& names = {"libopenblas.so.0", "libopenblas.so"});

    const std::string& version() const { return version_; } // "0.3.21, Haswell kernels": those it chose here
    const std::string& core() const { return core_; }       // "Haswell": whose kernels these are
    int threads() const { return threads_; } // that it multiplies with; OPENBLAS_NUM_THREADS says how many

    // C = alpha A B + beta C of the workload's problem, of floats (cblas_sgemm) or doubles (cblas_dgemm).
    void multiply(const measure::Workload&, const base::Numbers& a, const base::Numbers& b, base::Numbers& c) const;

private:
    // cblas.h without its header: its order and transposition are ints, as are its sizes.
    template <class T>
    using Gemm = void(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a, int lda,
                      const T* b, int ldb, T beta, T* c, int ldc);
    OpenBlas() = default;

    Gemm<float>* sgemm_ = nullptr;
    Gemm<double>* dgemm_ = nullptr;
    std::string version_, core_;
    int threads_ = 1;
};

// Where OpenBLAS does not know a processor it takes kernels for "Prescott", of 2004, without AVX: that, and
// what to do. Empty: it knows this one.
std::string note_on_kernels(std::string_view core, const Processor&);

} // namespace cpu
