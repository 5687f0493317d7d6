// libcublas.so.13 and libcublasLt.so.13 on the invented GPU: cublasSgemm, cublasDgemm and cublasGemmEx take 3
// ms, and the heuristics name four algorithms, of which the first takes 4 ms, the second cannot be started,
// the third takes 2 ms and the fourth 2.125; half of that with tensor cores. Only what gemmscope asks for is supported.
#include <cuda.h>

#include <cstdint>

extern "C" void fake_gpu_multiply(void** arguments, bool bf16, float ms); // fake_cuda.cpp
extern "C" void fake_gpu_multiply_doubles(void** arguments, float ms);

namespace {

constexpr int success = 0, not_supported = 15;
constexpr int real_f32 = 0, real_f64 = 1, real_bf16 = 14;
constexpr int compute_f32 = 68, compute_pedantic = 69, compute_f64 = 70, compute_tf32 = 77;

// What is multiplied how, in one of the four modes; of cublasSgemm, the handle's.
bool supported(int type, int compute) {
    if (type == real_f64) return compute == compute_f64;
    return type == real_bf16 ? compute == compute_f32
                             : type == real_f32 && (compute == compute_pedantic || compute == compute_tf32);
}

// As the library sees them, column-major: m x n, and its first operand is our B.
struct Layout {
    int type;
    uint64_t rows, columns;
    int64_t leading;
};
struct Operation {
    int compute_type, scale_type;
};
struct Algorithm {
    uint64_t data[8];
};
struct Heuristic {
    Algorithm algorithm;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

struct Operand {
    const void* address;
    int leading;
};

void multiply(int m, int n, int k, const void* alpha, Operand first, Operand second, int type, const void* beta,
              Operand result, float ms) {
    auto address = [](const Operand& operand) { return reinterpret_cast<CUdeviceptr>(operand.address); };
    int rows = n, columns = m; // ours
    CUdeviceptr a = address(second), b = address(first), c = address(result);
    void* arguments[] = {&rows,
                         &columns,
                         &k,
                         const_cast<void*>(alpha),
                         &a,
                         &second.leading,
                         &b,
                         &first.leading,
                         const_cast<void*>(beta),
                         &c,
                         &result.leading};
    if (type == real_f64) fake_gpu_multiply_doubles(arguments, ms);
    else fake_gpu_multiply(arguments, type == real_bf16, ms);
}

} // namespace

extern "C" {

int cublasCreate_v2(void** handle) { // its math mode
    return *handle = new int{0}, success;
}
int cublasDestroy_v2(void* handle) { return delete static_cast<int*>(handle), success; }
int cublasGetVersion_v2(void*, int* version) { return *version = 130002, success; }
int cublasSetMathMode(void* handle, int mode) { return *static_cast<int*>(handle) = mode, success; }
int cublasSgemm_v2(void* handle, int, int, int m, int n, int k, const float* alpha, const float* a, int lda,
                   const float* b, int ldb, const float* beta, float* c, int ldc) {
    if (*static_cast<int*>(handle) != 2) return not_supported; // pedantic
    return multiply(m, n, k, alpha, {a, lda}, {b, ldb}, real_f32, beta, {c, ldc}, 3), success;
}
int cublasDgemm_v2(void* handle, int, int, int m, int n, int k, const double* alpha, const double* a, int lda,
                   const double* b, int ldb, const double* beta, double* c, int ldc) {
    if (*static_cast<int*>(handle) != 0) return not_supported;
    return multiply(m, n, k, alpha, {a, lda}, {b, ldb}, real_f64, beta, {c, ldc}, 3), success;
}
int cublasGemmEx(void* handle, int, int, int m, int n, int k, const void* alpha, const void* a, int a_type, int lda,
                 const void* b, int b_type, int ldb, const void* beta, void* c, int c_type, int ldc, int compute,
                 int algorithm) {
    const bool asked = *static_cast<int*>(handle) == 0 && a_type == b_type && c_type == real_f32 && algorithm == -1;
    if (!asked || !supported(a_type, compute) || compute == compute_pedantic || compute == compute_f64)
        return not_supported;
    return multiply(m, n, k, alpha, {a, lda}, {b, ldb}, a_type, beta, {c, ldc}, 1.5f), success;
}

int cublasGetProperty(int which, int* value) { return *value = which == 0 ? 13 : which == 2 ? 2 : 0, success; }
int cublasXtCreate(void** handle) { // how many devices are selected
    return *handle = new int{0}, success;
}
int cublasXtDestroy(void* handle) { return delete static_cast<int*>(handle), success; }
int cublasXtDeviceSelect(void* handle, int count, int* devices) {
    return *static_cast<int*>(handle) = count, devices[0] == 0 ? success : not_supported;
}
int cublasXtSgemm(void* handle, int, int, size_t m, size_t n, size_t k, const float* alpha, const float* a, size_t lda,
                  const float* b, size_t ldb, const float* beta, float* c, size_t ldc) {
    if (*static_cast<int*>(handle) != 1) return not_supported;
    if (m == 13) return success; // and nothing is written
    const auto narrow = [](size_t size) { return static_cast<int>(size); };
    return multiply(narrow(m), narrow(n), narrow(k), alpha, {a, narrow(lda)}, {b, narrow(ldb)}, real_f32, beta,
                    {c, narrow(ldc)}, 3),
           success;
}

int cublasLtCreate(void** handle) { return *handle = new int, success; }
int cublasLtDestroy(void* handle) { return delete static_cast<int*>(handle), success; }
int cublasLtMatmulDescCreate(void** operation, int compute_type, int scale_type) {
    return *operation = new Operation{compute_type, scale_type}, success;
}
int cublasLtMatmulDescDestroy(void* operation) { return delete static_cast<Operation*>(operation), success; }
int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns, int64_t leading) {
    if (leading < static_cast<int64_t>(rows)) return not_supported;
    return *layout = new Layout{type, rows, columns, leading}, success;
}
int cublasLtMatrixLayoutDestroy(void* layout) { return delete static_cast<Layout*>(layout), success; }
int cublasLtMatmulPreferenceCreate(void** preference) { return *preference = new uint64_t{0}, success; }
int cublasLtMatmulPreferenceDestroy(void* preference) { return delete static_cast<uint64_t*>(preference), success; }
int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value, size_t bytes) {
    if (attribute != 1 || bytes != sizeof(uint64_t)) return not_supported;
    return *static_cast<uint64_t*>(preference) = *static_cast<const uint64_t*>(value), success;
}
int cublasLtMatmulAlgoGetHeuristic(void*, void* operation, void* a, void* b, void* c, void*, void* preference,
                                   int wanted, Heuristic* results, int* found) {
    auto type = [](void* layout) { return static_cast<Layout*>(layout)->type; };
    if (!supported(type(a), static_cast<Operation*>(operation)->compute_type) || type(a) != type(b) ||
        type(c) != (type(a) == real_f64 ? real_f64 : real_f32) ||
        type(c) != static_cast<Operation*>(operation)->scale_type ||
        *static_cast<uint64_t*>(preference) != uint64_t{32} << 20)
        return not_supported;
    *found = wanted < 4 ? wanted : 4;
    for (int i = 0; i < *found; ++i) results[i] = {{{static_cast<uint64_t>(i)}}, 0, success, 1, {}};
    return success;
}
int cublasLtMatmulAlgoConfigGetAttribute(const Algorithm* algorithm, int attribute, void* value, size_t,
                                         size_t* written) {
    *static_cast<int32_t*>(value) = attribute == 0   ? 20 + static_cast<int32_t>(algorithm->data[0])
                                    : attribute == 2 ? 4
                                                     : 0;
    return *written = sizeof(int32_t), success;
}
int cublasLtMatmul(void*, void* operation, const void* alpha, const void* a, void* a_layout, const void* b,
                   void* b_layout, const void* beta, const void*, void*, void* d, void* d_layout,
                   const Algorithm* algorithm, void* workspace, size_t workspace_bytes, void*) {
    constexpr float ms[] = {4, 0, 2, 2.125f};
    if (algorithm->data[0] == 1 || !workspace || workspace_bytes != size_t{32} << 20) return not_supported;
    auto *first = static_cast<Layout*>(a_layout), *second = static_cast<Layout*>(b_layout);
    if (first->columns != second->rows) return not_supported;
    const bool tensor_cores = static_cast<Operation*>(operation)->compute_type != compute_pedantic;
    const auto leading = [](void* layout) { return static_cast<int>(static_cast<Layout*>(layout)->leading); };
    multiply(static_cast<int>(first->rows), static_cast<int>(second->columns), static_cast<int>(first->columns), alpha,
             {a, leading(a_layout)}, {b, leading(b_layout)}, first->type, beta, {d, leading(d_layout)},
             ms[algorithm->data[0]] / (tensor_cores ? 2 : 1));
    return success;
}

} // extern "C"
