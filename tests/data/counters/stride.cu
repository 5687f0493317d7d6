// Grid-stride loops that lanes leave at different times, a halo that two lanes load, and a choice that depends on the data.
extern "C" __global__ void stride(const float* in, float* out, int n) {
    __shared__ float s[130];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i] * in[(i * 3) % n];
    s[t + 1] = sum;
    if (t < 2) s[t * 129] = in[t];
    __syncthreads();
    float left = s[t], right = s[t + 2];
    if (left > 100 + t) left = s[(t * 7) & 127] * right;
    for (int k = t & 3; k < 6; ++k) right = fmaf(right, s[(t + k) & 127], left);
    if (blockIdx.x * blockDim.x + t < n) out[blockIdx.x * blockDim.x + t] = left + right;
}
