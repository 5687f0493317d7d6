#include "gpu/worker/cublas_lt.h"

#include "base/shared_library.h"

#include <fmt/format.h>

#include <array>
#include <type_traits>
#include <utility>

namespace gpu {
namespace {

using base::Error;
using base::Failure;
using base::Status;

constexpr int real_f32 = 0;          // CUDA_R_32F
constexpr int real_f64 = 1;          // CUDA_R_64F
constexpr int real_bf16 = 14;        // CUDA_R_16BF
constexpr int compute_f32 = 68;      // CUBLAS_COMPUTE_32F
constexpr int compute_pedantic = 69; // CUBLAS_COMPUTE_32F_PEDANTIC
constexpr int compute_f64 = 70;      // CUBLAS_COMPUTE_64F
constexpr int compute_tf32 = 77;     // CUBLAS_COMPUTE_32F_FAST_TF32
constexpr int most_workspace = 1;    // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr int algorithm_id = 0;      // CUBLASLT_ALGO_CONFIG_ID
constexpr int algorithm_split_k = 2; // CUBLASLT_ALGO_CONFIG_SPLITK_NUM

// "/a/libcublas.so.13" -> "/a/libcublasLt.so.13"
std::string beside(std::string cublas_path) {
    const std::string name = "libcublas.so";
    size_t at = cublas_path.rfind(name);
    if (at != std::string::npos) cublas_path.replace(at, name.size(), "libcublasLt.so");
    return cublas_path;
}

} // namespace

Status cublas_status(const char* library, int status, base::Phrase action) {
    if (status == 0) return base::Done{};
    return Error{Failure::check_failed,
                 base::say("{}: {} failed with status {}", library, base::Sentence(action), status),
                 {},
                 {}};
}

CublasTypes cublas_types(catalog::OperandType type) {
    switch (catalog::cublas_operands(type)) {
    case catalog::OperandType::tf32: return {real_f32, real_f32, compute_tf32};
    case catalog::OperandType::bf16: return {real_bf16, real_f32, compute_f32};
    case catalog::OperandType::f64: return {real_f64, real_f64, compute_f64};
    default: break;
    }
    return {real_f32, real_f32, compute_pedantic};
}

LeadingDimensions::LeadingDimensions(const Launch& launch) {
    const auto of = [&](char name) {
        const catalog::Matrix matrix = launch.matrix(name);
        return matrix.columns + static_cast<int>(matrix.padding);
    };
    a = of('A'), b = of('B'), c = of('C');
}

// Column-major libraries see our row-major matrices transposed: C' = B' A'. So the library's first operand is
// our B.
struct CublasLt::Plan {
    std::shared_ptr<void> operation, first, second, result;
    Factor alpha, beta;
    explicit Plan(const Launch& launch) : alpha(launch.operands, launch.alpha), beta(launch.operands, launch.beta) {}
};

base::Result<CublasLt> CublasLt::open(const Driver& driver, const std::string& cublas_path) {
    auto workspace = DeviceArray::allocate(driver, workspace_bytes);
    if (!workspace) return workspace.error();
    CublasLt lt(std::move(*workspace));
    if (auto loaded = lt.load(cublas_path); !loaded) return loaded.error();
    return lt;
}

Status CublasLt::load(const std::string& cublas_path) {
    auto library = base::SharedLibrary::open({beside(cublas_path)});
    if (!library)
        return Error{Failure::missing,
                     base::say("no cuBLASLt: {}", library.error().what),
                     {},
                     base::say("install the whole of cuBLAS")};
    bool all = true;
    auto find = [&](auto& function, const char* symbol) {
        function = library->function<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(symbol);
        all &= function != nullptr;
    };
    find(table_.create, "cublasLtCreate");
    find(table_.destroy, "cublasLtDestroy");
    find(table_.operation_create, "cublasLtMatmulDescCreate");
    find(table_.operation_destroy, "cublasLtMatmulDescDestroy");
    find(table_.layout_create, "cublasLtMatrixLayoutCreate");
    find(table_.layout_destroy, "cublasLtMatrixLayoutDestroy");
    find(table_.preference_create, "cublasLtMatmulPreferenceCreate");
    find(table_.preference_destroy, "cublasLtMatmulPreferenceDestroy");
    find(table_.preference_set, "cublasLtMatmulPreferenceSetAttribute");
    find(table_.heuristics, "cublasLtMatmulAlgoGetHeuristic");
    find(table_.algorithm_get, "cublasLtMatmulAlgoConfigGetAttribute");
    find(table_.matmul, "cublasLtMatmul");
    if (!all)
        return Error{Failure::missing,
                     base::say("{} lacks a function", library->path()),
                     {},
                     base::say("install cuBLAS 11 or newer")};
    void* handle = nullptr;
    if (auto done = cublas_status("cuBLASLt", table_.create(&handle), base::phrase("its start")); !done) return done;
    handle_ = std::shared_ptr<void>(handle, table_.destroy);
    return base::Done{};
}

base::Result<std::shared_ptr<const CublasLt::Plan>> CublasLt::plan(const Launch& launch) const {
    auto plan = std::make_shared<Plan>(launch);
    const CublasTypes types = cublas_types(launch.operands);
    void* made = nullptr;
    if (auto done = cublas_status("cuBLASLt", table_.operation_create(&made, types.compute, types.result),
                                  base::phrase("describing the operation"));
        !done)
        return done.error();
    plan->operation = std::shared_ptr<void>(made, table_.operation_destroy);
    auto [m, n, k] = launch.problem;
    const LeadingDimensions ld(launch);
    for (auto [layout, type, rows, columns, leading] : {std::tuple{&plan->first, types.operands, n, k, ld.b},
                                                        {&plan->second, types.operands, k, m, ld.a},
                                                        {&plan->result, types.result, n, m, ld.c}}) {
        auto status =
            table_.layout_create(&made, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), leading);
        if (auto done = cublas_status("cuBLASLt", status, base::phrase("describing a matrix")); !done)
            return done.error();
        *layout = std::shared_ptr<void>(made, table_.layout_destroy);
    }
    return std::shared_ptr<const Plan>(std::move(plan));
}

