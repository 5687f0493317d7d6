// Eight reads a known distance apart: the first ones lie in the array, the last ones of the last warp behind it. And
// reads of a row that nobody wrote.
// grid 1 block 64
// argument u32[64] zero
// finds uninitialised_shared 15
// finds out_of_bounds 17
__global__ void k(unsigned* out) {
    __shared__ unsigned s[4 * 64 + 64];
    for (int row = 0; row < 5; ++row)
        if (row != 2) s[64 * row + threadIdx.x] = row;
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int row = 0; row < 5; ++row)
        sum += s[64 * row + (threadIdx.x ^ 1)];
#pragma unroll
    for (int n = 0; n < 8; ++n) sum += s[64 * 4 + threadIdx.x + n];
    out[threadIdx.x] = sum;
}
