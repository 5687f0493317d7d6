// grid 1 block 32
// argument u32[32] zero
// finds out_of_bounds 5
__global__ void k(unsigned* out) {
    out[threadIdx.x + (1ull << 28)] = threadIdx.x;
}
