// ptxas makes a load and a loop of compare-and-swap of each sum in floating point; the load is part of the atomic.
// grid 2 block 96
// argument f32[192] counting
// argument f32[4] zero
// finds nothing
__global__ void k(const float* in, float* out) {
    __shared__ float sum[2];
    __shared__ double precise;
    const float mine = in[blockIdx.x * 96 + threadIdx.x];
    if (threadIdx.x < 2) sum[threadIdx.x] = 0;
    if (threadIdx.x == 2) precise = 0;
    __syncthreads();
    atomicAdd(&sum[threadIdx.x % 2], mine);
    atomicAdd(&precise, static_cast<double>(mine));
    __syncthreads();
    if (threadIdx.x < 2) atomicAdd(&out[threadIdx.x], sum[threadIdx.x]);
    if (threadIdx.x == 2) atomicAdd(&out[2], static_cast<float>(precise));
}
