/* gemmscope
family = "first_steps"
rung = 3
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
row_alignment = 128
title = { en = "A row per block, aligned rows", zh = "每块一行，行首对齐" }
idea = { en = "The same on rows that begin at multiples of 128 bytes: what a warp reads of a row is four sectors, never five.", zh = "同一个内核，但每行都从 128 字节的整数倍处开始：一个 warp 在一行里读的恰好是四个扇区，不会是五个。" }
look = { view = "sectors", en = "A read of B at N = 100 takes 4 sectors; without aligned rows 5.", zh = "N = 100 时读 B 要 4 个扇区；行首不对齐时 5 个。" }
story = { en = """
Row k of B begins 4 k N bytes behind the first. Where N is no multiple of 8, many rows begin in the middle of a sector of 32 bytes.
The 128 bytes that a warp reads of one touch five sectors instead of four. cudaMallocPitch gives memory in which each row begins at
a multiple of some bytes, here 128. What lies between its end and the next row is padding. The kernel is called as BLAS is, with the
distances of the rows: lda, ldb and ldc. Nothing else differs from the kernel before: C has the same bits. Step to the read of B and
open Global sectors. At N = 100 every second row begins in the middle of a sector: there its full warps read five, here all read
four. Over a grid of 129 x 130 x 131 that is 371,778 sectors read instead of 422,346. Where N is a multiple of 8 both read the same
sectors. The document behind this kernel gained another fifth on a laptop's GPU of 2014. What it gains on a GPU of today has not
been measured here.
""", zh = """
B 的第 k 行比首行靠后 4 k N 字节。N 不是 8 的倍数时，许多行从某个 32 字节扇区的中间开始，一个 warp 在这样的行里读 128 字节，碰到的是五个扇区，
而不是四个。cudaMallocPitch 分配的内存让每行都从某个字节数的整数倍处开始，这里是 128；行尾到下一行之间是填充，内核的调用方式与 BLAS 相同，
另带各矩阵的行距 lda、ldb、ldc。其余与前一个内核完全一样，C 逐位相同。走到读 B 的那条指令，打开“全局扇区”看看：N = 100 时每隔一行就从扇区中间开始，
在前一个内核里，那一行中满员的 warp 各读五个扇区，这里一律读四个。129 x 130 x 131 的整个网格读 371,778 个扇区，而不是 422,346 个。
N 是 8 的倍数时，两者读的扇区一样多。原文档在 2014 年的一块笔记本 GPU 上又快了五分之一；在今天的 GPU 上能快多少，这里还没有测过。
""" }

[[parameter]]
name = "THREADS"
values = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]
initial = 128
label = { en = "threads per block", zh = "每块线程数" }
meaning = { en = "threads of a block, side by side along the row of C", zh = "每个线程块的线程数，沿 C 的一行并排" }

[[rule]]
expression = "THREADS % 32 == 0"
reason = { en = "Threads come in warps of 32; part of a warp would leave lanes idle.", zh = "线程以 32 个一组的 warp 为单位；不足一个 warp 会让 lane 闲置。" }

[[rule]]
expression = "(THREADS >= 32) && (THREADS <= 1024)"
reason = { en = "A block holds one warp (32 threads) to 1024 threads.", zh = "一个线程块容纳一个 warp（32 个线程）到 1024 个线程。" }

[launch]
block = ["THREADS", "1"]
grid = ["M", "1"]
dynamic_shared = "0"
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major. A row begins lda, ldb or ldc elements behind the
// one before it; what lies between its end and the next row is padding.
template <int THREADS>
__global__ void __launch_bounds__(THREADS)
row_per_block_pitched(int M, int N, int K, float alpha, const float* A, int lda, const float* B, int ldb, float beta, float* C, int ldc) {
    const float* a = A + (size_t)blockIdx.x * lda; // the block's row of A, one address for all lanes
    float* c = C + (size_t)blockIdx.x * ldc;       // and of C

    for (int column = threadIdx.x; column < N; column += THREADS) {
        float sum = 0;
        for (int k = 0; k < K; ++k) sum = fmaf(a[k], B[(size_t)k * ldb + column], sum);
        c[column] = beta == 0 ? alpha * sum : fmaf(beta, c[column], alpha * sum); // beta = 0: C is not read, as in BLAS
    }
}
