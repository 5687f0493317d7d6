/* gemmscope
function = "thread_tile"
title = { en = "Thread tiles", zh = "线程小块" }
idea = { en = "Your kernel: each thread computes TM x TN elements of C in registers.", zh = "你的内核：每个线程在寄存器里算 C 的 TM x TN 个元素。" }

[[parameter]]
name = "TM"
values = [1, 2, 4, 8]
initial = 4
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [1, 2, 4, 8]
initial = 4
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[launch]
block = ["16", "16"]
grid = ["ceil_div(N, 16 * TN)", "ceil_div(M, 16 * TM)"]
*/
// Each element is summed over the whole tile before the next: two shared loads for every FMA.
// expected: step 2 rule 1, 100 * 32 * counters.shared_load.instructions / (M * N * K), line 54

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int TM, int TN>
__global__ void __launch_bounds__(256)
thread_tile(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int ROWS = 16 * TM, COLUMNS = 16 * TN, DEPTH = 16; // of C per block; of k per tile
    __shared__ float a[ROWS][DEPTH];
    __shared__ float b[DEPTH][COLUMNS];

    const int x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
    const int row0 = blockIdx.y * ROWS, column0 = blockIdx.x * COLUMNS; // the block's part of C starts here

    float sum[TM][TN] = {};
    for (int first = 0; first < K; first += DEPTH) {
        for (int i = thread; i < ROWS * DEPTH; i += 256) {
            const int r = i / DEPTH, k = i % DEPTH;
            a[r][k] = row0 + r < M && first + k < K ? A[(size_t)(row0 + r) * K + first + k] : 0;
        }
        for (int i = thread; i < DEPTH * COLUMNS; i += 256) {
            const int k = i / COLUMNS, c = i % COLUMNS;
            b[k][c] = first + k < K && column0 + c < N ? B[(size_t)(first + k) * N + column0 + c] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; ++j) {
#pragma unroll 1
                for (int k = 0; k < DEPTH; ++k) sum[i][j] += a[y * TM + i][k] * b[k][x * TN + j];
            }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int row = row0 + y * TM + i, column = column0 + x * TN + j;
            if (row >= M || column >= N) continue;
            float* c = C + (size_t)row * N + column;
            *c = beta == 0 ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *c;
        }
}
