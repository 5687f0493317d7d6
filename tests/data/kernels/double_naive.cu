/* gemmscope
title = "Doubles, for the tests"
operands = "f64"

[launch]
block = [16, 16]
grid = ["ceil_div(N, 16)", "ceil_div(M, 16)"]
*/
// One thread one element of C.
__global__ void double_naive(int M, int N, int K, double alpha, const double* A, const double* B, double beta, double* C) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N) return;
    double sum = 0;
    for (int k = 0; k < K; ++k) sum = fma(A[static_cast<size_t>(row) * K + k], B[static_cast<size_t>(k) * N + column], sum);
    double& out = C[static_cast<size_t>(row) * N + column];
    out = beta == 0 ? alpha * sum : fma(beta, out, alpha * sum);
}
