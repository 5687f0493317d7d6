/* gemmscope
family = "ladder"
rung = 2
provenance = "《CUDA之通用矩阵乘法：从入门到熟练！》 naive, blog post of 13 December 2019 (namespace wuk) v1"
title = { en = "Naive, coalesced", zh = "朴素版，合并访问" }
idea = { en = "The two thread indices swapped: the lanes of a warp run along a row, so their accesses coalesce.", zh = "交换两个线程下标：一个 warp 的 lane 沿一行排列，访存得以合并。" }
look = { view = "sectors", en = "A load of A takes 1 sector, one of B 4, all of them used.", zh = "读 A 只要 1 个扇区，读 B 要 4 个，全部用上。" }
story = { en = """
The same arithmetic as the rung before; only the roles of threadIdx.x and threadIdx.y are swapped. Now the 32 lanes of a warp lie
along a row of C. They read one element of A together, a broadcast: one sector. Of B they read 32 neighbouring elements: 128 bytes,
four sectors, all of them used. Still every FMA needs two loads, so the memory pipe is the limit.
""", zh = """
运算与上一级相同，只是 threadIdx.x 与 threadIdx.y 的角色互换。现在一个 warp 的 32 个 lane 沿 C 的一行排列：它们一起读 A 的同一个元素
（广播：一个扇区），再读 B 的 32 个相邻元素（128 字节：四个扇区，全部用上）。但每条 FMA 仍要两次读取，瓶颈在访存通路。
""" }

[[parameter]]
name = "BX"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
initial = 32
label = { en = "threads along x", zh = "x 方向线程数" }
meaning = { en = "threads of a block along x: columns of C", zh = "线程块 x 方向的线程数：C 的列" }

[[parameter]]
name = "BY"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
initial = 8
label = { en = "threads along y", zh = "y 方向线程数" }
meaning = { en = "threads of a block along y: rows of C", zh = "线程块 y 方向的线程数：C 的行" }

[[rule]]
expression = "BX * BY <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "BX * BY >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[[break]]
name = "no_guard"
label = { en = "No bounds check", zh = "去掉边界检查" }
look = { en = "Threads beyond the edge of C store outside the array: the finding names the lane and the address.", zh = "C 边界之外的线程写到了数组外面：检查结果指出 lane 和地址。" }
finding = ["out_of_bounds", "global_race"]
when = "M % BY != 0 || N % BX != 0"
find = '    if (row >= M || column >= N) return;'
replace = '    // no bounds check'

[launch]
block = ["BX", "BY"]
grid = ["ceil_div(N, BX)", "ceil_div(M, BY)"]
dynamic_shared = "0"
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY)
naive(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    // x is the fastest thread index: neighbouring lanes own neighbouring columns, which lie 4 bytes apart.
    const int row = blockIdx.y * BY + threadIdx.y;
    const int column = blockIdx.x * BX + threadIdx.x;

    // The grid is rounded up to whole blocks: threads beyond C have nothing to do.
    if (row >= M || column >= N) return;

    const float* a = A + (size_t)row * K; // a[k]:     row of A,    one address for all lanes of the row of threads
    const float* b = B + column;          // b[k * N]: column of B, neighbouring lanes read neighbouring floats
    float sum = 0;
    for (int k = 0; k < K; ++k) sum = fmaf(a[k], b[(size_t)k * N], sum);

    // As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum);
}
