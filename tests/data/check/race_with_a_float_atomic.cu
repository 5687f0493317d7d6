// The sum is set to zero by one thread, and nothing makes the others wait before they add. ptxas makes a load and a loop of each sum.
// grid 1 block 64
// argument f32[64] counting
// finds shared_race 9
// finds shared_race 9
__global__ void k(float* out) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    atomicAdd(&sum, out[threadIdx.x]);
    if (threadIdx.x < 32) out[threadIdx.x] = sum;
}
