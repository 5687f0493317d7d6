// Integers of 64 bits, as indices are in many frameworks.
// trace: --grid 2 --block 32 --arg in:i64[60]%100000 --arg in:u64[60]%4000000000 --arg out:u64[60] --arg i64=60
// expect: add 0 1 2
#include <cstdint>

__global__ void add(const int64_t* __restrict__ a, const uint64_t* __restrict__ b, uint64_t* __restrict__ c, int64_t n) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
