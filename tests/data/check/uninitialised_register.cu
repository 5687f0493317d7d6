// grid 1 block 32
// argument u32[32] zero
// finds uninitialised_register 6 warning
__global__ void k(unsigned* out) {
    unsigned r;
    asm volatile("{ .reg .u32 never; add.u32 %0, never, 1; }" : "=r"(r));
    out[threadIdx.x] = r;
}
