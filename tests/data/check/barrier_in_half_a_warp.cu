// grid 1 block 32
// argument u32[32] zero
// finds divergent_barrier 7
__global__ void k(unsigned* out) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = 1;
        __syncthreads();
    }
    out[threadIdx.x] += 2;
}
