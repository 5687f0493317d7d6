/* gemmscope
family = "first_steps"
rung = 2
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "A row per block", zh = "每块一行" }
idea = { en = "A block computes one row of C, its threads side by side; how many threads it has decides what the caches keep.", zh = "一个线程块计算 C 的一行，线程并排；线程数决定缓存里留得住什么。" }
look = { view = "plot", en = "Speed at each THREADS: fewer threads win.", zh = "每种 THREADS 的速度：线程少的更快。" }
story = { en = """
How a first program for a GPU often looks: a block for each row, and threads that walk along it in strides. Lanes are neighbours
along the row, so reads of B coalesce and A is a broadcast. The lesson is THREADS. Blocks that run at the same time walk down the
same columns of B. What one has fetched another finds in the cache, as long as they stay together. Few threads per block keep many
blocks on an SM, and the piece of B that they share is small. The document behind this kernel saw 32 threads run three times as fast
as 1024, on a laptop's GPU of 2014. An H200 has fifty megabytes of cache: with 32 threads it reaches 4.2 TFLOPS at 4096, with any
other count 2.8 to 2.9. But at 1024, where all of B fits, 256 and more win with 5.9 against 3.3. The L1 hit rate does not tell which
wins. With 32 and 1024 threads it is 76 and 59 % at 4096, 89 and 60 % at 1024. See Parameter.
""", zh = """
初学者写的 GPU 程序常是这样：每行一个线程块，线程沿行以固定步长走。lane 沿行相邻，读 B 是合并的，读 A 是广播。要学的是 THREADS：
同时运行的线程块沿 B 的同几列往下走，只要步调一致，一个块取来的数据另一个块就能在缓存里找到；每块线程少，SM 上的块就多，共用的那片 B 也小。
原文档在 2014 年的一块笔记本 GPU 上看到 32 个线程比 1024 个快三倍。H200 有五十兆字节的缓存：4096 时 32 个线程跑出 4.2 TFLOPS，其余都是
2.8 到 2.9；而 1024 时整个 B 都放得下，256 个以上以 5.9 对 3.3 胜出。单看 L1 命中率猜不出谁赢：32 与 1024 个线程在前者是 76 % 与 59 %，在后者是 89 % 与 60 %，见“参数”图。
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

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int THREADS>
__global__ void __launch_bounds__(THREADS)
row_per_block(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    const float* a = A + (size_t)blockIdx.x * K; // the block's row of A, one address for all lanes
    float* c = C + (size_t)blockIdx.x * N;       // and of C

    for (int column = threadIdx.x; column < N; column += THREADS) {
        float sum = 0;
        for (int k = 0; k < K; ++k) sum = fmaf(a[k], B[(size_t)k * N + column], sum);
        c[column] = beta == 0 ? alpha * sum : fmaf(beta, c[column], alpha * sum); // beta = 0: C is not read, as in BLAS
    }
}
