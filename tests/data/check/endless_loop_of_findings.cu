// Every turn of the loop is a finding, and there is no end to them.
// grid 1 block 64
// argument u32[64] zero
// finds out_of_bounds 7
// finds endless_loop 7
__global__ void k(volatile unsigned* out) {
    while (out[threadIdx.x + 1000000] == 0) {}
}
