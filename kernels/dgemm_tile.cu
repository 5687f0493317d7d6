/* gemmscope
family = "double"
rung = 1
operands = "f64"
provenance = "《GPU上的矩阵乘法的设计与实现》, 计算机系统应用 20 (2011)"
title = { en = "Double precision, tiles", zh = "双精度，分块" }
idea = { en = "C in registers, tiles of A and B in shared memory: what changes when an element is two banks wide.", zh = "C 放在寄存器，A、B 的分块放在共享内存：看一个元素占两个存储体时有什么不同。" }
look = { view = "numbers", en = "Four DFMAs for four shared reads.", zh = "四次共享内存读取供四条 DFMA。" }
story = { en = """
A double is 8 bytes, two banks wide, and 32 lanes want 256 bytes where shared memory gives 128 at a time. So the hardware serves an
8-byte access in two halves of 16 lanes: two wavefronts are the least, and lanes collide only within their half. A block of 512
threads copies 32 x 16 of A and 16 x 64 of B. Each thread has four sums, two rows by two columns. A is transposed on the way,
As[k][row]. 16 lanes that bring 16 k of a row store them a whole row apart. With PAD = 0 all 16 go to the same two banks, 32
wavefronts for two. One double of padding, two words, and they go to 16 different pairs. For each k a thread reads TM + TN doubles
for TM * TN FMAs. Here it is four for four, so it waits for shared memory.
""", zh = """
一个 double 有 8 字节，占两个存储体；32 个 lane 共要 256 字节，而共享内存一次只给 128 字节。所以硬件把 8 字节的访问分成两半，每半 16 个 lane：
最少也要两个 wavefront，而且只有同一半里的 lane 才会相撞。512 个线程的线程块拷贝 A 的 32 x 16 和 B 的 16 x 64；每个线程有四个累加值，两行两列。
A 在途中被转置成 As[k][row]，16 个 lane 带来一行的 16 个 k，存放时彼此相隔一整行：PAD = 0 时 16 个全落在同样的两个存储体，本来两个 wavefront 就够，
现在要 32 个。填充一个 double（两个字），它们就落在 16 对不同的存储体。每个 k 一个线程读 TM + TN 个 double，做 TM * TN 条 FMA：这里是四比四，
所以瓶颈是共享内存。
""" }

[[parameter]]
name = "BM"
values = [16, 32, 64, 128]
initial = 32
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [16, 32, 64, 128]
initial = 64
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [8, 16, 32]
initial = 16
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "TM"
values = [1, 2, 4, 8]
initial = 2
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [1, 2, 4, 8]
initial = 2
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[parameter]]
name = "PAD"
values = [0, 1, 2]
initial = 1
label = { en = "padding per row", zh = "每行填充" }
meaning = { en = "doubles that are left free after each row of As", zh = "As 每行末尾空出的 double 个数" }

[[rule]]
expression = "(BM % TM == 0) && (BN % TN == 0)"
reason = { en = "The block's tile must divide into whole thread tiles.", zh = "线程块的分块必须能分成整数个线程分块。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[[rule]]
expression = "(BM + PAD + BN) * BK * 8 <= 49152"
reason = { en = "Both tiles must fit in a block's 48 KB of static shared memory.", zh = "两个分块必须放得进线程块 48 KB 的静态共享内存。" }

[[rule]]
expression = "(2 * TM * TN + 2 * TM + 2 * TN + 40) * (BM / TM) * (BN / TN) <= 65536"
reason = { en = "A double takes two registers, and all threads of a block share the SM's 65,536: fewer threads, or smaller thread tiles.", zh = "一个 double 占两个寄存器，线程块的所有线程共用 SM 的 65,536 个：请减少线程或缩小线程分块。" }

[launch]
block = ["BN / TN", "BM / TM"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BM, int BN, int BK, int TM, int TN, int PAD>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
dgemm_tile(int M, int N, int K, double alpha, const double* A, const double* B, double beta, double* C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
    __shared__ double As[BK][BM + PAD];
    __shared__ double Bs[BK][BN];

    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN; // the block's tile of C starts here
    const int thread = threadIdx.y * (BN / TN) + threadIdx.x;
    const auto row = [](int i) { return (int)threadIdx.y + i * (BM / TM); };       // of the tile, the thread's i-th
    const auto column = [](int j) { return (int)threadIdx.x + j * (BN / TN); };    // lanes side by side: 16 of them, 128 bytes

    double sum[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        // Lanes run along rows of A and of B, so the reads coalesce. Zeros stand in for what lies outside the matrices.
        for (int i = thread; i < BM * BK; i += THREADS) {
            const int r = i / BK, k = i % BK;
            As[k][r] = row0 + r < M && k0 + k < K ? A[(size_t)(row0 + r) * K + k0 + k] : 0;
        }
        for (int i = thread; i < BK * BN; i += THREADS) {
            const int k = i / BN, c = i % BN;
            Bs[k][c] = k0 + k < K && column0 + c < N ? B[(size_t)(k0 + k) * N + column0 + c] : 0;
        }
        __syncthreads(); // the tiles are complete
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            double a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[k][row(i)]; // one address for all lanes of a row of threads: a broadcast
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][column(j)];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) sum[i][j] = fma(a[i], b[j], sum[i][j]);
        }
        __syncthreads(); // everyone has read them: they may be overwritten
    }

#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            if (row0 + row(i) >= M || column0 + column(j) >= N) continue;
            double* c = C + (size_t)(row0 + row(i)) * N + column0 + column(j);
            *c = beta == 0 ? alpha * sum[i][j] : fma(beta, *c, alpha * sum[i][j]); // beta = 0: C is not read, as in BLAS
        }
}
