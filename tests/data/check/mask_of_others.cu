// The mask names eight lanes, and all 32 use it.
// grid 1 block 32
// argument u32[32] counting
// argument u32[1] zero
// finds divergent_barrier 9
// machine code finds nothing: REDUX has no mask
__global__ void k(const unsigned* in, unsigned* out) {
    unsigned v = in[threadIdx.x];
    v = __reduce_add_sync(0xff, v);
    if (threadIdx.x == 0) *out = v;
}
