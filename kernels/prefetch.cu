/* gemmscope
family = "ladder"
rung = 11
provenance = "《深入浅出GPU优化系列：GEMM优化（二）》, on top of 《CUDA之通用矩阵乘法：从入门到熟练！》 V3"
title = { en = "Prefetch on both levels", zh = "两级预取" }
idea = { en = "Global loads of the next tile overlap this tile's arithmetic, shared loads of the next k overlap this k's FMAs: shared-memory latency is hidden, too.", zh = "下一分块的全局读取与当前分块的计算重叠，下一个 k 的共享内存读取与当前 k 的 FMA 重叠：共享内存的延迟也被掩盖。" }
look = { view = "source", en = "In the machine code, a loop of two steps of k whose reads come first.", zh = "机器码里是两步 k 的循环，读取在前。" }
story = { en = """
Two loops, and both look one step ahead. The large one goes over the tiles: global memory to registers to the other shared buffer,
as on the rung before. The small one goes over k. While the outer product of this k runs, the next one's values are on their way
from shared memory into other registers. A shared load takes some thirty cycles; TM times TN FMAs hide it. The rung before leaves
that to the compiler, which unrolls four steps and hoists the reads; here the source says it. The loop holds two steps and is not
unrolled further. In a short loop the compiler keeps the FMAs in the order they are written, and each then reuses an operand of the
one before. With BUFFERS = 1 both levels fall back to a single buffer. SPLIT and PAD are fixed: pieces of four floats, four floats
of padding.
""", zh = """
两重循环，各向前看一步。大循环走分块：全局内存到寄存器，再到另一个共享缓冲，与上一级相同。小循环走 k：计算当前 k 的外积时，下一个 k 的值正从
共享内存读进第二组寄存器。一次共享内存读取约三十个周期，TM 乘 TN 条 FMA 足以掩盖。上一级把这件事交给编译器：它展开四步并提前读取；这里由源代码
写明。循环体只含两步、不再展开：循环短，编译器就按书写顺序排列 FMA，每条都能重用上一条的一个操作数。BUFFERS = 1 时两级都退回单缓冲。
SPLIT 和 PAD 固定不变：小段四个浮点数，填充四个浮点数。
""" }

[[parameter]]
name = "BM"
values = [16, 32, 64, 128, 256]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [16, 32, 64, 128, 256]
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [4, 8, 16, 32]
initial = 8
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "TM"
values = [1, 2, 4, 8, 16]
initial = 8
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [1, 2, 4, 8, 16]
initial = 8
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[parameter]]
name = "LANES"
values = [0, 1]
initial = 1
label = { en = "order of lanes", zh = "lane 排法" }
meaning = { en = "lanes over thread tiles: 0 along rows, 1 in zigzag over 4 x 8 tiles", zh = "lane 在线程分块上的排法：0 沿行，1 在 4 x 8 个小块上走之字形" }
words = [{ en = "rows", zh = "沿行" }, { en = "zigzag", zh = "之字形" }]

[[parameter]]
name = "BUFFERS"
values = [1, 2]
initial = 2
label = { en = "buffers", zh = "缓冲个数" }
meaning = { en = "buffers on both levels, shared memory and registers", zh = "两级（共享内存与寄存器）的缓冲个数" }

[[rule]]
expression = "(BM % TM == 0) && (BN % TN == 0)"
reason = { en = "The block must divide into whole thread tiles (BM a multiple of TM, BN of TN).", zh = "线程块必须能分成整数个线程分块（BM 是 TM 的倍数，BN 是 TN 的倍数）。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[[rule]]
expression = "TM * TN <= 128"
reason = { en = "A thread has at most 255 registers; its TM * TN sums may take about half of them.", zh = "每个线程最多 255 个寄存器，TM * TN 个累加值最多占其中约一半。" }

[[rule]]
expression = "BM * BN <= 32768"
reason = { en = "The block's sums may take at most half of the SM's 65,536 registers.", zh = "线程块的累加值最多占 SM 65,536 个寄存器的一半。" }

[[rule]]
expression = "(LANES == 0) || (((BM / TM) % 4 == 0) && ((BN / TN) % 8 == 0))"
reason = { en = "In zigzag a warp covers 4 x 8 thread tiles, so the block needs a multiple of 4 tile rows and of 8 tile columns.", zh = "之字形排法下一个 warp 覆盖 4 x 8 个线程分块，所以线程块的小块行数须是 4 的倍数、列数须是 8 的倍数。" }

[[rule]]
expression = "BUFFERS * (BM + 4 + BN) * BK * 4 <= 49152"
reason = { en = "All buffers of A (with 4 unused floats after each row) and B must fit in 48 KB of shared memory.", zh = "A（每行末尾空 4 个浮点数）与 B 的所有缓冲必须放得进 48 KB 共享内存。" }

[[rule]]
expression = "TM * TN + BUFFERS * (TM + TN) + (BM + BN) * BK / ((BM / TM) * (BN / TN)) <= 208"
reason = { en = "A thread holds its sums, its sets of values of A and B and its share of the next tiles in registers. Beyond about 208 values they would spill.", zh = "每个线程的累加值、各组 A 与 B 的值和它那份下一分块都放在寄存器里；超过约 208 个值就会溢出到内存。" }

[[rule]]
expression = "(BUFFERS == 1) || (BUFFERS == 2)"
reason = { en = "The kernel knows one buffer or two.", zh = "该内核只支持一个或两个缓冲。" }

[[break]]
name = "early_read"
label = { en = "Read before the barrier", zh = "屏障之前就读" }
look = { en = "The first values of the next tile are read while other warps still store it.", zh = "别的 warp 还在写下一分块，就已读取它的头几个值。" }
finding = "shared_race"
find = '''
                __syncthreads(); // the next tile is complete
                read_values(buffer, 0);'''
replace = '''
                read_values(buffer, 0);
                __syncthreads(); // the next tile is complete'''

[[break]]
name = "early_write"
label = { en = "Write into the buffer in use", zh = "写进正在用的缓冲" }
look = { en = "The next tile is stored into the buffer that slower warps still read.", zh = "下一分块写进了较慢的 warp 还在读的缓冲。" }
finding = "shared_race"
find = '                buffer ^= 1; // the other'
replace = '                // the other'

[launch]
block = ["(BM / TM) * (BN / TN)", "1"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
dynamic_shared = "0"
*/

