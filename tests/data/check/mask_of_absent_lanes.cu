// Half of the warp shuffles with a mask of the whole warp.
// grid 1 block 32
// argument u32[32] counting
// argument u32[32] zero
// finds divergent_barrier 10 warning
// machine code finds nothing: WARPSYNC.ALL waits for the other half until it has exited
__global__ void k(const unsigned* in, unsigned* out) {
    unsigned v = in[threadIdx.x];
    if (threadIdx.x < 16) {
        v += __shfl_down_sync(0xffffffff, v, 8);
        v *= 2;
    }
    out[threadIdx.x] = v;
}
