/* gemmscope
function = "outer_product"
title = { en = "Two wide reads for each k", zh = "每个 k 两次宽读取" }
idea = { en = "Your kernel: a thread reads its values of one k at once, of A as of B, and nothing collides.", zh = "你的内核：线程对每个 k 一次读齐 A、B 的值，而且没有冲突。" }

[launch]
block = ["16", "16"]
grid = ["ceil_div(N, 64)", "ceil_div(M, 64)"]
*/
// Transposed and padded by two words, and therefore read in pairs.
// expected: step 2 rule 1, 100 * 32 * counters.shared_load.instructions / (M * N * K), line 44

// Elements (r, c) to (r, c + 3) of a matrix, zeros for those outside; c is a multiple of 4.
__device__ float4 four(const float* matrix, int rows, int columns, int r, int c) {
    if (r >= rows || c >= columns) return make_float4(0, 0, 0, 0);
    const float* at = matrix + (size_t)r * columns + c;
    if (columns % 4 == 0) return *reinterpret_cast<const float4*>(at);
    return make_float4(at[0], c + 1 < columns ? at[1] : 0, c + 2 < columns ? at[2] : 0, c + 3 < columns ? at[3] : 0);
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
__global__ void __launch_bounds__(256)
outer_product(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int DEPTH = 8;
    __shared__ alignas(16) float a[DEPTH][64 + 2]; // [k][row]
    __shared__ alignas(16) float b[DEPTH][64]; // [k][column]

    const int x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
    const int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64; // the block's part of C starts here

    float sum[4][4] = {}; // rows 4y to 4y + 3, columns 4x to 4x + 3
    for (int first = 0; first < K; first += DEPTH) {
        if (thread < 128) { // half of the threads copy A, the others B, four elements each
            const int r = thread / 2, k = thread % 2 * 4;
            const float4 v = four(A, M, K, row0 + r, first + k);
            a[k][r] = v.x, a[k + 1][r] = v.y, a[k + 2][r] = v.z, a[k + 3][r] = v.w;
        } else {
            const int k = (thread - 128) / 16, c = thread % 16 * 4;
            *reinterpret_cast<float4*>(&b[k][c]) = four(B, K, N, first + k, column0 + c);
        }
        __syncthreads();
#pragma unroll 1 // one k after the other, so that no reads of different k are fused
        for (int k = 0; k < DEPTH; ++k) {
            const float4 p = make_float4(a[k][y * 4], a[k][y * 4 + 1], a[k][y * 4 + 2], a[k][y * 4 + 3]);
            const float4 q = *reinterpret_cast<const float4*>(&b[k][x * 4]);
            const float left[4] = {p.x, p.y, p.z, p.w}, right[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int row = row0 + y * 4 + i, column = column0 + x * 4 + j;
            if (row >= M || column >= N) continue;
            float* c = C + (size_t)row * N + column;
            *c = beta == 0 ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *c;
        }
}
