/* gemmscope
function = "two_buffers"
title = { en = "Two buffers", zh = "双缓冲" }
idea = { en = "Your kernel: the next tile is in flight while this one is multiplied, and one barrier per k-tile is enough.", zh = "你的内核：计算当前分块时，下一个分块已在途；每个 k 分块只需一个屏障。" }

[launch]
block = ["16", "16"]
grid = ["ceil_div(N, 64)", "ceil_div(M, 64)"]
*/

constexpr int DEPTH = 8; // k per tile

// Two elements of a tile of A and two of a tile of B, on their way from global to shared memory.
struct Parcel {
    float a[2], b[2];

    __device__ void load(const float* A, const float* B, int M, int N, int K, int row0, int column0, int first, int thread) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int row = row0 + thread / DEPTH + i * 32, k = first + thread % DEPTH;
            a[i] = row < M && k < K ? A[(size_t)row * K + k] : 0;
            const int below = first + thread / 64 + i * 4, column = column0 + thread % 64;
            b[i] = below < K && column < N ? B[(size_t)below * N + column] : 0;
        }
    }
    __device__ void store(float (&tile_a)[DEPTH][68], float (&tile_b)[DEPTH][64], int thread) const {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            tile_a[thread % DEPTH][thread / DEPTH + i * 32] = a[i];
            tile_b[thread / 64 + i * 4][thread % 64] = b[i];
        }
    }
};

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
__global__ void __launch_bounds__(256)
two_buffers(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    // TODO 1: declare room for the tiles that are multiplied, and for those that come next.
    __shared__ float a[DEPTH][68]; // [k][row]
    __shared__ float b[DEPTH][64]; // [k][column]

    const int x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
    const int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64; // the block's part of C starts here

    float sum[4][4] = {}; // rows y, y + 16, y + 32, y + 48, and columns likewise
    Parcel parcel;
    // TODO 2: what must be in shared memory before the first iteration?
    for (int first = 0; first < K; first += DEPTH) {
        // TODO 3: in each iteration, load early, store late, and keep one barrier. Where does it go, and what does it separate?
        parcel.load(A, B, M, N, K, row0, column0, first, thread);
        parcel.store(a, b, thread);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            float p[4], q[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) p[i] = a[k][y + i * 16], q[i] = b[k][x + i * 16];
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] += p[i] * q[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int row = row0 + y + i * 16, column = column0 + x + j * 16;
            if (row >= M || column >= N) continue;
            float* c = C + (size_t)row * N + column;
            *c = beta == 0 ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *c;
        }
}
