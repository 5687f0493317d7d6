/* gemmscope
family = "double"
rung = 2
operands = "f64"
provenance = "《GPU上的矩阵乘法的设计与实现》, 计算机系统应用 20 (2011)"
title = { en = "Double precision, B in registers", zh = "双精度，B 放在寄存器" }
idea = { en = "A thread owns whole columns of the tile, so nobody else needs its elements of B: they stay in its registers.", zh = "一个线程拥有分块的整列，它用到的 B 元素别人都不需要，于是留在自己的寄存器里。" }
look = { view = "numbers", en = "Only A is read from shared memory, and each read is a broadcast.", zh = "只有 A 从共享内存读取，每次都是广播。" }
story = { en = """
Shared memory is for what is shared. A thread that owns all BM rows of its columns is the only one in the block to multiply with
those columns of B. It loads them from global memory into registers, and they never see shared memory. What all threads need is A,
and they need the same element at the same time: one address for 32 lanes, a broadcast. It takes one wavefront up to 8 bytes and two
for 16, like any read of 16 bytes. A 16-byte read brings two k of a row, for 2 TN FMAs. So per FMA there is 1 / (2 TN) of a shared
read, where the tile before had one. The next two rows of B and the next tile of A are under way while this one is multiplied. The
GTX 260 of 2008 has 16 KB of shared memory. There this way reached 97 % of the peak and equalled the cuBLAS of its day.
""", zh = """
共享内存是给共享的数据用的。一个线程拥有它那几列的全部 BM 行，块内就只有它要用 B 的这几列：它把它们从全局内存读进寄存器，从不经过共享内存。
所有线程都要的是 A，而且同一时刻要同一个元素：32 个 lane 同一个地址，这是广播：不超过 8 字节时一个 wavefront，16 字节时与其他 16 字节读取一样要两个。一次 16 字节的读取带来一行的两个 k，
供 2 TN 条 FMA。于是每条 FMA 只摊到 1 / (2 TN) 次共享读取，上一种分块则是一次。计算这一块时，B 的后两行和 A 的下一块已在路上。
在 2008 年的 GTX 260（16 KB 共享内存）上，这种做法达到峰值的 97 %，与当时的 cuBLAS 持平。
""" }

[[parameter]]
name = "BM"
values = [8, 16, 32, 64]
initial = 32
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block, and of each thread", zh = "每个线程块的 C 行数，也是每个线程的行数" }

[[parameter]]
name = "BN"
values = [64, 128, 256, 512]
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [8, 16, 32]
initial = 16
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile of A", zh = "A 的每个分块的 k 长度" }

[[parameter]]
name = "TN"
values = [1, 2, 4]
initial = 2
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[rule]]
expression = "BN / TN >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[[rule]]
expression = "BM * TN <= 64"
reason = { en = "A thread has at most 255 registers and a double takes two: BM * TN sums may take half of them.", zh = "每个线程最多 255 个寄存器，一个 double 占两个：BM * TN 个累加值最多占一半。" }

[[rule]]
expression = "BM * BK <= 16 * (BN / TN)"
reason = { en = "The next tile of A waits in registers: at most 16 elements of it in each thread.", zh = "A 的下一块在寄存器里等待：每个线程最多 16 个元素。" }

[[rule]]
expression = "(2 * BM * TN + 16 * TN + 4 * BM * BK * TN / BN + 48) * (BN / TN) <= 65536"
reason = { en = "All threads of a block share the SM's 65,536 registers: fewer threads, or fewer sums each.", zh = "线程块的所有线程共用 SM 的 65,536 个寄存器：请减少线程或减少每个线程的累加值。" }

[launch]
block = ["BN / TN", "1"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BM, int BN, int BK, int TN>
__global__ void __launch_bounds__(BN / TN)
dgemm_b_in_registers(int M, int N, int K, double alpha, const double* A, const double* B, double beta, double* C) {
    constexpr int THREADS = BN / TN;
    constexpr int EACH = (BM * BK + THREADS - 1) / THREADS; // elements of A's tile that a thread copies
    constexpr int STEP = 2;                                 // rows of B in a thread's registers, and as many under way
    __shared__ __align__(16) double As[BM][BK];

    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN + threadIdx.x; // the thread's columns lie THREADS apart
    double waiting[EACH]; // of the next tile of A
    const auto load_a = [&](int k0) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int at = threadIdx.x + i * THREADS, r = row0 + at / BK, k = k0 + at % BK;
            if (BM * BK % THREADS == 0 || at < BM * BK) waiting[i] = r < M && k < K ? A[(size_t)r * K + k] : 0;
        }
    };
    const auto store_a = [&] {
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int at = threadIdx.x + i * THREADS;
            if (BM * BK % THREADS == 0 || at < BM * BK) As[at / BK][at % BK] = waiting[i];
        }
    };
    const auto load_b = [&](double (&b)[STEP][TN], int k0) {
#pragma unroll
        for (int k = 0; k < STEP; ++k)
#pragma unroll
            for (int j = 0; j < TN; ++j) {
                const int column = column0 + j * THREADS;
                b[k][j] = k0 + k < K && column < N ? B[(size_t)(k0 + k) * N + column] : 0;
            }
    };

    double sum[BM][TN] = {};
    double b[STEP][TN], next[STEP][TN];
    load_a(0);
    load_b(next, 0);
    for (int k0 = 0; k0 < K; k0 += BK) {
        store_a();
        __syncthreads(); // A's tile is complete
        load_a(k0 + BK); // arrives while this one is multiplied
#pragma unroll 1
        for (int k1 = 0; k1 < BK; k1 += STEP) {
#pragma unroll
            for (int k = 0; k < STEP; ++k)
#pragma unroll
                for (int j = 0; j < TN; ++j) b[k][j] = next[k][j];
            load_b(next, k0 + k1 + STEP);
#pragma unroll
            for (int k = 0; k < STEP; k += 2)
#pragma unroll
                for (int i = 0; i < BM; ++i) {
                    const double2 a = *reinterpret_cast<const double2*>(&As[i][k1 + k]); // the same for all threads: a broadcast
#pragma unroll
                    for (int j = 0; j < TN; ++j) sum[i][j] = fma(a.y, b[k + 1][j], fma(a.x, b[k][j], sum[i][j]));
                }
        }
        __syncthreads(); // everyone has read it: it may be overwritten
    }

#pragma unroll
    for (int i = 0; i < BM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int row = row0 + i, column = column0 + j * THREADS;
            if (row >= M || column >= N) continue;
            double* c = C + (size_t)row * N + column;
            *c = beta == 0 ? alpha * sum[i][j] : fma(beta, *c, alpha * sum[i][j]); // beta = 0: C is not read, as in BLAS
        }
}
