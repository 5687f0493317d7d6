/* gemmscope
function = "wide_copies"
title = { en = "Wide copies", zh = "宽拷贝" }
idea = { en = "Your kernel: what lies side by side is loaded and stored 16 bytes at a time.", zh = "你的内核：相邻的元素每次读写 16 字节。" }

[launch]
block = ["16", "16"]
grid = ["ceil_div(N, 64)", "ceil_div(M, 64)"]
*/
// B is still copied word by word.
// expected: step 2 rule 1, counters.global_load.instructions, line 36

// Elements (r, c) to (r, c + 3) of a matrix, zeros for those outside.
__device__ float4 four(const float* matrix, int rows, int columns, int r, int c) {
    if (r >= rows || c >= columns) return make_float4(0, 0, 0, 0);
    const float* at = matrix + (size_t)r * columns + c;
    if (columns % 4 == 0) return *reinterpret_cast<const float4*>(at); // then all four are inside, as c is a multiple of 4
    return make_float4(at[0], c + 1 < columns ? at[1] : 0, c + 2 < columns ? at[2] : 0, c + 3 < columns ? at[3] : 0);
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
__global__ void __launch_bounds__(256)
wide_copies(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int DEPTH = 16;
    __shared__ alignas(16) float a[64][DEPTH]; // 256 groups of four, as many as threads
    __shared__ alignas(16) float b[DEPTH][64]; // likewise

    const int x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
    const int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64; // the block's part of C starts here

    float sum[4][4] = {}; // rows 4y to 4y + 3, columns 4x to 4x + 3
    for (int first = 0; first < K; first += DEPTH) {
        *reinterpret_cast<float4*>(&a[thread / 4][thread % 4 * 4]) = four(A, M, K, row0 + thread / 4, first + thread % 4 * 4);
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

#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = row0 + y * 4 + i, column = column0 + x * 4;
        if (row >= M || column >= N) break;
        float* c = C + (size_t)row * N + column;
        if (N % 4 == 0) {
            float4 v = make_float4(alpha * sum[i][0], alpha * sum[i][1], alpha * sum[i][2], alpha * sum[i][3]);
            if (beta != 0) {
                const float4 old = *reinterpret_cast<float4*>(c);
                v = make_float4(v.x + beta * old.x, v.y + beta * old.y, v.z + beta * old.z, v.w + beta * old.w);
            }
            *reinterpret_cast<float4*>(c) = v;
        } else {
            for (int j = 0; j < 4 && column + j < N; ++j) c[j] = beta == 0 ? alpha * sum[i][j] : alpha * sum[i][j] + beta * c[j];
        }
    }
}
