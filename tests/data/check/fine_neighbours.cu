// grid 2 block 64
// argument u32[128] counting
// argument u32[128] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[64];
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[63 - threadIdx.x];
}
