/* gemmscope
function = "async_tiles"
title = { en = "Asynchronous copies", zh = "异步拷贝" }
idea = { en = "Your kernel: copies bypass the registers, and tiles are on their way while others are multiplied.", zh = "你的内核：拷贝绕过寄存器，计算一些分块时另一些已在途。" }
arch = "sm_80"

[[parameter]]
name = "STAGES"
values = [2, 3, 4]
initial = 3
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles in shared memory: one multiplied, the others under way", zh = "共享内存中的分块数：一个在算，其余在途" }

[launch]
block = ["32", "8"]
grid = ["ceil_div(N, 32)", "ceil_div(M, 32)"]
*/
// Four k-tiles in a turn of the loop.
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
            __pipeline_memcpy_async(&a[stage][y + i][x], in_a ? A + (size_t)(row0 + y + i) * K + first + x : A, 4, in_a ? 0 : 4);
            __pipeline_memcpy_async(&b[stage][y + i][x], in_b ? B + (size_t)(first + y + i) * N + column0 + x : B, 4, in_b ? 0 : 4);
        }
    };

    float sum[4] = {}; // rows y, y + 8, y + 16, y + 24
    for (int tile = 0; tile < STAGES - 1; ++tile) {
        if (tile < tiles) copy(tile);
        __pipeline_commit(); // one group per tile, empty behind the last
    }
#pragma unroll 4
    for (int tile = 0; tile < tiles; ++tile) {
        __pipeline_wait_prior(STAGES - 2); // my copies of this tile have arrived
        __syncthreads(); // everyone's have, and everyone has left the stage of the tile before
        if (tile + STAGES - 1 < tiles) copy(tile + STAGES - 1);
        __pipeline_commit();
        const int stage = tile % STAGES;
        for (int k = 0; k < TILE; ++k) {
            const float q = b[stage][k][x];
            for (int i = 0; i < 4; ++i) sum[i] += a[stage][y + i * 8][k] * q;
        }
    }

    for (int i = 0; i < 4; ++i) {
        const int row = row0 + y + i * 8, column = column0 + x;
        if (row >= M || column >= N) break;
        float* c = C + (size_t)row * N + column;
        *c = beta == 0 ? alpha * sum[i] : alpha * sum[i] + beta * *c;
    }
}
