// A library's product of matrices in the device's memory.
#pragma once

#include "base/result.h"

#include <cuda.h>

#include <functional>

namespace gpu {

// C = alpha A B + beta C of a problem, all row-major as in our kernels. It launches and does not wait.
using DeviceProduct = std::function<base::Status(CUdeviceptr a, CUdeviceptr b, CUdeviceptr c)>;

} // namespace gpu
