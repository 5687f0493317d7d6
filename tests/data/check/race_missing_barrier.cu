// The second barrier of the loop is missing: a warp writes the next values while another still reads these.
// grid 1 block 64
// argument u32[256] counting
// argument u32[64] zero
// finds shared_race 12
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[64];
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i) {
        s[threadIdx.x] = in[i * 64 + threadIdx.x];
        __syncthreads();
        sum += s[63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
