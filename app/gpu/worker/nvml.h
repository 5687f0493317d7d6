// The GPU's clock and energy and the driver's version by NVML, which comes with the driver. Only ever reads.
#pragma once

#include <memory>
#include <string>

namespace gpu {

class Nvml {
public:
    // `pci_bus_id` as the driver gives it. Without NVML the readings are 0 and empty.
    explicit Nvml(const std::string& pci_bus_id);

    int sm_mhz() const;    // at this moment; 0: unknown
    double joules() const; // since the driver was loaded, of the whole card; moves every tenth of a second; 0: unknown
    std::string driver_version() const; // "580.159.04"; empty: unknown

private:
    struct Table {
        int (*clock_info)(void* device, int which, unsigned* mhz) = nullptr;
        int (*total_energy)(void* device, unsigned long long* millijoules) = nullptr;
        int (*driver_version)(char* text, unsigned length) = nullptr;
    };
    Table table_;
    std::shared_ptr<void> library_; // ends NVML
    void* device_ = nullptr;
};

} // namespace gpu
