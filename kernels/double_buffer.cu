/* gemmscope
family = "ladder"
rung = 6
provenance = "seed 000 V3"
title = { en = "Double buffer", zh = "双缓冲" }
idea = { en = "While the block multiplies one tile, the next is already on its way from global memory into a second buffer.", zh = "线程块计算当前分块时，下一个分块已在从全局内存赶往第二个缓冲的路上。" }
story = { en = """
The rung before loads a tile, waits, multiplies, waits. Here the loads of the next tile are issued before the arithmetic
of this one and land in registers; hundreds of FMAs later they are there, and are stored to the other buffer. Nobody
reads that buffer, so one barrier per tile is enough instead of two. The price is twice the shared memory and registers
for the tile in flight. With BUFFERS = 1 the loads still go first, but a second barrier must guard the only buffer.
""", zh = """
上一级是读入分块、等待、计算、再等待。这里先发出下一分块的全局读取（落在寄存器里），再算当前分块；几百条 FMA 之后数据已到，写进另一个
缓冲。没有人在读那个缓冲，所以每个分块只需一次屏障而不是两次。代价是两倍的共享内存，以及存放在途分块的寄存器。BUFFERS = 1 时读取仍然
提前，但唯一的缓冲要靠第二次屏障保护。
""" }

[[parameter]]
name = "BM"
values = [16, 32, 64, 128, 256]
initial = 128
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [16, 32, 64, 128, 256]
initial = 128
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [4, 8, 16, 32, 64]
initial = 8
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "TM"
values = [1, 2, 4, 8, 16]
initial = 8
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [1, 2, 4, 8, 16]
initial = 8
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[parameter]]
name = "SPLIT"
values = [1, 2, 4]
initial = 2
meaning = { en = "pieces a thread's tile is cut into, along rows and columns", zh = "线程小块沿行、列方向各切成几份" }

[[parameter]]
name = "PAD"
values = [0, 4, 8]
initial = 4
meaning = { en = "unused floats after each row of the transposed A tile", zh = "转置的 A 分块每行末尾不用的浮点数个数" }

[[parameter]]
name = "LANES"
values = [0, 1]
initial = 1
meaning = { en = "lanes over thread tiles: 0 along rows, 1 in zigzag over 4 x 8 tiles", zh = "lane 在线程小块上的排法：0 沿行，1 在 4 x 8 个小块上走之字形" }

[[parameter]]
name = "BUFFERS"
values = [1, 2]
initial = 2
meaning = { en = "shared buffers for the tiles", zh = "分块的共享内存缓冲个数" }

[[rule]]
expression = "BM % TM == 0"
reason = { en = "The block's rows must divide into whole thread tiles (BM a multiple of TM).", zh = "线程块的行数必须能分成整数个线程小块（BM 是 TM 的倍数）。" }

[[rule]]
expression = "BN % TN == 0"
reason = { en = "The block's columns must divide into whole thread tiles (BN a multiple of TN).", zh = "线程块的列数必须能分成整数个线程小块（BN 是 TN 的倍数）。" }

[[rule]]
expression = "(BN % 4 == 0) && (BK % 4 == 0)"
reason = { en = "Tiles are copied four floats at a time, so BN and BK must be multiples of 4.", zh = "分块每次复制四个浮点数，所以 BN 和 BK 必须是 4 的倍数。" }

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
reason = { en = "The block's sums may take at most half of the multiprocessor's 65,536 registers.", zh = "线程块的累加值最多占多处理器 65,536 个寄存器的一半。" }

[[rule]]
expression = "(TM % SPLIT == 0) && (TN % SPLIT == 0)"
reason = { en = "A thread's tile must divide into SPLIT equal pieces each way (TM and TN multiples of SPLIT).", zh = "线程小块在两个方向上都要能等分成 SPLIT 份（TM 和 TN 是 SPLIT 的倍数）。" }

[[rule]]
expression = "PAD % 4 == 0"
reason = { en = "16-byte reads need rows that start at multiples of 16 bytes, so PAD is a multiple of 4 floats.", zh = "16 字节读取要求每行起点按 16 字节对齐，所以 PAD 是 4 个浮点数的倍数。" }

[[rule]]
expression = "(LANES == 0) || (((BM / TM) % 4 == 0) && ((BN / TN) % 8 == 0))"
reason = { en = "In zigzag a warp covers 4 x 8 thread tiles, so the block needs a multiple of 4 tile rows and of 8 tile columns.", zh = "之字形排法下一个 warp 覆盖 4 x 8 个线程小块，所以线程块的小块行数须是 4 的倍数、列数须是 8 的倍数。" }

[[rule]]
expression = "BUFFERS * (BM + PAD + BN) * BK * 4 <= 49152"
reason = { en = "All buffers of A (with its padding) and B must fit in 48 KB of shared memory.", zh = "A（含填充）与 B 的所有缓冲必须放得进 48 KB 共享内存。" }

[[rule]]
expression = "TM * TN + (BM + BN) * BK / ((BM / TM) * (BN / TN)) <= 160"
reason = { en = "A thread holds its sums and its share of the next tiles in registers; beyond about 160 values they would spill to memory.", zh = "每个线程的累加值和它那份下一分块都放在寄存器里；超过约 160 个值就会溢出到内存。" }

[[rule]]
expression = "(BUFFERS == 1) || (BUFFERS == 2)"
reason = { en = "The kernel knows one buffer or two.", zh = "该内核只支持一个或两个缓冲。" }

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

// How many blocks of `threads` should fit on a multiprocessor. Two, so that one multiplies while the other waits at its
// barrier, where 65,536 / 2 / 256 = 128 registers are enough for a thread's sums and its share of the tiles.
constexpr int blocks_wanted(int threads, int sums, int tiles) {
    return threads <= 256 && sums + tiles / threads <= 72 ? 2 : 1;
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
// Time runs to the right; digits are k-tiles, | is a barrier.
//
//   one buffer    load 0  store 0 | multiply 0 | load 1  store 1 | multiply 1 | load 2 ...
//
//   two buffers   load 0  store 0 | load 1 .........  store 1 | load 2 .........  store 2 | ...
//                                    multiply 0                  multiply 1
//
// A load is issued where its word begins and has the whole multiplication to arrive; the store is what waits for it.
// Two buffers, because tile 1 is stored while slower warps still read tile 0; one barrier, because tile 2 goes into
// tile 0's buffer only after everyone has passed the barrier that ended multiply 0.
template <int BM, int BN, int BK, int TM, int TN, int SPLIT, int PAD, int LANES, int BUFFERS>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), blocks_wanted((BM / TM) * (BN / TN), TM * TN, (BM + BN) * BK))
double_buffer(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
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

    fetch(0); // the first tile has nothing to hide behind
    put(0);
    __syncthreads();

    float sum[TM][TN] = {}; // stays in registers: every index below is known when it is compiled
    int buffer = 0;         // the one that holds the current tile
    for (int k0 = 0; k0 < K; k0 += BK) {
        const bool more = k0 + BK < K; // the same for all threads, so that the barriers below are reached by all
        if (more) fetch(k0 + BK);

        // An outer product per k: TM + TN values feed TM * TN FMAs, while the loads are under way. With the initial
        // parameters 512 FMAs per thread hide them; a deeper BK hides more and costs more registers. Unrolled
        // by 4, so that the reads of the next k are under way while this one is multiplied.
#pragma unroll 4
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            read_pieces<TM, SPLIT, BM>(a, As[buffer][k], tile.x);
            read_pieces<TN, SPLIT, BN>(b, Bs[buffer][k], tile.y);
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
        if (more) {
            if (BUFFERS == 1) __syncthreads(); // everyone has read the only buffer: it may be overwritten
            else buffer ^= 1;                  // the other buffer was last read before the previous barrier
            put(buffer);
            __syncthreads(); // the next tile is complete
        }
    }

    // One piece of PN neighbours of the thread's tile after the other. Registers cannot be indexed at run time, so the
    // loop always writes the first PN sums and moves the others up; unrolled, the guards at the edges would be most of
    // the program.
    constexpr int PM = TM / SPLIT, PN = TN / SPLIT;
    float* rest = &sum[0][0]; // the sums that are still to be written come first
#pragma unroll 1
    for (int piece = 0; piece < TM * SPLIT; ++piece) {
        const int i = piece / SPLIT, s = piece % SPLIT;
        const int row = row0 + i / PM * (BM / SPLIT) + tile.x * PM + i % PM;
        finish<PN>(C, M, N, row, column0 + s * (BN / SPLIT) + tile.y * PN, alpha, rest, beta);
#pragma unroll
        for (int j = 0; j + PN < TM * TN; ++j) rest[j] = rest[j + PN];
    }
}
