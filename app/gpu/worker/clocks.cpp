#include "gpu/worker/clocks.h"

#include "base/shared_library.h"

#include <array>

namespace gpu {
namespace {

constexpr int sm_clock = 1; // NVML_CLOCK_SM

} // namespace

Clocks::Clocks(const std::string& pci_bus_id) {
    auto library = base::SharedLibrary::open(
        {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"});
    if (!library) return;
    auto* init = library->function<int()>("nvmlInit_v2");
    auto* shutdown = library->function<int()>("nvmlShutdown");
    auto* by_bus_id = library->function<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    table_.clock_info = library->function<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
    table_.driver_version = library->function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    if (!init || !shutdown || !by_bus_id || init() != 0) {
        table_ = {};
        return;
    }
    library_ = std::shared_ptr<void>(nullptr, [shutdown](void*) { shutdown(); });
    if (by_bus_id(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

int Clocks::sm_mhz() const {
    unsigned mhz = 0;
    return device_ && table_.clock_info && table_.clock_info(device_, sm_clock, &mhz) == 0 ? static_cast<int>(mhz) : 0;
}

std::string Clocks::driver_version() const {
    std::array<char, 96> text{};
    return table_.driver_version && table_.driver_version(text.data(), text.size()) == 0 ? text.data() : "";
}

} // namespace gpu
