/* gemmscope
function = "async_tiles"
title = { en = "Asynchronous copies", zh = "异步拷贝" }
idea = { en = "Your kernel: copies bypass registers, and tiles are in flight while another one is multiplied.", zh = "你的内核：拷贝绕过寄存器，计算一个分块时，后续分块已在途。" }
arch = "sm_80"

[[parameter]]
name = "STAGES"
values = [2, 3, 4]
initial = 3
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles in shared memory: one is multiplied, the others are in flight", zh = "共享内存中的分块数：一个在算，其余在途" }

[launch]
block = ["32", "8"]
grid = ["ceil_div(N, 32)", "ceil_div(M, 32)"]
*/
#include <cuda_pipeline.h>

constexpr int TILE = 32;

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int STAGES>
__global__ void __launch_bounds__(256)
async_tiles(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float a[STAGES][TILE][TILE]; // [stage][row][k]
    __shared__ float b[STAGES][TILE][TILE]; // [stage][k][column]

    const int x = threadIdx.x, y = threadIdx.y;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE; // the block's part of C starts here
    const int tiles = (K + TILE - 1) / TILE;

    const auto copy = [&](int tile) { // this thread's four elements of both tiles
        const int stage = tile % STAGES, first = tile * TILE;
        for (int i = 0; i < TILE; i += 8) {
            const bool in_a = row0 + y + i < M && first + x < K;
            const bool in_b = first + y + i < K && column0 + x < N;
            // TODO 1: start these copies without waiting for them: __pipeline_memcpy_async(to, from, 4, zeros).
            // The last `zeros` of the 4 bytes are set to zero, not read. Even then, `from` must point into the array.
            a[stage][y + i][x] = in_a ? A[(size_t)(row0 + y + i) * K + first + x] : 0;
            b[stage][y + i][x] = in_b ? B[(size_t)(first + y + i) * N + column0 + x] : 0;
        }
    };

    float sum[4] = {}; // rows y, y + 8, y + 16, y + 24
    // TODO 2: which tiles should be in flight before the first iteration? __pipeline_commit() closes a group of copies.
    for (int tile = 0; tile < tiles; ++tile) {
        // TODO 3: __pipeline_wait_prior(n) waits until at most n of this thread's groups are in flight. And other threads' copies?
        // TODO 4: which stage may the next tile overwrite, and from when on? One barrier per iteration is enough.
        copy(tile);
        __syncthreads();
        const int stage = tile % STAGES;
        for (int k = 0; k < TILE; ++k) {
            const float q = b[stage][k][x];
            for (int i = 0; i < 4; ++i) sum[i] += a[stage][y + i * 8][k] * q;
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; ++i) {
        const int row = row0 + y + i * 8, column = column0 + x;
        if (row >= M || column >= N) break;
        float* c = C + (size_t)row * N + column;
        *c = beta == 0 ? alpha * sum[i] : alpha * sum[i] + beta * *c;
    }
}
