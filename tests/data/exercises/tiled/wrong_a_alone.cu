/* gemmscope
function = "tiled"
title = { en = "Tiles", zh = "分块" }
idea = { en = "Your kernel: a block shares what it loads, so that fewer sectors come from global memory.", zh = "你的内核：线程块共享读入的数据，减少全局内存的扇区数。" }

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
// B still comes from global memory, once for each thread.
// expected: step 2 rule 1, counters.global_load.sectors + counters.async_copy.sectors, line 35

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int TILE>
__global__ void __launch_bounds__(TILE * TILE)
tiled(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    const bool mine = row < M && column < N; // the thread has an element of C

    __shared__ float a[TILE][TILE]; // [row][k]

    float sum = 0;
    for (int first = 0; first < K; first += TILE) { // first k of the tile
        a[y][x] = row < M && first + x < K ? A[(size_t)row * K + first + x] : 0;
        __syncthreads(); // both tiles are there
        for (int k = 0; k < TILE; ++k)
            if (column < N && first + k < K) sum += a[y][k] * B[(size_t)(first + k) * N + column];
        __syncthreads(); // nobody needs them any more
    }

    if (mine) {
        float* c = C + (size_t)row * N + column;
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}
