#include "gpu/driver/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

namespace gpu {

using base::Error;
using base::Failure;

base::Result<Context> Context::open(std::shared_ptr<const Driver> driver, int ordinal) {
    int count = 0;
    if (auto done = driver->check(driver->device_count(&count), base::phrase("cannot count the GPUs")); !done)
        return done.error();
    if (ordinal < 0 || ordinal >= count)
        return Error{Failure::missing, base::say("there is no GPU {}; the driver found {}", ordinal, count), {}, {}};
    CUdevice device = 0;
    if (auto done = driver->check(driver->device_get(&device, ordinal), base::phrase("cannot open the GPU")); !done)
        return done.error();
    return open_device(std::move(driver), device);
}

base::Result<Context> Context::open_device(std::shared_ptr<const Driver> driver, CUdevice device) {
    CUcontext context = nullptr;
    if (auto done = driver->check(driver->context_retain(&context, device), base::phrase("cannot open the GPU")); !done)
        return done.error();
    Context opened(driver, device); // from here on it is released
    if (auto done = driver->check(driver->context_set(context), base::phrase("cannot use the GPU")); !done)
        return done.error();
    return opened;
}

Context::~Context() {
    if (retained_) driver_->context_release(device_);
}

base::Result<measure::Device> describe(const Driver& driver, CUdevice device) {
    std::array<char, 256> name{};
    measure::Device result;
    size_t bytes = 0;
    auto done =
        driver.check(driver.device_name(name.data(), name.size(), device), base::phrase("cannot read the GPU's name"));
    if (!done) return done.error();
    done = driver.check(driver.device_memory(&bytes, device), base::phrase("cannot read the GPU's memory size"));
    if (!done) return done.error();
    auto attribute = [&](CUdevice_attribute which) {
        int value = 0;
        return driver.device_attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
    };
    result.name = name.data();
    result.arch = fmt::format("sm_{}{}", attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                              attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    result.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    result.sm_clock_mhz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
    result.memory_clock_mhz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000;
    result.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    result.memory_bytes = bytes;
    result.l2_bytes = static_cast<uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    result.shared_bytes = static_cast<uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
    return result;
}

std::string pci_bus_id(const Driver& driver, CUdevice device) {
    std::array<char, 32> id{};
    return driver.device_pci_bus_id(id.data(), id.size(), device) == CUDA_SUCCESS ? id.data() : "";
}

base::Result<DeviceArray> DeviceArray::allocate(const Driver& driver, size_t bytes) {
    CUdeviceptr address = 0;
    auto done = driver.check(
        driver.memory_allocate(&address, std::max<size_t>(bytes, 1)), // the driver refuses to allocate nothing
        base::say("cannot allocate {:.1f} MiB on the GPU", static_cast<double>(bytes) / 1048576));
    if (!done) return done.error();
    return DeviceArray(driver, address, bytes);
}

base::Result<DeviceArray> DeviceArray::allocate_managed(const Driver& driver, size_t bytes) {
    CUdeviceptr address = 0;
    auto done =
        driver.check(driver.memory_allocate_managed(&address, std::max<size_t>(bytes, 1), CU_MEM_ATTACH_GLOBAL),
                     base::say("cannot allocate {:.1f} MiB of managed memory", static_cast<double>(bytes) / 1048576));
    if (!done) return done.error();
    return DeviceArray(driver, address, bytes);
}

DeviceArray::~DeviceArray() {
    if (address_) driver_->memory_free(address_);
}

base::Status DeviceArray::upload(std::span<const std::byte> bytes, size_t offset) const {
    return driver_->check(driver_->copy_to_device(address_ + offset, bytes.data(), bytes.size()),
                          base::phrase("cannot copy to the GPU"));
}

base::Status DeviceArray::download(std::span<std::byte> bytes) const {
    return driver_->check(driver_->copy_to_host(bytes.data(), address_, bytes.size()),
                          base::phrase("cannot copy from the GPU"));
}

base::Status DeviceArray::copy(const DeviceArray& from) {
    return driver_->check(driver_->copy_on_device(address_, from.address_, bytes_),
                          base::phrase("cannot copy on the GPU"));
}

base::Status DeviceArray::clear() {
    return driver_->check(driver_->memory_fill(address_, 0, bytes_ / sizeof(float)),
                          base::phrase("cannot fill the GPU's memory"));
}

base::Status DeviceArray::poison() {
    return driver_->check(driver_->memory_fill(address_, 0x7fffffff, bytes_ / sizeof(float)),
                          base::phrase("cannot fill the GPU's memory"));
}

base::Status upload(const DeviceArray& to, const catalog::Matrix& matrix, std::span<const std::byte> elements) {
    const base::MatrixLayout layout = matrix.layout();
    if (layout.padding == 0) return to.upload(elements);
    std::vector<std::byte> rows(matrix.bytes());
    base::add_padding(layout, base::bytes_of(matrix.element), elements, rows);
    return to.upload(rows);
}

base::Result<base::Numbers> download(const DeviceArray& from, const catalog::Matrix& matrix) {
    const base::MatrixLayout layout = matrix.layout();
    base::Numbers stored(matrix.element, layout.stored());
    if (auto done = from.download(stored.bytes()); !done) return done.error();
    if (layout.padding == 0) return stored;
    base::Numbers elements(matrix.element, layout.stored_rows() * layout.stored_columns());
    base::remove_padding(layout, base::bytes_of(matrix.element), stored.bytes(), elements.bytes());
    return elements;
}

base::Result<HostArray> HostArray::allocate(const Driver& driver, size_t bytes) {
    void* address = nullptr;
    auto done =
        driver.check(driver.host_allocate(&address, bytes),
                     base::say("cannot lock {:.3g} GiB of the host's memory", static_cast<double>(bytes) / 0x1p30));
    if (!done) return done.error();
    return HostArray(driver, static_cast<std::byte*>(address), bytes);
}

HostArray::~HostArray() {
    if (address_) driver_->host_free(address_);
}

base::Result<DeviceStream> DeviceStream::create(const Driver& driver) {
    CUstream stream = nullptr;
    if (auto done =
            driver.check(driver.stream_create(&stream, CU_STREAM_NON_BLOCKING), base::phrase("cannot make a stream"));
        !done)
        return done.error();
    return DeviceStream(driver, stream);
}

DeviceStream::~DeviceStream() {
    if (stream_) driver_->stream_destroy(stream_);
}

base::Status DeviceStream::wait_for(const DeviceEvent& event) const {
    return driver_->check(driver_->stream_wait_event(stream_, event.handle(), CU_EVENT_WAIT_DEFAULT),
                          base::phrase("cannot wait for an event"));
}

base::Status DeviceStream::copy(const Place& from, const Place& to, size_t width, size_t rows) const {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = from.address ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.srcHost = from.address, copy.srcDevice = from.device, copy.srcPitch = from.pitch;
    copy.dstMemoryType = to.address ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.dstHost = to.address, copy.dstDevice = to.device, copy.dstPitch = to.pitch;
    copy.WidthInBytes = width, copy.Height = rows;
    return driver_->check(driver_->copy_2d_async(&copy, stream_), base::phrase("cannot copy between host and GPU"));
}

base::Result<DeviceEvent> DeviceEvent::create(const Driver& driver) {
    CUevent event = nullptr;
    if (auto done = driver.check(driver.event_create(&event, CU_EVENT_DEFAULT), base::phrase("cannot make an event"));
        !done)
        return done.error();
    return DeviceEvent(driver, event);
}

DeviceEvent::~DeviceEvent() {
    if (event_) driver_->event_destroy(event_);
}

base::Status DeviceEvent::record(CUstream stream) {
    return driver_->check(driver_->event_record(event_, stream), base::phrase("cannot record an event"));
}

// Asks instead of blocking, so that a kernel that never ends does not take the worker with it.
base::Status DeviceEvent::wait(Deadline deadline) const {
    using namespace std::chrono;
    auto start = steady_clock::now();
    CUresult state = CUDA_SUCCESS;
    while ((state = driver_->event_query(event_)) == CUDA_ERROR_NOT_READY) {
        auto now = steady_clock::now();
        if (now > deadline)
            return Error{Failure::check_failed,
                         base::say("the kernel did not end within the time limit"),
                         {},
                         base::say("run `gemmscope check` on it, or choose a smaller size")};
        if (now - start > milliseconds(1)) std::this_thread::sleep_for(microseconds(50));
    }
    return driver_->check(state, base::phrase("the kernel failed"));
}

base::Result<double> DeviceEvent::ms_since(const DeviceEvent& earlier) const {
    float ms = 0;
    auto done =
        driver_->check(driver_->event_elapsed_ms(&ms, earlier.event_, event_), base::phrase("cannot read the time"));
    if (!done) return done.error();
    return static_cast<double>(ms);
}

base::Result<LoadedKernel> LoadedKernel::load(const Driver& driver, const Launch& launch) {
    auto starts_with = [&](const char* magic) {
        size_t length = std::strlen(magic);
        return launch.image.size() > length && std::memcmp(launch.image.data(), magic, length) == 0;
    };
    bool text = !launch.image.empty() && launch.image.back() == std::byte{0};
    if (!starts_with("\x7f"
                     "ELF") &&
        !text) // the driver would read past its end
        return Error{Failure::usage, base::say("{}: the image is neither machine code nor PTX", launch.kernel), {}, {}};
    CUmodule module = nullptr;
    auto done = driver.check(driver.module_load(&module, launch.image.data()),
                             base::say("{}: cannot load the machine code", launch.kernel));
    if (!done) return done.error();
    LoadedKernel kernel(driver, module);
    done = driver.check(driver.module_function(&kernel.function_, module, launch.entry.c_str()),
                        base::say("{}: cannot find {}", launch.kernel, launch.entry));
    if (!done) return done.error();
    if (launch.dynamic_shared_bytes > 0) { // beyond 48 KB a block gets more only after asking
        done = driver.check(
            driver.function_set_attribute(kernel.function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          static_cast<int>(launch.dynamic_shared_bytes)),
            base::say("{}: {} bytes of dynamic shared memory", launch.kernel, launch.dynamic_shared_bytes));
        if (!done) return done.error();
    }
    return kernel;
}

LoadedKernel::~LoadedKernel() {
    if (module_) driver_->module_unload(module_);
}

base::Status LoadedKernel::run(base::Dim3 grid, base::Dim3 block, uint32_t dynamic_shared_bytes, void** arguments,
                               CUstream stream) const {
    return driver_->check(driver_->launch_kernel(function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                 dynamic_shared_bytes, stream, arguments, nullptr),
                          base::phrase("cannot launch the kernel"));
}

base::Status LoadedKernel::run(const Launch& launch, GemmArguments& arguments) const {
    return run(launch.grid, launch.block, launch.dynamic_shared_bytes, arguments.pointers().data());
}

} // namespace gpu
