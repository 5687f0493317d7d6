// Two halves of the block work on their own, each with a barrier of 64 threads.
// grid 1 block 128
// argument u32[128] zero
// finds nothing
__global__ void k(unsigned* out) {
    __shared__ unsigned s[2][64];
    const int half = threadIdx.x / 64, t = threadIdx.x % 64;
    unsigned sum = 0;
    for (int i = 0; i < 4 + half; ++i) {
        s[half][t] = t * i;
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        sum += s[half][63 - t];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    }
    out[threadIdx.x] = sum;
}
