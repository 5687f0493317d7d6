/* gemmscope
function = "wide_copies"
title = { en = "Wide copies", zh = "宽拷贝" }
idea = { en = "Your kernel: neighbouring elements are loaded and stored 16 bytes at a time.", zh = "你的内核：相邻的元素每次读写 16 字节。" }

[launch]
block = ["16", "16"]
grid = ["ceil_div(N, 64)", "ceil_div(M, 64)"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
__global__ void __launch_bounds__(256)
wide_copies(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int DEPTH = 16;
    __shared__ alignas(16) float a[64][DEPTH]; // 256 groups of four elements, one per thread
    __shared__ alignas(16) float b[DEPTH][64]; // likewise

    const int x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
    const int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64; // the block's part of C starts here

    float sum[4][4] = {}; // rows 4y to 4y + 3, columns 4x to 4x + 3
    for (int first = 0; first < K; first += DEPTH) {
        // TODO 1: copy four neighbours of A at once, where rows of A start at multiples of 16 bytes and all four are inside.
        for (int i = thread; i < 64 * DEPTH; i += 256) {
            const int r = i / DEPTH, k = i % DEPTH;
            a[r][k] = row0 + r < M && first + k < K ? A[(size_t)(row0 + r) * K + first + k] : 0;
        }
        // TODO 2: the same for B.
        for (int i = thread; i < DEPTH * 64; i += 256) {
            const int k = i / 64, c = i % 64;
            b[k][c] = first + k < K && column0 + c < N ? B[(size_t)(first + k) * N + column0 + c] : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; ++k) {
            float p[4], q[4];
            for (int i = 0; i < 4; ++i) p[i] = a[y * 4 + i][k], q[i] = b[k][x * 4 + i];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sum[i][j] += p[i] * q[j];
        }
        __syncthreads();
    }

    // TODO 3: the same for C, which is read only where beta is not 0.
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = row0 + y * 4 + i;
        if (row >= M) break;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int column = column0 + x * 4 + j;
            if (column >= N) break;
            float* c = C + (size_t)row * N + column;
            *c = beta == 0 ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *c;
        }
    }
}
