// One GPU: its context, memory, events and kernels. Everything here belongs to the thread that opened the context.
#pragma once

#include "gpu/driver/arguments.h"
#include "gpu/driver/driver.h"
#include "gpu/protocol.h"

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpu {

// The device's primary context, kept alive by this and current to the thread that opened it.
class Context {
public:
    static base::Result<Context> open(std::shared_ptr<const Driver>, int ordinal);
    static base::Result<Context> open_device(std::shared_ptr<const Driver>, CUdevice);
    ~Context();
    Context(Context&& other) noexcept
        : driver_(std::move(other.driver_)), device_(other.device_), retained_(std::exchange(other.retained_, false)) {}
    Context& operator=(Context&&) = delete;

    const Driver& driver() const { return *driver_; }
    CUdevice device() const { return device_; }

private:
    Context(std::shared_ptr<const Driver> driver, CUdevice device)
        : driver_(std::move(driver)), device_(device), retained_(true) {}

    std::shared_ptr<const Driver> driver_;
    CUdevice device_;
    bool retained_;
};

base::Result<measure::Device> describe(const Driver&, CUdevice);
// "0000:01:00.0": how NVML knows the device.
std::string pci_bus_id(const Driver&, CUdevice);

// Memory of a device.
class DeviceArray {
public:
    static base::Result<DeviceArray> allocate(const Driver&, size_t bytes);
    // Managed: its pages are moved between host and device. The driver gives more than the device has.
    static base::Result<DeviceArray> allocate_managed(const Driver&, size_t bytes);
    ~DeviceArray();
    DeviceArray(DeviceArray&& other) noexcept
        : driver_(other.driver_), address_(std::exchange(other.address_, 0)), bytes_(other.bytes_) {}
    DeviceArray& operator=(DeviceArray&&) = delete;

    CUdeviceptr address() const { return address_; }
    size_t bytes() const { return bytes_; }
    base::Status upload(std::span<const std::byte> bytes,
                        size_t offset = 0) const;            // to `offset` bytes behind its beginning
    base::Status download(std::span<std::byte> bytes) const; // from its beginning
    base::Status copy(const DeviceArray& from);
    base::Status clear();  // zero everywhere
    base::Status poison(); // NaN everywhere, as floats and as doubles: what is not written stays visible

private:
    DeviceArray(const Driver& driver, CUdeviceptr address, size_t bytes)
        : driver_(&driver), address_(address), bytes_(bytes) {}

    const Driver* driver_;
    CUdeviceptr address_;
    size_t bytes_;
};

// A matrix's elements, one after the other in host memory, to where the kernel finds them, and back.
base::Status upload(const DeviceArray& to, const catalog::Matrix&, std::span<const std::byte> elements);
base::Result<base::Numbers> download(const DeviceArray& from, const catalog::Matrix&);

// Memory of the host that is page-locked: the device copies from and to it at the bus's speed.
class HostArray {
public:
    static base::Result<HostArray> allocate(const Driver&, size_t bytes);
    ~HostArray();
    HostArray(HostArray&& other) noexcept
        : driver_(other.driver_), address_(std::exchange(other.address_, nullptr)), bytes_(other.bytes_) {}
    HostArray& operator=(HostArray&&) = delete;

    std::span<std::byte> bytes() const { return {address_, bytes_}; }

private:
    HostArray(const Driver& driver, std::byte* address, size_t bytes)
        : driver_(&driver), address_(address), bytes_(bytes) {}

    const Driver* driver_;
    std::byte* address_;
    size_t bytes_;
};

using Deadline = std::chrono::steady_clock::time_point;
inline Deadline after(double seconds) {
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(seconds));
}

// A point in the device's work.
class DeviceEvent {
public:
    static base::Result<DeviceEvent> create(const Driver&);
    ~DeviceEvent();
    DeviceEvent(DeviceEvent&& other) noexcept : driver_(other.driver_), event_(std::exchange(other.event_, nullptr)) {}
    DeviceEvent& operator=(DeviceEvent&&) = delete;

    base::Status record(CUstream stream = nullptr);
    CUevent handle() const { return event_; }
    // Until the device has come here. Past the deadline: an error, and the device is still busy.
    base::Status wait(Deadline) const;
    // Asks without waiting. Once true, `result` says whether all work up to here went well.
    bool passed(CUresult& result) const { return (result = driver_->event_query(event_)) != CUDA_ERROR_NOT_READY; }
    base::Result<double> ms_since(const DeviceEvent& earlier) const;

private:
    DeviceEvent(const Driver& driver, CUevent event) : driver_(&driver), event_(event) {}

    const Driver* driver_;
    CUevent event_;
};

// Work that is done one after the other, at the same time as that of other streams.
class DeviceStream {
public:
    static base::Result<DeviceStream> create(const Driver&);
    ~DeviceStream();
    DeviceStream(DeviceStream&& other) noexcept
        : driver_(other.driver_), stream_(std::exchange(other.stream_, nullptr)) {}
    DeviceStream& operator=(DeviceStream&&) = delete;

    CUstream handle() const { return stream_; }
    base::Status wait_for(const DeviceEvent&) const; // what is added from here on starts after it
    // Rows of `width` bytes between host and device, each `pitch` bytes behind the one before.
    struct Place {
        std::byte* address = nullptr; // of the host; nullptr: the device's
        CUdeviceptr device = 0;
        size_t pitch = 0;
    };
    base::Status copy(const Place& from, const Place& to, size_t width, size_t rows) const;

private:
    DeviceStream(const Driver& driver, CUstream stream) : driver_(&driver), stream_(stream) {}

    const Driver* driver_;
    CUstream stream_;
};

// A kernel on the device, ready to be launched as its Launch says.
class LoadedKernel {
public:
    static base::Result<LoadedKernel> load(const Driver&, const Launch&);
    ~LoadedKernel();
    LoadedKernel(LoadedKernel&& other) noexcept
        : driver_(other.driver_), module_(std::exchange(other.module_, nullptr)), function_(other.function_) {}
    LoadedKernel& operator=(LoadedKernel&&) = delete;

    base::Status run(const Launch&, GemmArguments&) const; // does not wait
    // Any kernel: `arguments` points to each argument.
    base::Status run(base::Dim3 grid, base::Dim3 block, uint32_t dynamic_shared_bytes, void** arguments,
                     CUstream stream = nullptr) const;

private:
    LoadedKernel(const Driver& driver, CUmodule module) : driver_(&driver), module_(module) {}

    const Driver* driver_;
    CUmodule module_;
    CUfunction function_ = nullptr;
};

} // namespace gpu
