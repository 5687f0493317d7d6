// A flag says that the value is there, but no fence puts the value before it.
// grid 1 block 64
// argument f32[32] zero
// argument f32 1
// finds shared_race 13
__global__ void k(float* out, float given) {
    __shared__ int ready;
    __shared__ float value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (atomicAdd(&ready, 0) == 0) {}
        const float taken = value;
        out[threadIdx.x] = taken;
    } else if (threadIdx.x == 32) {
        value = given;
        atomicExch(&ready, 1);
    }
}
