/* gemmscope
family = "ladder"
rung = 1
provenance = "blog post of 13 December 2019 (namespace wuk) v0"
title = { en = "Naive, uncoalesced", zh = "朴素版，访存不合并" }
idea = { en = "One thread, one element of C; the 32 lanes of a warp run down 32 rows.", zh = "一个线程算 C 的一个元素；一个 warp 的 32 个 lane 沿 32 行向下排列。" }
look = { view = "sectors", en = "One load of A touches 32 sectors, one for each lane.", zh = "一次读 A 触及 32 个扇区，每个 lane 一个。" }
story = { en = """
The product straight from its definition: each thread walks one row of A and one column of B. threadIdx.x selects the row, so the 32
lanes of a warp read 32 different rows of A, each in a memory sector of its own. One load instruction moves 32 sectors of 32 bytes
to use 4 bytes of each: the access is uncoalesced. The next rung swaps two indices and nothing else.
""", zh = """
直接按定义计算：每个线程走过 A 的一行和 B 的一列。行号取自 threadIdx.x，于是一个 warp 的 32 个 lane 读 A 的 32 个不同的行，
每次读取各占一个内存扇区：一条读取指令搬运 32 个 32 字节的扇区，每个扇区只用到 4 字节。下一级只交换两个下标，别的都不变。
""" }

[[parameter]]
name = "BX"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
initial = 32
label = { en = "threads along x", zh = "x 方向线程数" }
meaning = { en = "threads of a block along x: rows of C", zh = "线程块 x 方向的线程数：C 的行" }

[[parameter]]
name = "BY"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
initial = 8
label = { en = "threads along y", zh = "y 方向线程数" }
meaning = { en = "threads of a block along y: columns of C", zh = "线程块 y 方向的线程数：C 的列" }

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
when = "M % BX != 0 || N % BY != 0"
find = '    if (row >= M || column >= N) return;'
replace = '    // no bounds check'

[launch]
block = ["BX", "BY"]
grid = ["ceil_div(M, BX)", "ceil_div(N, BY)"]
dynamic_shared = "0"
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY)
naive_uncoalesced(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    // x is the fastest thread index: neighbouring lanes differ in `row`, and rows lie K (or N) floats apart.
    const int row = blockIdx.x * BX + threadIdx.x;
    const int column = blockIdx.y * BY + threadIdx.y;

    // The grid is rounded up to whole blocks: threads beyond C have nothing to do.
    if (row >= M || column >= N) return;

    const float* a = A + (size_t)row * K; // a[k]:     row of A,    lanes K floats apart
    const float* b = B + column;          // b[k * N]: column of B, one address for all lanes of the row of threads
    float sum = 0;
    for (int k = 0; k < K; ++k) sum = fmaf(a[k], b[(size_t)k * N], sum);

    // As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum);
}
