// What a kernel of the catalogue is called with on a GPU: (int M, int N, int K, float alpha, A, B, float
// beta, C, tensor maps ...).
#pragma once

#include "gpu/driver/driver.h"
#include "gpu/protocol.h"

#include <vector>

namespace gpu {

class GemmArguments {
public:
    // The tensor maps are encoded by the driver. Errors: Failure::missing, a driver that has none; boxes that
    // it refuses.
    static base::Result<GemmArguments> make(const Driver&, const Launch&, CUdeviceptr a, CUdeviceptr b,
                                            CUdeviceptr c);

    std::vector<void*>
    pointers(); // to each argument, as cuLaunchKernel takes them; valid as long as this stays where it is

private:
    GemmArguments(const Launch&, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c);
    CUdeviceptr of(char matrix) const { return matrix == 'A' ? a_ : matrix == 'B' ? b_ : c_; }

    catalog::Problem problem_;
    float alpha_, beta_;
    CUdeviceptr a_, b_, c_;
    std::vector<CUtensorMap> maps_;
};

} // namespace gpu
