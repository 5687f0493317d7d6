// The last block to come does the rest of the work, whichever it is.
extern "C" __global__ void tickets(const float* in, float* out, unsigned* arrived) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x > 0) return;
    __threadfence();
    if (atomicAdd(arrived, 1u) == gridDim.x - 1)
        for (int i = 0; i < 100; ++i) out[i] += 1;
}
