// The sum is set to zero by one thread, and nothing makes the others wait before they add.
// grid 1 block 64
// argument u32[64] zero
// finds shared_race 9
// finds shared_race 9
__global__ void k(unsigned* out) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    atomicAdd(&sum, threadIdx.x);
    if (threadIdx.x < 32) out[threadIdx.x] = sum;
}
