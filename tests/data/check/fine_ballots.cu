// Lanes find their places by votes; a vote is a meeting of the warp.
// grid 1 block 32
// argument u32[32] counting
// argument u32[32] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[32];
    const unsigned v = in[threadIdx.x];
    s[threadIdx.x] = 0;
    const unsigned odd = __ballot_sync(0xffffffff, v % 2);
    if (v % 2) s[__popc(odd & ((1u << threadIdx.x) - 1))] = v;
    const unsigned any = __any_sync(0xffffffff, v > 3);
    out[threadIdx.x] = s[31 - threadIdx.x] + any;
}
