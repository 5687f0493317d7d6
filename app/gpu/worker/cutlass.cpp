#include "gpu/worker/cutlass.h"

#include "base/file.h"
#include "base/number.h"
#include "base/shared_library.h"
#include "gpu/worker/cublas_lt.h"

#include <string_view>

namespace gpu {
namespace {

using base::Error;
using base::Failure;

constexpr base::Phrase todo = base::phrase("build it with GEMMSCOPE_CUTLASS=1 ./gemmscope.sh");

// Its kernels copy by cp.async, which no GPU before Ampere has.
bool has_async_copies(const measure::Device& device) {
    constexpr std::string_view prefix = "sm_";
    constexpr int ampere = 80;
    if (!device.arch.starts_with(prefix)) return false;
    const auto number = base::parse_integer(device.arch.substr(prefix.size()), "arch", 0, INT32_MAX);
    return number && *number >= ampere;
}

} // namespace

std::vector<std::string> Cutlass::usual_names() {
    const std::string name = "libgemmscope_cutlass.so";
    return {name, (base::executable().parent_path() / name).string()};
}

base::Result<Cutlass> Cutlass::open(const std::vector<std::string>& names) {
    auto library = base::SharedLibrary::open(names);
    if (!library)
        return Error{
            Failure::missing, base::say("gemmscope was built without CUTLASS: {}", library.error().what), {}, todo};
    Cutlass found;
    found.path_ = library->path();
    found.sgemm_ = library->function<decltype(gemmscope_cutlass_sgemm)>("gemmscope_cutlass_sgemm");
    auto* version = library->function<decltype(gemmscope_cutlass_version)>("gemmscope_cutlass_version");
    auto* cuda = library->function<decltype(gemmscope_cutlass_cuda)>("gemmscope_cutlass_cuda");
    if (!found.sgemm_ || !version || !cuda)
        return Error{Failure::missing, base::say("{} lacks a function", found.path_), {}, todo};
    found.version_ = version();
    found.cuda_ = cuda();
    return found;
}

base::Result<DeviceProduct> Cutlass::product(const Launch& launch, const measure::Device& device) const {
    if (launch.operands != catalog::OperandType::f32)
        return Error{Failure::usage,
                     base::say("{} multiplies f32, not {}", launch.kernel, catalog::name_of(launch.operands)),
                     {},
                     {}};
    if (!has_async_copies(device))
        return Error{
            Failure::missing,
            base::say("{} copies asynchronously, which {} ({}) cannot", launch.kernel, device.name, device.arch),
            {},
            base::say("it runs on sm_80 and newer")};
    const std::string tile = launch.kernel.substr(launch.kernel.find('_') + 1);
    return DeviceProduct([=, ld = LeadingDimensions(launch), p = launch.problem, sgemm = sgemm_, id = launch.kernel,
                          alpha = static_cast<float>(launch.alpha), beta = static_cast<float>(launch.beta)](
                             CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) -> base::Status {
        const auto pointer = [](CUdeviceptr address) { return reinterpret_cast<float*>(address); };
        const char* failure = sgemm(tile.c_str(), p.m, p.n, p.k, alpha, pointer(a), ld.a, pointer(b), ld.b, beta,
                                    pointer(c), ld.c, nullptr);
        if (!failure) return base::Done{};
        return Error{Failure::check_failed, base::say("{} was not launched: {}", id, failure), {}, {}};
    });
}

} // namespace gpu
