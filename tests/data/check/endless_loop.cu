// grid 64 block 32
// argument u32[64] zero
// finds endless_loop 5
__global__ void k(volatile unsigned* out) {
    while (out[threadIdx.x] == 0) out[threadIdx.x + 32] = 1;
}
