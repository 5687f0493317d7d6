// A product in the form that most tutorials reach: tiles in plain shared arrays, scalar reads in unrolled loops. N is a multiple of 64.
extern "C" __global__ void tiles(const float* A, const float* B, float* C, int n) {
    __shared__ float As[8 * 64], Bs[8 * 64];
    const int t = threadIdx.x, row = t / 8, column = t % 8;
    A += blockIdx.y * 64 * n;
    B += blockIdx.x * 64;
    C += blockIdx.y * 64 * n + blockIdx.x * 64;
    float sum[8][8] = {}, a[8], b[8];
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = 0; i < 8; ++i) As[(t % 8) * 64 + t / 8 + 8 * i] = A[(t / 8 + 8 * i) * n + t % 8];
        for (int i = 0; i < 8; ++i) Bs[i * 64 + t] = B[i * n + t];
        __syncthreads();
        A += 8;
        B += 8 * n;
        for (int k = 0; k < 8; ++k) {
            for (int i = 0; i < 8; ++i) a[i] = As[k * 64 + row * 8 + i];
            for (int j = 0; j < 8; ++j) b[j] = Bs[k * 64 + column * 8 + j];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) C[(row * 8 + i) * n + column * 8 + j] = 0.5f * sum[i][j] + 2.0f * C[(row * 8 + i) * n + column * 8 + j];
}
