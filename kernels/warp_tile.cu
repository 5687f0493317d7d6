/* gemmscope
family = "ladder"
rung = 12
provenance = "《CUDA之通用矩阵乘法：从入门到熟练！》 part 3"
title = { en = "Warp tiles", zh = "warp 分块" }
idea = { en = "Between block and thread comes the warp: its 32 lanes own one compact tile, so that a warp reads few values of A and B.", zh = "线程块与线程之间加一层 warp：32 个 lane 合占一块紧凑的分块，于是一个 warp 只读很少的 A 和 B。" }
look = { view = "source", en = "In the machine code, .reuse stands at every FMA.", zh = "机器码里每条 FMA 都带 .reuse。" }
story = { en = """
On the rungs before the zigzag gave a warp 4 x 8 thread tiles, but their pieces lay half a block apart. Here a warp has a compact
tile of its own, WM x WN, and its lanes lie in it side by side both ways. For every k a warp reads WM + WN values and does WM times
WN FMAs: the squarer, the fewer wavefronts. Block, warp, thread: this is the hierarchy of cuBLAS and CUTLASS. Larger thread tiles
pay twice: fewer reads per FMA, and longer rows of FMAs that share a value of A. The register file delivers two operands per cycle
to an FMA that wants three. The third must be one that the FMA before has used, which the machine code marks with .reuse. Columns
are walked there and back, so that at the turn it is the value of B that is reused. Tiles are 16 deep here. With that depth the
padding of four floats no longer frees the transposing stores of A: they are 2-way bank conflicts again.
""", zh = """
前几级的之字形让一个 warp 占 4 x 8 个线程分块，但这些小块的各段分散在线程块里，相距半个块。这里 warp 有自己紧凑的分块 WM x WN，lane 在两个方向上
并排。每个 k，一个 warp 读 WM + WN 个值、做 WM 乘 WN 条 FMA：形状越接近正方形，wavefront 越少。线程块、warp、线程，正是 cuBLAS 和 CUTLASS
的层次。线程分块越大好处越多：每条 FMA 的读取更少，共用一个 A 值的 FMA 排得更长。FMA 需要三个操作数，寄存器堆每周期只供得出两个；第三个必须是
上一条 FMA 用过的，机器码里以 .reuse 标出。列方向来回走，拐弯处重用的就是 B 的值。这里分块深 16，四个浮点数的填充不足以消除转置写入 A 的冲突：
又是 2 路存储体冲突。
""" }

[[parameter]]
name = "BM"
values = [32, 64, 96, 128, 192, 256]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [32, 64, 96, 128, 192, 256]
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [4, 8, 16, 32]
initial = 16
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "WM"
values = [16, 32, 64, 128]
initial = 64
label = { en = "rows per warp", zh = "每 warp 行数" }
meaning = { en = "rows of C per warp", zh = "每个 warp 的 C 行数" }

[[parameter]]
name = "WN"
values = [16, 32, 64, 96, 128]
initial = 64
label = { en = "columns per warp", zh = "每 warp 列数" }
meaning = { en = "columns of C per warp", zh = "每个 warp 的 C 列数" }

[[parameter]]
name = "TM"
values = [1, 2, 4, 8, 16]
initial = 16
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [1, 2, 4, 8, 12, 16]
initial = 8
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[rule]]
expression = "(BM % WM == 0) && (BN % WN == 0)"
reason = { en = "The block must divide into whole warp tiles (BM a multiple of WM, BN of WN).", zh = "线程块必须能分成整数个 warp 分块（BM 是 WM 的倍数，BN 是 WN 的倍数）。" }

[[rule]]
expression = "(WM % TM == 0) && (WN % TN == 0) && (WM / TM) * (WN / TN) == 32"
reason = { en = "A warp has 32 lanes, so its tile must be 32 thread tiles (WM / TM times WN / TN = 32).", zh = "一个 warp 有 32 个 lane，所以它的分块必须正好是 32 个线程分块（WM / TM 乘 WN / TN 等于 32）。" }

[[rule]]
expression = "(BM / WM) * (BN / WN) <= 32"
reason = { en = "A block holds at most 1024 threads, 32 warps.", zh = "一个线程块最多 1024 个线程，即 32 个 warp。" }

[[rule]]
expression = "TM * TN <= 128"
reason = { en = "A thread has at most 255 registers; its TM * TN sums may take about half of them.", zh = "每个线程最多 255 个寄存器，TM * TN 个累加值最多占其中约一半。" }

[[rule]]
expression = "BM * BN <= 32768"
reason = { en = "The block's sums may take at most half of the SM's 65,536 registers.", zh = "线程块的累加值最多占 SM 65,536 个寄存器的一半。" }

[[rule]]
expression = "2 * (BM + 4 + BN) * BK * 4 <= 49152"
reason = { en = "Two buffers of A (with 4 unused floats after each row) and B must fit in 48 KB of shared memory.", zh = "A（每行末尾空 4 个浮点数）与 B 的两个缓冲必须放得进 48 KB 共享内存。" }

[[rule]]
expression = "TM * TN + 2 * (TM + TN) + (BM + BN) * BK / ((BM / WM) * (BN / WN) * 32) <= 208"
reason = { en = "A thread holds its sums, two sets of values of A and B and its share of the next tiles in registers. Beyond about 208 values they would spill.", zh = "每个线程的累加值、两组 A 与 B 的值和它那份下一分块都放在寄存器里；超过约 208 个值就会溢出到内存。" }

[[break]]
name = "early_write"
label = { en = "Write into the buffer in use", zh = "写进正在用的缓冲" }
look = { en = "The next tile is stored into the buffer that slower warps still read.", zh = "下一分块写进了较慢的 warp 还在读的缓冲。" }
finding = "shared_race"
find = '            buffer ^= 1;'
replace = '            // stay'

[[break]]
name = "early_read"
label = { en = "Read before the barrier", zh = "屏障之前就读" }
look = { en = "The first values of the next tile are read while other warps still store it.", zh = "别的 warp 还在写下一分块，就已读取它的头几个值。" }
finding = "shared_race"
find = '''
            __syncthreads();
            read_fragments(0, buffer, 0);'''
replace = '''
            read_fragments(0, buffer, 0);
            __syncthreads();'''

[launch]
block = ["(BM / WM) * (BN / WN) * 32", "1"]
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
//   block tile BM x BN           the block shares its k-slab in shared memory
//     warp tile WM x WN          a warp's 32 lanes read (WM + WN) values per k: the smaller the perimeter, the better
//       thread tile TM x TN      sums in registers, in pieces of 4 x 4: lanes side by side read side by side
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
warp_tile(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
    constexpr int LANES_ACROSS = WN / TN; // of the warp's 32 thread tiles, so many lie side by side
    constexpr int PAD = 4;
    alignas(16) __shared__ float As[2][BK][BM + PAD]; // [buffer][k][m]: transposed
    alignas(16) __shared__ float Bs[2][BK][BN];       // [buffer][k][n]

    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN; // the block's tile of C starts here
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
    const int lane_row = lane / LANES_ACROSS, lane_column = lane % LANES_ACROSS;
    constexpr int PM = TM % 4 == 0 ? 4 : TM, PN = TN % 4 == 0 ? 4 : TN; // a piece of the thread's tile
    constexpr int SM = TM / PM, SN = TN / PN; // pieces down and across

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
    float a[2][TM], b[2][TN]; // this k's values and the next's
    const auto read_fragments = [&](int to, int buffer, int k) {
        read_pieces<TM, SM, WM>(a[to], &As[buffer][k][warp_row], lane_row);
        read_pieces<TN, SN, WN>(b[to], &Bs[buffer][k][warp_column], lane_column);
    };
    float sum[TM][TN] = {};
    const auto multiply = [&](int from) {
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int step = 0; step < TN; ++step) {
                const int j = i % 2 == 0 ? step : TN - 1 - step; // there and back
                sum[i][j] = fmaf(a[from][i], b[from][j], sum[i][j]);
            }
    };

    fetch(0);
    put(0);
    __syncthreads();
    read_fragments(0, 0, 0);
    int buffer = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        const bool more = k0 + BK < K;
        if (more) fetch(k0 + BK);
#pragma unroll 1
        for (int k = 0; k < BK - 2; k += 2) {
            read_fragments(1, buffer, k + 1);
            multiply(0);
            read_fragments(0, buffer, k + 2);
            multiply(1);
        }
        read_fragments(1, buffer, BK - 1);
        multiply(0);
        if (more) {
            buffer ^= 1;
            put(buffer);
            __syncthreads();
            read_fragments(0, buffer, 0);
        }
        multiply(1);
    }
    // One piece of PN neighbours of the thread's tile after the other. Registers cannot be indexed at run time, so the
    // loop always writes the first PN sums and moves the others up; unrolled, the guards at the edges would be most of
    // the program.
    float* rest = &sum[0][0]; // the sums that are still to be written come first
#pragma unroll 1
    for (int piece = 0; piece < TM * SN; ++piece) {
        const int i = piece / SN, s = piece % SN;
        const int row = row0 + warp_row + i / PM * (WM / SM) + lane_row * PM + i % PM;
        finish<PN>(C, M, N, row, column0 + warp_column + s * (WN / SN) + lane_column * PN, alpha, rest, beta);
#pragma unroll
        for (int j = 0; j + PN < TM * TN; ++j) rest[j] = rest[j + PN];
    }
}
