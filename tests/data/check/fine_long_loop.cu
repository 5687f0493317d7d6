// Many turns before the first result, but there is an end to them.
// grid 2 block 32
// argument u32[64] zero
// argument i32 300000
// finds nothing
__global__ void k(unsigned* out, int n) {
    unsigned v = threadIdx.x;
    for (int i = 0; i < n; ++i) v = v * 1664525u + 1013904223u;
    out[blockIdx.x * 32 + threadIdx.x] = v;
}
