/* gemmscope
family = "ladder"
rung = 7
provenance = "seed 002"
title = { en = "Prefetch on both levels", zh = "两级预取" }
idea = { en = "The next tile is loaded behind this one, and the next k's values behind this k: nobody waits for shared memory either.", zh = "下一分块藏在当前分块后面读，下一个 k 的值藏在当前 k 后面读：共享内存也不用等了。" }
story = { en = """
Two loops, and both look one step ahead. The large one goes over the tiles: global memory to registers to the other
shared buffer, as on the rung before. The small one goes over k: while the outer product of this k runs, the values of
the next are on their way from shared memory into a second set of registers. A shared load takes some thirty cycles; TY
times TX FMAs are there to hide it. The loop holds two steps and is not unrolled further: in a short loop the compiler
keeps the FMAs in the order they are written, and each then reuses one operand of the one before. With DOUBLE_BUFFER = 0
both levels fall back to a single buffer.
""", zh = """
两重循环，各向前看一步。大循环走分块：全局内存到寄存器，再到另一个共享缓冲，与上一级相同。小循环走 k：算当前 k 的外积时，下一个 k 的值正从
共享内存读进第二组寄存器。一次共享读取要三十来个周期，TY 乘 TX 条 FMA 足以把它藏住。循环体只含两步、不再展开：循环短，编译器就按书写
顺序排 FMA，每条都能重用上一条的一个操作数。DOUBLE_BUFFER = 0 时两级都退回单缓冲。
""" }

[[parameter]]
name = "BM"
values = [16, 32, 64, 128, 256]
initial = 128
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BK"
values = [4, 8, 16, 32]
initial = 8
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "BN"
values = [16, 32, 64, 128, 256]
initial = 128
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "TY"
values = [1, 2, 4, 8, 16]
initial = 8
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TX"
values = [1, 2, 4, 8, 16]
initial = 8
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[parameter]]
name = "DOUBLE_BUFFER"
values = [0, 1]
initial = 1
meaning = { en = "1: two buffers on both levels; 0: one", zh = "1：两级都用双缓冲；0：单缓冲" }

[[rule]]
expression = "(BM % TY == 0) && (BN % TX == 0)"
reason = { en = "The block must divide into whole thread tiles (BM a multiple of TY, BN of TX).", zh = "线程块必须能分成整数个线程小块（BM 是 TY 的倍数，BN 是 TX 的倍数）。" }

[[rule]]
expression = "(BM / TY) * (BN / TX) <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "(BM / TY) * (BN / TX) >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[[rule]]
expression = "TY * TX <= 128"
reason = { en = "A thread has at most 255 registers; its TY * TX sums may take about half of them.", zh = "每个线程最多 255 个寄存器，TY * TX 个累加值最多占其中约一半。" }

[[rule]]
expression = "BM * BN <= 32768"
reason = { en = "The block's sums may take at most half of the multiprocessor's 65,536 registers.", zh = "线程块的累加值最多占多处理器 65,536 个寄存器的一半。" }

[[rule]]
expression = "(1 + DOUBLE_BUFFER) * (BM + 4 + BN) * BK * 4 <= 49152"
reason = { en = "All buffers of A (with 4 unused floats after each row) and B must fit in 48 KB of shared memory.", zh = "A（每行末尾空 4 个浮点数）与 B 的所有缓冲必须放得进 48 KB 共享内存。" }

[[rule]]
expression = "TY * TX + (1 + DOUBLE_BUFFER) * (TY + TX) + (BM + BN) * BK / ((BM / TY) * (BN / TX)) <= 208"
reason = { en = "A thread holds its sums, two sets of values of A and B and its share of the next tiles in registers; beyond about 208 values they would spill to memory.", zh = "每个线程的累加值、两组 A 与 B 的值和它那份下一分块都放在寄存器里；超过约 208 个值就会溢出到内存。" }

[launch]
block = ["(BM / TY) * (BN / TX)", "1"]
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
template <int BM, int BK, int BN, int TY, int TX, int DOUBLE_BUFFER>
__global__ void __launch_bounds__((BM / TY) * (BN / TX))
prefetch(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / TY) * (BN / TX), BUFFERS = 1 + DOUBLE_BUFFER;
    constexpr int PIECES_Y = TY % 4 == 0 ? TY / 4 : 1, PIECES_X = TX % 4 == 0 ? TX / 4 : 1; // of 4, for 16-byte reads
    constexpr int PY = TY / PIECES_Y, PX = TX / PIECES_X;
    constexpr int PAD = 4; // A's transposed stores then fall into different banks
    alignas(16) __shared__ float As[BUFFERS][BK][BM + PAD]; // [buffer][k][m]: transposed
    alignas(16) __shared__ float Bs[BUFFERS][BK][BN];       // [buffer][k][n]

    const int row0 = blockIdx.y * BM; // the block's tile of C starts here
    const int column0 = blockIdx.x * BN;
    const int tile_row = threadIdx.x / (BN / TX), tile_column = threadIdx.x % (BN / TX);

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

    float a[BUFFERS][TY], b[BUFFERS][TX]; // this k's values, and the next k's
    float sum[TY][TX] = {};
    const auto read_values = [&](int buffer, int k) {
        read_pieces<TY, PIECES_Y, BM>(a[k % BUFFERS], As[buffer][k], tile_row);
        read_pieces<TX, PIECES_X, BN>(b[k % BUFFERS], Bs[buffer][k], tile_column);
    };
    const auto multiply = [&](int k) {
#pragma unroll
        for (int i = 0; i < TY; ++i)
#pragma unroll
            for (int j = 0; j < TX; ++j) sum[i][j] = fmaf(a[k % BUFFERS][i], b[k % BUFFERS][j], sum[i][j]);
    };

    fetch(0); // the first tile has nothing to hide behind
    put(0);
    __syncthreads();
    int buffer = 0; // the one that holds the current tile
    if (DOUBLE_BUFFER) read_values(0, 0);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) { // large
        const bool more = k0 + BK < K;   // the same for all threads, so that the barriers below are reached by all
        if (more) fetch(k0 + BK);
        if (DOUBLE_BUFFER) {
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

    // One piece of PX neighbours of the thread's tile after the other. Registers cannot be indexed at run time, so the
    // loop always writes the first PX sums and moves the others up; unrolled, the guards at the edges would be most of
    // the program.
    float* rest = &sum[0][0]; // the sums that are still to be written come first
#pragma unroll 1
    for (int piece = 0; piece < TY * PIECES_X; ++piece) {
        const int i = piece / PIECES_X, s = piece % PIECES_X;
        const int row = row0 + i / PY * (BM / PIECES_Y) + tile_row * PY + i % PY;
        finish<PX>(C, M, N, row, column0 + s * (BN / PIECES_X) + tile_column * PX, alpha, rest, beta);
#pragma unroll
        for (int j = 0; j + PX < TY * TX; ++j) rest[j] = rest[j + PX];
    }
}
