// Every block writes its number to the same element.
// grid 4 block 32
// argument u32[32] zero
// finds global_race 6
__global__ void k(unsigned* out) {
    out[threadIdx.x] = blockIdx.x;
}
