// The last thread reads one element past the end.
// grid 2 block 32
// argument u32[64] counting
// argument u32[64] zero
// finds out_of_bounds 8
__global__ void k(const unsigned* in, unsigned* out) {
    const unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i] + in[i + 1];
}
