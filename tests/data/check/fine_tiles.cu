// A product in tiles, sizes that do not divide.
// grid 2,2 block 16,16
// argument f32[700] counting
// argument f32[700] counting
// argument f32[625] zero
// finds nothing
__global__ void k(const float* A, const float* B, float* C) {
    constexpr int n = 25, k = 28, T = 16;
    __shared__ float As[T][T], Bs[T][T + 1];
    const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < k; tile += T) {
        As[threadIdx.y][threadIdx.x] = row < n && tile + threadIdx.x < k ? A[row * k + tile + threadIdx.x] : 0;
        Bs[threadIdx.y][threadIdx.x] = column < n && tile + threadIdx.y < k ? B[(tile + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < T; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) C[row * n + column] = sum;
}
