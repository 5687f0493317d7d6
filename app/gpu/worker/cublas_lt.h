// cuBLASLt, the part of cuBLAS that lets a caller choose among its kernels. Its heuristics name the likely
// ones for a problem, best first; cublasSgemm takes one of its own accord, not always the fastest.
#pragma once

#include "gpu/driver/device.h"
#include "gpu/worker/device_product.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpu {

// One of the ways in which cuBLAS multiplies.
struct CublasAlgorithm {
    std::string name; // "cublasSgemm", "cublasDgemm", "cublasGemmEx", "cublasLt heuristic 3 (algorithm 21,
                      // split-K 2)"
    DeviceProduct run;
};

constexpr int no_transpose = 0;     // CUBLAS_OP_N
constexpr size_t trial_samples = 5; // of each algorithm in a turn; after the first only the fast ones go on

// What a function of cuBLAS, cuBLASLt or cublasXt returned; `action` is what it was called for, "its start".
base::Status cublas_status(const char* library, int status, base::Phrase action);

// How cuBLAS is told what to multiply, and how: cudaDataType of A and B and of the rest, cublasComputeType_t.
struct CublasTypes {
    int operands, result, compute;
};
CublasTypes cublas_types(catalog::OperandType);
// As the kernel finds A, B and C; bits, which cuBLAS gets as floats, have no padding either.
struct LeadingDimensions {
    int a, b, c;
    explicit LeadingDimensions(const Launch&);
};

class CublasLt {
public:
    static constexpr int most_algorithms = 8;
    static constexpr size_t workspace_bytes = size_t{32} << 20; // what cuBLAS gives itself on Hopper

    // `cublas_path`: the library beside which it lies. Needs a current context. Errors (Failure::missing):
    // not there, or no memory.
    static base::Result<CublasLt> open(const Driver&, const std::string& cublas_path);

    // The heuristics' first algorithms for the launch's type of operands; of f32 in pedantic FP32 (no tensor
    // cores, no rounding of inputs). They must not outlive this.
    base::Result<std::vector<CublasAlgorithm>> algorithms(const Launch&) const;

    // cublasLt.h without its header: these have been the same since CUDA 11.
    struct Algorithm {
        uint64_t data[8];
    };
    struct Heuristic {
        Algorithm algorithm;
        size_t workspace_bytes;
        int state; // cublasStatus_t
        float waves;
        int reserved[4];
    };

private:
    struct Table {
        int (*create)(void** handle) = nullptr;
        int (*destroy)(void* handle) = nullptr;
        int (*operation_create)(void** operation, int compute_type, int scale_type) = nullptr;
        int (*operation_destroy)(void* operation) = nullptr;
        int (*layout_create)(void** layout, int type, uint64_t rows, uint64_t columns, int64_t leading) = nullptr;
        int (*layout_destroy)(void* layout) = nullptr;
        int (*preference_create)(void** preference) = nullptr;
        int (*preference_destroy)(void* preference) = nullptr;
        int (*preference_set)(void* preference, int attribute, const void* value, size_t bytes) = nullptr;
        int (*heuristics)(void* handle, void* operation, void* a, void* b, void* c, void* d, void* preference,
                          int wanted, Heuristic* results, int* found) = nullptr;
        int (*algorithm_get)(const Algorithm*, int attribute, void* value, size_t bytes, size_t* written) = nullptr;
        int (*matmul)(void* handle, void* operation, const void* alpha, const void* a, void* a_layout, const void* b,
                      void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                      const Algorithm*, void* workspace, size_t workspace_bytes, void* stream) = nullptr;
    };
    struct Plan; // a problem's descriptors

    explicit CublasLt(DeviceArray workspace) : workspace_(std::move(workspace)) {}
    base::Status load(const std::string& cublas_path);
    base::Result<std::shared_ptr<const Plan>> plan(const Launch&) const;
    std::string name(int number, const Algorithm&) const;

    Table table_;
    std::shared_ptr<void> handle_;
    DeviceArray workspace_;
};

} // namespace gpu
