// How long a thread works is a matter of what it reads.
extern "C" __global__ void by_data(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    while (x > 0.25f) x -= 0.125f;
    out[i] = x;
}
