// Two blocks share an SM: 128 registers a thread. One warpgroup takes all that the other gives back, and gives it back in time.
// grid 2 block 256 arch sm_90a
// argument u32[512] zero
// finds nothing
__global__ void __launch_bounds__(256, 2) k(unsigned* out) {
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
        out[blockIdx.x * 256 + threadIdx.x] = 2;
        asm volatile("bar.sync 1, 128;" ::: "memory");
        asm volatile("setmaxnreg.dec.sync.aligned.u32 128;" ::: "memory");
        asm volatile("bar.sync 2, 256;" ::: "memory");
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;" ::: "memory");
        out[blockIdx.x * 256 + threadIdx.x] = 1;
        asm volatile("bar.sync 2, 256;" ::: "memory");
        asm volatile("setmaxnreg.inc.sync.aligned.u32 128;" ::: "memory");
    }
}
