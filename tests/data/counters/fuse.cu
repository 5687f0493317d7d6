// Scalar accesses to shared memory side by side, which ptxas may fuse into wider ones, and some that it cannot: another
// order, a stride, a store between, a pair that is not aligned.
extern "C" __global__ void fuse(const float* in, float* out, int n) {
    __shared__ __align__(16) float s[1024];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[4 * t + 0] = in[i];
    s[4 * t + 1] = in[i + n];
    s[4 * t + 2] = in[i + 2 * n];
    s[4 * t + 3] = in[i + 3 * n];
    __syncthreads();
    const int u = (t * 5) & 255;
    const float four = s[4 * u + 3] + s[4 * u + 1] * s[4 * u + 0] + s[4 * u + 2];
    const float two = s[2 * t + 1] - s[2 * t];
    const float odd = s[((4 * t) & 1020) + 1] * s[((4 * t) & 1020) + 2]; // 8 bytes, but not at a multiple of 8
    __syncthreads();
    s[t] = four;
    const float between = s[t] + s[t + 256];
    s[t + 256] = two;
    out[i] = four + two + odd + between + s[t + 256];
}
