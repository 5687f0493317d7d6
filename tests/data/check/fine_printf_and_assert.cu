// grid 1 block 32
// argument u32[32] counting
// argument i32 32
// finds nothing
#include <cassert>
#include <cstdio>
__global__ void k(unsigned* out, int n) {
    assert(threadIdx.x < n);
    const int printed = printf("%d %5.2f %s\n", threadIdx.x, 0.5 * n, "text");
    out[threadIdx.x] += printed;
}