// Four neighbouring elements of a row of `matrix`[rows][columns], zeros for those outside. Rows start at multiples of
// 16 bytes only if `columns` is a multiple of 4; then `column`, a multiple of 4 too, has its three neighbours inside.
__device__ __forceinline__ float4 load4(const float* matrix, int rows, int columns, int row, int column) {
    const int inside = row < rows ? columns - column : 0; // so many elements from here on, perhaps none
    const float* p = matrix + (size_t)row * columns + column;
    if (inside > 0 && columns % 4 == 0) return *reinterpret_cast<const float4*>(p);
    return make_float4(inside > 0 ? p[0] : 0, inside > 1 ? p[1] : 0, inside > 2 ? p[2] : 0, inside > 3 ? p[3] : 0);
}

// COUNT neighbouring floats of shared memory, in the widest accesses that COUNT allows: 16, 8 or 4 bytes.
template <int COUNT>
__device__ __forceinline__ void read(float* to, const float* from) {
    if constexpr (COUNT % 4 == 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 4) {
            const float4 v = *reinterpret_cast<const float4*>(from + i);
            to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
        }
    } else if constexpr (COUNT % 2 == 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2) {
            const float2 v = *reinterpret_cast<const float2*>(from + i);
            to[i] = v.x, to[i + 1] = v.y;
        }
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) to[i] = from[i];
    }
}

