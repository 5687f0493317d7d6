#include "gpu/driver/driver.h"

#include <fmt/format.h>

#include <utility>

namespace gpu {
namespace {

using base::Error;
using base::Failure;

// What the user can do, where the driver's own words do not say it.
base::Sentence advice(CUresult result) {
    switch (result) {
    case CUDA_ERROR_NO_DEVICE: return base::say("recorded figures are shown without a GPU");
    case CUDA_ERROR_OUT_OF_MEMORY: return base::say("choose a smaller size or end other programs on the GPU");
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS: return base::say("run `gemmscope check` on the kernel, it names the access");
    case CUDA_ERROR_NO_BINARY_FOR_GPU: return base::say("compile for the GPU's own architecture");
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
        return base::say("choose tiles with fewer threads, registers or shared memory");
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
        return base::say("restart the machine: the driver was updated while it ran");
    default: return {};
    }
}

Failure kind_of(CUresult result) {
    switch (result) {
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_OUT_OF_MEMORY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_DEVICE_UNAVAILABLE: return Failure::missing;
    default: return Failure::check_failed;
    }
}

} // namespace

base::Status Driver::check(CUresult result, base::Phrase action) const {
    if (result == CUDA_SUCCESS) return base::Done{};
    return check(result, base::Sentence(action));
}

base::Status Driver::check(CUresult result, const base::Sentence& action) const {
    if (result == CUDA_SUCCESS) return base::Done{};
    const char *name = nullptr, *text = nullptr;
    if (error_name(result, &name) != CUDA_SUCCESS || !name) name = "unknown error";
    if (error_string(result, &text) != CUDA_SUCCESS || !text) text = "the driver does not say more";
    return Error{kind_of(result), base::say("{}: {}", action, fmt::format("{} ({})", text, name)), {}, advice(result)};
}

base::Result<std::shared_ptr<const Driver>> Driver::open() {
    auto library = base::SharedLibrary::open(
        {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"});
    if (!library)
        return Error{Failure::missing,
                     base::say("no NVIDIA driver: {}", library.error().what),
                     {},
                     base::say("install NVIDIA's driver to run on a GPU; everything else works without")};
    auto driver = std::make_shared<Driver>(Driver{.library = *library});
    const char* absent = nullptr;
#define GEMMSCOPE_ROW(name, symbol, declared)                                                                          \
    if (!(driver->name = library->function<decltype(declared)>(symbol))) absent = symbol;
    GEMMSCOPE_CUDA_DRIVER(GEMMSCOPE_ROW)
#undef GEMMSCOPE_ROW
    if (absent)
        return Error{Failure::missing,
                     base::say("the NVIDIA driver {} has no {}", library->path(), absent),
                     {},
                     base::say("install a newer driver")};
    auto started = driver->check(driver->init(0), base::phrase("cannot start CUDA"));
    if (!started) return started.error();
    return std::shared_ptr<const Driver>(std::move(driver));
}

} // namespace gpu
