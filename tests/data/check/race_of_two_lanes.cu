// Lanes of one instruction write different values to one word.
// grid 1 block 32
// argument u32[32] zero
// finds shared_race 7
__global__ void k(unsigned* out) {
    __shared__ unsigned s[16];
    s[threadIdx.x / 2] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x / 2];
}
