// Memory from the device's heap.
// grid 1 block 32
// argument u32[32] zero
// finds unsupported 7
#include <cstdlib>
__global__ void k(unsigned* out) {
    void* p = malloc(16);
    out[threadIdx.x] = p == nullptr;
}
