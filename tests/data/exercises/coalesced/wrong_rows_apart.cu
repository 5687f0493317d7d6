/* gemmscope
function = "coalesced"
title = { en = "Coalesced loads", zh = "合并访问" }
idea = { en = "Your kernel: one thread, one element of C. Which thread takes which element is yours to choose.", zh = "你的内核：一个线程算 C 的一个元素。哪个线程算哪个元素由你决定。" }

[[parameter]]
name = "BX"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256]
initial = 32
meaning = { en = "threads of a block along x", zh = "线程块 x 方向的线程数" }

[[parameter]]
name = "BY"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256]
initial = 8
meaning = { en = "threads of a block along y", zh = "线程块 y 方向的线程数" }

[[rule]]
expression = "BX * BY <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[launch]
block = ["BX", "BY"]
grid = ["ceil_div(N, BX)", "ceil_div(M, BY)"]
*/
// Lanes lie along a row of C, but each thread starts its sum at another k, so that a load of A touches 32 sectors.
// expected: step 2 rule 2, counters.global_load.sectors + counters.async_copy.sectors, line 39

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BX, int BY>
__global__ void coalesced(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    const int row = blockIdx.y * BY + threadIdx.y;
    const int column = blockIdx.x * BX + threadIdx.x;
    if (row >= M || column >= N) return;

    float sum = 0;
    for (int i = 0; i < K; ++i) {
        const int k = (i + threadIdx.x * 8) % K; // so that not all lanes want the same word
        sum += A[(size_t)row * K + k] * B[(size_t)k * N + column];
    }
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}
