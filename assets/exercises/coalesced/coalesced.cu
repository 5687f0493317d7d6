/* gemmscope
function = "coalesced"
title = { en = "Coalesced loads", zh = "合并访问" }
idea = { en = "Your kernel: one thread, one element of C. Which thread takes which element is yours to choose.", zh = "你的内核：一个线程算 C 的一个元素。哪个线程算哪个元素由你决定。" }

[[parameter]]
name = "BX"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256]
initial = 16
meaning = { en = "threads of a block along x", zh = "线程块 x 方向的线程数" }

[[parameter]]
name = "BY"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256]
initial = 16
meaning = { en = "threads of a block along y", zh = "线程块 y 方向的线程数" }

[[rule]]
expression = "BX * BY <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[launch]
block = ["BX", "BY"]
grid = ["ceil_div(M, BX)", "ceil_div(N, BY)"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BX, int BY>
__global__ void coalesced(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    // TODO 1: these two lines decide which element a thread computes. Lanes of a warp differ in threadIdx.x first.
    // When they change, the grid in [launch] above must change, too.
    const int row = blockIdx.x * BX + threadIdx.x;
    const int column = blockIdx.y * BY + threadIdx.y;

    // TODO 2: at sizes that BX and BY do not divide, some threads have no element. They must access no memory.

    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[(size_t)row * K + k] * B[(size_t)k * N + column];
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}
