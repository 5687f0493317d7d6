// Both warps write the same words.
// grid 1 block 64
// argument u32[64] zero
// finds shared_race 7
__global__ void k(unsigned* out) {
    __shared__ unsigned s[32];
    s[threadIdx.x % 32] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x % 32];
}
