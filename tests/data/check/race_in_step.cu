// A neighbour's value is read without a __syncwarp: it works only where the lanes of a warp run in step.
// grid 1 block 32
// argument u32[32] zero
// finds shared_race 8 warning
__global__ void k(unsigned* out) {
    __shared__ unsigned s[32];
    s[threadIdx.x] = threadIdx.x * threadIdx.x;
    out[threadIdx.x] = s[31 - threadIdx.x];
}
