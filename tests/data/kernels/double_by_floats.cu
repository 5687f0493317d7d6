/* gemmscope
title = "Doubles that are multiplied as floats, for the tests"
operands = "f64"

[launch]
block = [16, 16]
grid = ["ceil_div(N, 16)", "ceil_div(M, 16)"]
*/
// Its sums are doubles, so each product is exact; only what it multiplies is rounded.
__global__ void double_by_floats(int M, int N, int K, double alpha, const double* A, const double* B, double beta, double* C) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N) return;
    double sum = 0;
    for (int k = 0; k < K; ++k) {
        const double a = static_cast<float>(A[static_cast<size_t>(row) * K + k]), b = static_cast<float>(B[static_cast<size_t>(k) * N + column]);
        sum = fma(a, b, sum);
    }
    C[static_cast<size_t>(row) * N + column] = alpha * sum;
}
