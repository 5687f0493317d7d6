// Blocks that look alike and are not: odd ones work more, and one in the middle does something of its own.
extern "C" __global__ void fooling(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = in[i];
    if (blockIdx.x & 1)
        for (int k = 1; k < 8; ++k) sum += in[(i + k * 5) % n];
    if (blockIdx.x == 13) sum *= in[threadIdx.x * 3];
    out[i] = sum;
}
