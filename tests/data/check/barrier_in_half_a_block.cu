// grid 1 block 64
// argument u32[64] zero
// finds divergent_barrier 7
__global__ void k(unsigned* out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    }
    out[threadIdx.x] += 2;
}