base::Result<std::vector<CublasAlgorithm>> CublasLt::algorithms(const Launch& launch) const {
    auto made = plan(launch);
    if (!made) return made.error();
    auto plan = *made;
    void* preference = nullptr;
    if (auto done = cublas_status("cuBLASLt", table_.preference_create(&preference), base::phrase("a preference"));
        !done)
        return done.error();
    const std::shared_ptr<void> owned(preference, table_.preference_destroy);
    const uint64_t most = workspace_bytes;
    if (auto done = cublas_status("cuBLASLt", table_.preference_set(preference, most_workspace, &most, sizeof most),
                                  base::phrase("the workspace's size"));
        !done)
        return done.error();
    std::array<Heuristic, most_algorithms> found{};
    int count = 0;
    auto status =
        table_.heuristics(handle_.get(), plan->operation.get(), plan->first.get(), plan->second.get(),
                          plan->result.get(), plan->result.get(), preference, most_algorithms, found.data(), &count);
    if (auto done = cublas_status("cuBLASLt", status, base::phrase("choosing algorithms")); !done) return done.error();
    std::vector<CublasAlgorithm> algorithms;
    for (int i = 0; i < count; ++i) {
        const Heuristic& heuristic = found[static_cast<size_t>(i)];
        if (heuristic.state != 0) continue;
        auto run = [this, plan, algorithm = heuristic.algorithm](CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) {
            auto pointer = [](CUdeviceptr address) { return reinterpret_cast<void*>(address); };
            return cublas_status("cuBLASLt",
                                 table_.matmul(handle_.get(), plan->operation.get(), plan->alpha.pointer(), pointer(b),
                                               plan->first.get(), pointer(a), plan->second.get(), plan->beta.pointer(),
                                               pointer(c), plan->result.get(), pointer(c), plan->result.get(),
                                               &algorithm, pointer(workspace_.address()), workspace_bytes, nullptr),
                                 base::phrase("the multiplication"));
        };
        algorithms.push_back({name(i + 1, heuristic.algorithm), std::move(run)});
    }
    return algorithms;
}

std::string CublasLt::name(int number, const Algorithm& algorithm) const {
    auto attribute = [&](int which) {
        int32_t value = 0;
        size_t written = 0;
        return table_.algorithm_get(&algorithm, which, &value, sizeof value, &written) == 0 ? value : 0;
    };
    std::string text = fmt::format("cublasLt heuristic {} (algorithm {}", number, attribute(algorithm_id));
    if (int splits = attribute(algorithm_split_k); splits > 1) text += fmt::format(", split-K {}", splits);
    return text + ")";
}

} // namespace gpu
