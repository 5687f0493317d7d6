// Bytes and halves: several lanes share a word, each has its own bytes.
// grid 1 block 64
// argument u32[64] counting
// argument u32[64] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned char bytes[64];
    __shared__ unsigned short halves[64];
    const int t = threadIdx.x;
    bytes[t] = in[t];
    halves[t] = in[t] * 3;
    bytes[t] += 1;
    halves[t] += bytes[t];
    __syncthreads();
    out[t] = bytes[63 - t] + halves[t ^ 1];
}
