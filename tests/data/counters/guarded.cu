// A 16 x 16 tile with guards on every side, read along rows and columns; any n.
extern "C" __global__ void guarded(const float* A, const float* B, float* C, int n) {
    __shared__ float As[16][17], Bs[16][16];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        if (row < n && k0 + x < n) As[y][x] = A[row * n + k0 + x];
        else As[y][x] = 0;
        if (k0 + y < n && column < n) Bs[y][x] = B[(k0 + y) * n + column];
        else Bs[y][x] = 0;
        __syncthreads();
        const int last = min(16, n - k0);
        for (int k = 0; k < last; ++k) sum += As[y][k] * Bs[k][x];
        __syncthreads();
    }
    if (row < n && column < n) C[row * n + column] = sum;
}
