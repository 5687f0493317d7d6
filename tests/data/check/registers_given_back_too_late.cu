// There are enough registers, but the warpgroup that gives some back waits first for the one that asks for them.
// grid 1 block 256 arch sm_90a
// argument u32[256] zero
// finds nothing
// machine code finds endless_loop 12: PTX does not say how many registers there are
__global__ void __launch_bounds__(256, 2) k(unsigned* out) {
    if (threadIdx.x >= 128) {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;" ::: "memory");
        out[threadIdx.x] = 1;
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
        asm volatile("bar.sync 1, 256;" ::: "memory");
        out[threadIdx.x] = 2;
    }
}
