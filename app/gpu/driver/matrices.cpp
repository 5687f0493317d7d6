#include "gpu/driver/matrices.h"

namespace gpu {
namespace {

using base::Error;
using base::Failure;
using base::Status;
using catalog::Placement;

// CU_MEM_LOCATION_TYPE_HOST, which headers older than CUDA 12.2 lack.
constexpr CUmemLocation in_host_memory{static_cast<CUmemLocationType>(2), 0};

Status can_move_pages(const Driver& driver, CUdevice device) {
    int concurrent = 0;
    auto done =
        driver.check(driver.device_attribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, device),
                     base::phrase("cannot ask what managed memory can do"));
    if (!done || concurrent) return done;
    return Error{
        Failure::missing,
        base::say("managed memory of this GPU and driver moves as a whole, not page by page (as under Windows)"),
        {},
        base::say("take another GPU, or a kernel of the GPU's own memory, such as out_of_core")};
}

Status has_room(const Driver& driver, const Launch& launch) {
    size_t free = 0, total = 0;
    auto done = driver.check(driver.memory_info(&free, &total), base::phrase("cannot ask for the GPU's free memory"));
    if (!done) return done;
    uint64_t needed = 0;
    for (const char name : {'A', 'B', 'C'}) needed += launch.matrix(name).bytes();
    if (needed <= free) return base::Done{};
    return Error{Failure::missing,
                 base::say("the managed matrices take {:.1f} GiB, the GPU has {:.1f} GiB free",
                           static_cast<double>(needed) / 0x1p30, static_cast<double>(free) / 0x1p30),
                 {},
                 base::say("choose a smaller size; out_of_core multiplies what is larger than the GPU's memory")};
}

} // namespace

base::Result<Matrices> Matrices::allocate(const Driver& driver, const Launch& launch) {
    const bool managed = launch.placement != Placement::device;
    MovePages* move_pages = nullptr;
    CUdevice device = 0;
    if (managed) {
        auto known = driver.check(driver.context_device(&device), base::phrase("cannot ask for the GPU"));
        if (!known) return known.error();
        for (auto possible : {can_move_pages(driver, device), has_room(driver, launch)})
            if (!possible) return possible.error();
        move_pages = driver.library.function<MovePages>("cuMemPrefetchAsync_v2");
        if (!move_pages)
            return Error{Failure::missing,
                         base::say("the NVIDIA driver {} has no cuMemPrefetchAsync_v2", driver.library.path()),
                         {},
                         base::say("install the driver of CUDA 12.2 or a newer one")};
    }
    const auto make = [&](char name) {
        const size_t bytes = launch.matrix(name).bytes();
        return managed ? DeviceArray::allocate_managed(driver, bytes) : DeviceArray::allocate(driver, bytes);
    };
    auto a = make('A'), b = make('B'), c = make('C');
    for (auto* array : {&a, &b, &c})
        if (!*array) return array->error();
    return Matrices(driver, launch, device, move_pages, std::move(*a), std::move(*b), std::move(*c));
}

Status Matrices::move(const DeviceArray& array, CUmemLocation to) const {
    return driver_->check(move_pages_(array.address(), array.bytes(), to, 0, nullptr),
                          base::phrase("cannot move managed memory"));
}

Status Matrices::place() const {
    if (placement_ == Placement::device || placement_ == Placement::resident) return settle();
    for (const DeviceArray* array : {&a, &b})
        if (auto done = move(*array, in_host_memory); !done) return done;
    return move(c, reads_c_ ? in_host_memory : on_gpu_);
}

Status Matrices::prefetch() const { return placement_ == Placement::prefetch ? settle() : base::Done{}; }

Status Matrices::settle() const {
    if (placement_ == Placement::device) return base::Done{};
    for (const DeviceArray* array : {&a, &b, &c})
        if (auto done = move(*array, on_gpu_); !done) return done;
    return base::Done{};
}

} // namespace gpu
