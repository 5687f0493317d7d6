// Three groups of two warps, each with a barrier of its own. Number and count of the first two are computed, and ptxas packs them into
// one register. Of the third only the count is.
// grid 1 block 192
// argument u32[192] counting
// argument u32[192] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned box[192];
    const unsigned group = threadIdx.x / 64, threads = in[64];
    box[threadIdx.x] = in[threadIdx.x];
    if (group < 2) asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "r"(threads) : "memory");
    else asm volatile("bar.sync 3, %0;" ::"r"(threads) : "memory");
    out[threadIdx.x] = box[threadIdx.x ^ 32];
}
