/* gemmscope
function = "banks"
title = { en = "Bank conflicts", zh = "存储体冲突" }
idea = { en = "Your kernel: tiles without a bank conflict, neither where they are stored nor where they are read.", zh = "你的内核：分块的写入和读取都没有存储体冲突。" }

[[parameter]]
name = "TILE"
values = [8, 16, 32]
initial = 32
label = { en = "tile edge", zh = "分块边长" }
meaning = { en = "rows and columns of C per block; elements of k per tile", zh = "每个线程块的 C 行数与列数；每个分块的 k 长度" }

[launch]
block = ["TILE", "TILE"]
grid = ["ceil_div(N, TILE)", "ceil_div(M, TILE)"]
*/
// Lanes copy down the columns of B: no conflict, but 32 sectors.
// expected: step 3 rule 1, counters.global_load.sectors + counters.async_copy.sectors, line 35

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int TILE>
__global__ void __launch_bounds__(TILE * TILE)
banks(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float a[TILE][TILE]; // [row][k]
    __shared__ float b[TILE][TILE + 1]; // [column][k], rows 33 words apart: the same k of 32 columns lies in 32 banks

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;

    float sum = 0;
    for (int first = 0; first < K; first += TILE) {
        a[y][x] = row < M && first + x < K ? A[(size_t)row * K + first + x] : 0;

        const int n = blockIdx.x * TILE + y;
        b[y][x] = first + x < K && n < N ? B[(size_t)(first + x) * N + n] : 0;
        __syncthreads();

        for (int k = 0; k < TILE; ++k) sum += a[y][k] * b[x][k];
        __syncthreads();
    }

    if (row < M && column < N) {
        float* c = C + (size_t)row * N + column;
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}
