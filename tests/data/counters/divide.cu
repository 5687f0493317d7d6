// A division that rounds correctly is a subroutine in machine code, with multiply-adds of its own.
extern "C" __global__ void divide(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fmaf(in[i] / in[n - 1 - i], 3.0f, 1.0f);
}