// COUNT neighbouring sums become elements of C, four at a time where COUNT and the rows of C allow. As in BLAS, C is not
// read when beta is 0: it may hold anything, NaN included.
template <int COUNT>
__device__ __forceinline__ void finish(float* C, int M, int N, int row, int column, float alpha, const float* sum,
                                       float beta) {
    if (row >= M) return;
    float* c = C + (size_t)row * N + column;
    if (COUNT % 4 == 0 && N % 4 == 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 4) {
            if (column + i >= N) break;
            float4 v = make_float4(alpha * sum[i], alpha * sum[i + 1], alpha * sum[i + 2], alpha * sum[i + 3]);
            if (beta != 0) {
                const float4 old = *reinterpret_cast<const float4*>(c + i);
                v.x = fmaf(beta, old.x, v.x), v.y = fmaf(beta, old.y, v.y);
                v.z = fmaf(beta, old.z, v.z), v.w = fmaf(beta, old.w, v.w);
            }
            *reinterpret_cast<float4*>(c + i) = v;
        }
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (column + i >= N) break;
            c[i] = beta == 0 ? alpha * sum[i] : fmaf(beta, c[i], alpha * sum[i]);
        }
    }
}

// The thread tile (row, column), counted in tiles, that a thread of the block owns; COLUMNS tiles lie side by side.
template <int COLUMNS, int LANES>
__device__ __forceinline__ int2 thread_tile(int thread) {
    // Along rows: 16-byte reads of B by a quarter warp touch 8 neighbouring pieces, all 32 banks.
    if constexpr (LANES == 0) {
        return make_int2(thread / COLUMNS, thread % COLUMNS);
    } else {
        // Zigzag: a warp covers 4 x 8 tiles. Lanes 0 1 2 3 take (0,0) (1,0) (0,1) (1,1), and so on to the right; lanes
        // 16 to 31 the two tile rows below. Lane n shares its columns with lane n^1 and its rows with n^2, so that the
        // hardware serves twice as many lanes in one wavefront.
        constexpr int WARPS_ACROSS = COLUMNS / 8;
        const int warp = thread / 32, lane = thread % 32;
        return make_int2(warp / WARPS_ACROSS * 4 + lane / 16 * 2 + lane % 2,
                         warp % WARPS_ACROSS * 8 + lane / 2 % 8);
    }
}

// The COUNT values of one k that a thread needs of a tile's row of WIDTH, in SPLIT pieces that lie WIDTH / SPLIT apart.
// With COUNT / SPLIT = 4 a piece is one 16-byte read, and threads side by side read side by side.
template <int COUNT, int SPLIT, int WIDTH>
__device__ __forceinline__ void read_pieces(float* to, const float* row, int tile) {
    constexpr int PIECE = COUNT / SPLIT;
#pragma unroll
    for (int s = 0; s < SPLIT; ++s) read<PIECE>(to + s * PIECE, row + s * (WIDTH / SPLIT) + tile * PIECE);
}

// This thread's share of a tile of `matrix`, four floats at a time, on its way through registers. The tile's top left
// corner is (row0, column0); it is ROWS x COLUMNS, and COLUMNS a multiple of 4.
template <int ROWS, int COLUMNS, int THREADS>
struct Share {
    static constexpr int GROUPS = ROWS * COLUMNS / 4; // of four floats, in the tile
    static constexpr int EACH = (GROUPS + THREADS - 1) / THREADS;
    float4 v[EACH];

