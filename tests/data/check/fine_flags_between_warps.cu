// Each warp waits in a loop for the one above it, and the lanes of the last one for each other: no order is promised, but progress is.
// grid 2 block 256
// argument f32[512] zero
// finds nothing
__global__ void k(float* out) {
    __shared__ int ready[9];
    __shared__ float value;
    if (threadIdx.x < 9) ready[threadIdx.x] = 0;
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 7 && lane == 0) {
        while (atomicAdd(&ready[8], 0) == 0) {}
        __threadfence_block();
    } else if (warp == 7 && lane == 31) {
        value = blockIdx.x + 1.0f;
        __threadfence_block();
        atomicExch(&ready[8], 1);
    }
    __syncwarp();
    if (warp < 7) {
        while (atomicAdd(&ready[warp + 1], 0) == 0) {}
        __threadfence_block();
    }
    out[blockIdx.x * 256 + threadIdx.x] = value;
    __syncwarp();
    if (lane == 0) {
        __threadfence_block();
        atomicExch(&ready[warp], 1);
    }
}
