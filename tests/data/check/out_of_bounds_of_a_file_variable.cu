// Reads one element past a __constant__ array and writes one past a __device__ array, each beside another one.
// grid 1 block 16
// argument f32[16] zero
// argument i32 1
// finds out_of_bounds 12
// finds out_of_bounds 13
// machine code finds out_of_bounds 13: __constant__ variables have no bounds in their bank
__constant__ float weights[4] = {1, 2, 3, 4};
__constant__ float more[4] = {5, 6, 7, 8};
__device__ float table[16], behind[16];
__global__ void k(float* out, int beyond) {
    const float weight = weights[threadIdx.x % 4 + beyond];
    table[threadIdx.x + beyond] = weight + more[threadIdx.x % 4];
    behind[threadIdx.x] = weight;
    __syncthreads();
    out[threadIdx.x] = table[threadIdx.x] + behind[15 - threadIdx.x];
}
