// As is overrun by one row, which lands in Bs: in the block's shared memory all the same.
// grid 1 block 32
// argument u32[32] zero
// finds out_of_bounds 11
__global__ void k(unsigned* out) {
    __shared__ unsigned As[4 * 32];
    __shared__ unsigned Bs[4 * 32];
    for (int row = 0; row < 4; ++row) Bs[row * 32 + threadIdx.x] = row;
    __syncthreads();
    for (int row = 0; row <= 4; ++row)
        As[row * 32 + threadIdx.x] = row + out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = As[threadIdx.x] + Bs[threadIdx.x];
}
