// Lanes that are gone, and lanes that vote by themselves, with masks that name who takes part.
// grid 1 block 48
// argument u32[48] counting
// argument u32[48] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    const unsigned i = threadIdx.x;
    unsigned v = in[i];
    if (i >= 40) return;
    v += __shfl_xor_sync(0xffffffff, v, 1);
    const unsigned odd = __ballot_sync(0xffffffff, i % 2);
    if (i % 2) v += __popc(__ballot_sync(odd, v > 3));
    v += __any_sync(i % 32 < 8 ? 0xffu : 0xffffff00u, v > 7);
    __syncwarp(i % 32 < 16 ? 0xffffu : 0xffff0000u);
    out[i] = v;
}
