// Two blocks share an SM: 128 registers a thread. One warpgroup keeps 24 and the other asks for 240, which makes 1056 in eight warps that have 1024.
// grid 1 block 256 arch sm_90a
// argument u32[256] zero
// finds nothing
// machine code finds endless_loop 11: PTX does not say how many registers there are
__global__ void __launch_bounds__(256, 2) k(unsigned* out) {
    if (threadIdx.x >= 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;" ::: "memory");
        out[threadIdx.x] = 1;
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;" ::: "memory");
        out[threadIdx.x] = 2;
    }
}
