#include "gpu/worker/nvml.h"

#include "base/shared_library.h"

#include <array>

namespace gpu {
namespace {

constexpr int sm_clock = 1; // NVML_CLOCK_SM

} // namespace

Nvml::Nvml(const std::string& pci_bus_id) {
    auto library = base::SharedLibrary::open(
        {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"});
    if (!library) return;
    auto* init = library->function<int()>("nvmlInit_v2");
    auto* shutdown = library->function<int()>("nvmlShutdown");
    auto* by_bus_id = library->function<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    table_.clock_info = library->function<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
    table_.total_energy = library->function<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
    table_.driver_version = library->function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    if (!init || !shutdown || !by_bus_id || init() != 0) {
        table_ = {};
        return;
    }
    library_ = std::shared_ptr<void>(nullptr, [shutdown](void*) { shutdown(); });
    if (by_bus_id(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

int Nvml::sm_mhz() const {
    unsigned mhz = 0;
    return device_ && table_.clock_info && table_.clock_info(device_, sm_clock, &mhz) == 0 ? static_cast<int>(mhz) : 0;
}

double Nvml::joules() const {
    unsigned long long millijoules = 0;
    const bool known = device_ && table_.total_energy && table_.total_energy(device_, &millijoules) == 0;
    return known ? 1e-3 * static_cast<double>(millijoules) : 0;
}

std::string Nvml::driver_version() const {
    std::array<char, 96> text{};
    return table_.driver_version && table_.driver_version(text.data(), text.size()) == 0 ? text.data() : "";
}

} // namespace gpu
