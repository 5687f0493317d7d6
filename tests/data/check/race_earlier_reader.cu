// The earlier reader is not the last one: warp 0 reads, then warp 1, which writes.
// grid 1 block 64
// argument u32[64] zero
// finds shared_race 10
__global__ void k(unsigned* out) {
    __shared__ unsigned flag;
    if (threadIdx.x == 0) flag = 7;
    __syncthreads();
    out[threadIdx.x] = flag;
    if (threadIdx.x == 40) flag = 8;
}
