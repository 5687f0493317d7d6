// The lanes that fail end; that the others wait for them at the barrier is no finding of its own.
// grid 1 block 64
// argument u32[64] zero
// argument i32 60
// finds wrong_result 9
#include <cassert>
__global__ void k(unsigned* out, int n) {
    const int i = threadIdx.x;
    assert(i < n);
    __syncthreads();
    out[i] = i;
}