    // Calls f(i, row, column of the tile) for each group of this thread; the last round may not have work for all.
    template <class F>
    __device__ __forceinline__ static void each(F f) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int group = threadIdx.x + i * THREADS;
            if (GROUPS % THREADS == 0 || group < GROUPS) f(i, group / (COLUMNS / 4), group % (COLUMNS / 4) * 4);
        }
    }

    __device__ __forceinline__ void fetch(const float* matrix, int rows, int columns, int row0, int column0) {
        each([&](int i, int r, int c) { v[i] = load4(matrix, rows, columns, row0 + r, column0 + c); });
    }
};

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
//   large   load 0 store 0 | load 1 ................ store 1 | load 2 ................ store 2 |
//   small                    read 0  read 1  read 2 ...      | read 0  read 1  ...
//                                    mult 0  mult 1 ... mult BK-1      mult 0  ...
//
// The last multiplication of a tile comes after the barrier: it covers the first read of the next tile.
template <int BM, int BN, int BK, int TM, int TN, int LANES, int BUFFERS>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
prefetch(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
    constexpr int PIECES_M = TM % 4 == 0 ? TM / 4 : 1, PIECES_N = TN % 4 == 0 ? TN / 4 : 1; // of 4, for 16-byte reads
    constexpr int PM = TM / PIECES_M, PN = TN / PIECES_N;
    constexpr int PAD = 4; // A's transposed stores then fall into different banks
    alignas(16) __shared__ float As[BUFFERS][BK][BM + PAD]; // [buffer][k][m]: transposed
    alignas(16) __shared__ float Bs[BUFFERS][BK][BN];       // [buffer][k][n]

    const int row0 = blockIdx.y * BM; // the block's tile of C starts here
    const int column0 = blockIdx.x * BN;
    const int2 tile = thread_tile<BN / TN, LANES>(threadIdx.x);

    Share<BM, BK, THREADS> next_a;
    Share<BK, BN, THREADS> next_b;
    const auto fetch = [&](int k0) { // global memory to registers: issued here, waited for at the first use
        next_a.fetch(A, M, K, row0, k0);
        next_b.fetch(B, K, N, k0, column0);
    };
    const auto put = [&](int buffer) { // registers to shared memory, A transposed
        next_a.each([&](int i, int m, int k) {
            const float4 v = next_a.v[i];
            As[buffer][k][m] = v.x, As[buffer][k + 1][m] = v.y, As[buffer][k + 2][m] = v.z, As[buffer][k + 3][m] = v.w;
        });
        next_b.each([&](int i, int k, int n) { *reinterpret_cast<float4*>(&Bs[buffer][k][n]) = next_b.v[i]; });
    };

    float a[BUFFERS][TM], b[BUFFERS][TN]; // this k's values, and the next k's
    float sum[TM][TN] = {};
    const auto read_values = [&](int buffer, int k) {
        read_pieces<TM, PIECES_M, BM>(a[k % BUFFERS], As[buffer][k], tile.x);
        read_pieces<TN, PIECES_N, BN>(b[k % BUFFERS], Bs[buffer][k], tile.y);
    };
    const auto multiply = [&](int k) {
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; ++j) sum[i][j] = fmaf(a[k % BUFFERS][i], b[k % BUFFERS][j], sum[i][j]);
    };

    fetch(0); // the first tile has nothing to hide behind
    put(0);
    __syncthreads();
    int buffer = 0; // the one that holds the current tile
    if (BUFFERS == 2) read_values(0, 0);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) { // large
        const bool more = k0 + BK < K;   // the same for all threads, so that the barriers below are reached by all
        if (more) fetch(k0 + BK);
        if (BUFFERS == 2) {
#pragma unroll 1
            for (int k = 0; k < BK - 2; k += 2) { // small; two steps, so that the registers' numbers are known
                read_values(buffer, k + 1);
                multiply(0);
                read_values(buffer, k + 2);
                multiply(1);
            }
            read_values(buffer, BK - 1);
            multiply(0);
            if (more) {
                buffer ^= 1; // the other buffer was last read before the previous barrier
                put(buffer);
                __syncthreads(); // the next tile is complete
                read_values(buffer, 0);
            }
            multiply(1);
        } else {
#pragma unroll 2
            for (int k = 0; k < BK; ++k) {
                read_values(0, k);
                multiply(k);
            }
            if (more) {
                __syncthreads(); // everyone has read the only buffer: it may be overwritten
                put(0);
                __syncthreads();
            }
        }
    }

    // One piece of PN neighbours of the thread's tile after the other. Registers cannot be indexed at run time, so the
    // loop always writes the first PN sums and moves the others up; unrolled, the guards at the edges would be most of
    // the program.
    float* rest = &sum[0][0]; // the sums that are still to be written come first
#pragma unroll 1
    for (int piece = 0; piece < TM * PIECES_N; ++piece) {
        const int i = piece / PIECES_N, s = piece % PIECES_N;
        const int row = row0 + i / PM * (BM / PIECES_M) + tile.x * PM + i % PM;
        finish<PN>(C, M, N, row, column0 + s * (BN / PIECES_N) + tile.y * PN, alpha, rest, beta);
#pragma unroll
        for (int j = 0; j + PN < TM * TN; ++j) rest[j] = rest[j + PN];
    }
}
