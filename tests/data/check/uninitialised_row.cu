// The last row of the tile is read, but nobody has written it.
// grid 1 block 32
// argument u32[32] zero
// finds uninitialised_shared 10
__global__ void k(unsigned* out) {
    __shared__ unsigned s[4][32];
    for (int row = 0; row < 3; ++row) s[row][threadIdx.x] = row;
    __syncthreads();
    unsigned sum = 0;
    for (int row = 0; row < 4; ++row) sum += s[row][31 - threadIdx.x];
    out[threadIdx.x] = sum;
}
