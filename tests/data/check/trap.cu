// grid 1 block 32
// argument u32[32] zero
// argument i32 3
// finds wrong_result 6
__global__ void k(unsigned* out, int n) {
    if (n < 4) __trap();
    out[threadIdx.x] = n;
}
