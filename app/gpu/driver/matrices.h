// A, B and C of a launch, where its kernel finds them.
#pragma once

#include "gpu/driver/device.h"

namespace gpu {

// In the GPU's memory or, where the launch says so, in managed memory, whose pages lie on either side and
// move. What moves pages here is done by the GPU in its order, before what is launched next, and is not
// waited for.
class Matrices {
public:
    // Errors: too little memory; of managed memory also more than the GPU has free, which the driver would
    // give, to move its pages to and fro ever after (Failure::missing); a driver that cannot move pages when
    // told to (the same).
    static base::Result<Matrices> allocate(const Driver&, const Launch&);

    // Before the clock of a launch starts: A, B and what is read of C go to where the launch is to find them.
    base::Status place() const;
    // The launch begins with this: pages that are prefetched come to the GPU.
    base::Status prefetch() const;
    // All pages are on the GPU.
    base::Status settle() const;

    DeviceArray a, b, c;

private:
    using MovePages = CUresult(CUdeviceptr, size_t bytes, CUmemLocation, unsigned flags, CUstream);
    Matrices(const Driver& driver, const Launch& launch, CUdevice device, MovePages* move_pages, DeviceArray made_a,
             DeviceArray made_b, DeviceArray made_c)
        : a(std::move(made_a)), b(std::move(made_b)), c(std::move(made_c)), driver_(&driver),
          placement_(launch.placement), reads_c_(launch.reads_c()), on_gpu_{CU_MEM_LOCATION_TYPE_DEVICE, device},
          move_pages_(move_pages) {}
    base::Status move(const DeviceArray&, CUmemLocation) const;

    const Driver* driver_;
    catalog::Placement placement_;
    bool reads_c_;
    CUmemLocation on_gpu_;
    MovePages* move_pages_; // nullptr: not managed
};

} // namespace gpu
