/* gemmscope
family = "ladder"
rung = 10
provenance = "《CUDA之通用矩阵乘法：从入门到熟练！》 V3"
title = { en = "Double buffer, two blocks per SM", zh = "双缓冲，每个 SM 两个线程块" }
idea = { en = "The registers are held to 128 a thread, so that two blocks share an SM: one multiplies while the other waits at its barrier.", zh = "每线程的寄存器限制在 128 个，一个 SM 容得下两个线程块：一个等屏障时，另一个在计算。" }
look = { view = "numbers", en = "Occupancy: two blocks per SM, at 128 registers a thread.", zh = "占用率：每个 SM 两个线程块，每线程 128 个寄存器。" }
story = { en = """
The rung before needs a few registers more than 128 a thread, so an SM holds only one of its blocks. Whenever that block waits at
its barrier, nothing multiplies. Here the launch bounds ask for two blocks of 256 threads, and the compiler makes do with 128
registers. 65,536 registers are 2 x 256 x 128. The second block fills the gaps of the first. Everything that the kernel decides is a
slider now. There are nine: the tiles of the block and of the thread, SPLIT, PAD and LANES of the conflict-free rung, and BUFFERS.
Which of them pay together is no longer a thought but a search; compare the recorded speeds behind the sliders.
""", zh = """
上一级每个线程需要的寄存器略多于 128 个，所以一个 SM 只容得下一个线程块：这个块等屏障时，没有任何计算在进行。这里用 launch bounds 要求每个 SM
两个 256 线程的块，编译器便把寄存器压到 128 个：65,536 = 2 x 256 x 128。第二个块填补第一个块的空隙。内核的每个决定现在都是滑块，共九个：
块与线程的分块、无冲突那一级的 SPLIT、PAD、LANES，以及 BUFFERS。哪些取值搭配起来最好，靠的不再是推理而是搜索：看滑块后面的记录速度。
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
values = [4, 8, 16, 32, 64]
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
name = "SPLIT"
values = [1, 2, 4]
initial = 2
label = { en = "pieces per thread tile", zh = "线程分块份数" }
meaning = { en = "pieces a thread's tile is cut into, along rows and columns", zh = "线程分块沿行、列方向各切成几份" }

[[parameter]]
name = "PAD"
values = [0, 4, 8]
initial = 4
label = { en = "padding per row", zh = "每行填充" }
meaning = { en = "unused floats after each row of the transposed A tile", zh = "转置的 A 分块每行末尾不用的浮点数个数" }

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
meaning = { en = "shared buffers for the tiles", zh = "分块的共享内存缓冲个数" }

[[rule]]
expression = "BM % TM == 0"
reason = { en = "The block's rows must divide into whole thread tiles (BM a multiple of TM).", zh = "线程块的行数必须能分成整数个线程分块（BM 是 TM 的倍数）。" }

[[rule]]
expression = "BN % TN == 0"
reason = { en = "The block's columns must divide into whole thread tiles (BN a multiple of TN).", zh = "线程块的列数必须能分成整数个线程分块（BN 是 TN 的倍数）。" }

[[rule]]
expression = "(BN % 4 == 0) && (BK % 4 == 0)"
reason = { en = "Tiles are copied four floats at a time, so BN and BK must be multiples of 4.", zh = "分块每次拷贝四个浮点数，所以 BN 和 BK 必须是 4 的倍数。" }

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
expression = "(TM % SPLIT == 0) && (TN % SPLIT == 0)"
reason = { en = "A thread's tile must divide into SPLIT equal pieces each way (TM and TN multiples of SPLIT).", zh = "线程分块在两个方向上都要能等分成 SPLIT 份（TM 和 TN 是 SPLIT 的倍数）。" }

[[rule]]
expression = "PAD % 4 == 0"
reason = { en = "16-byte reads need rows that start at multiples of 16 bytes, so PAD is a multiple of 4 floats.", zh = "16 字节读取要求每行起点按 16 字节对齐，所以 PAD 是 4 个浮点数的倍数。" }

[[rule]]
expression = "(LANES == 0) || (((BM / TM) % 4 == 0) && ((BN / TN) % 8 == 0))"
reason = { en = "In zigzag a warp covers 4 x 8 thread tiles, so the block needs a multiple of 4 tile rows and of 8 tile columns.", zh = "之字形排法下一个 warp 覆盖 4 x 8 个线程分块，所以线程块的小块行数须是 4 的倍数、列数须是 8 的倍数。" }

[[rule]]
expression = "BUFFERS * (BM + PAD + BN) * BK * 4 <= 49152"
reason = { en = "All buffers of A (with its padding) and B must fit in 48 KB of shared memory.", zh = "A（含填充）与 B 的所有缓冲必须放得进 48 KB 共享内存。" }

[[rule]]
expression = "TM * TN + (BM + BN) * BK / ((BM / TM) * (BN / TN)) <= 160"
reason = { en = "A thread holds its sums and its share of the next tiles in registers; beyond about 160 values they would spill to memory.", zh = "每个线程的累加值和它那份下一分块都放在寄存器里；超过约 160 个值就会溢出到内存。" }

[[rule]]
expression = "(BUFFERS == 1) || (BUFFERS == 2)"
reason = { en = "The kernel knows one buffer or two.", zh = "该内核只支持一个或两个缓冲。" }

[[break]]
name = "early_write"
label = { en = "Write into the buffer in use", zh = "写进正在用的缓冲" }
look = { en = "The next tile is stored into the buffer that slower warps still read.", zh = "下一分块写进了较慢的 warp 还在读的缓冲。" }
finding = "shared_race"
when = "BUFFERS > 1 && K > BK"
find = 'else buffer ^= 1; '
replace = 'else buffer ^= 0; '

[[break]]
name = "no_barrier"
label = { en = "No barrier after the store", zh = "写入后不设屏障" }
look = { en = "The next tile is read while other warps still store it.", zh = "别的 warp 还在写下一分块，就已经有人在读。" }
finding = "shared_race"
when = "K > BK"
find = '            __syncthreads(); // the next tile is complete'
replace = '            // no barrier: the next tile is complete'

[[break]]
name = "no_guard"
label = { en = "No bounds check", zh = "去掉边界检查" }
look = { en = "Loads below the last row of A or B read outside the array: the finding names the lane and the address.", zh = "A 或 B 最后一行之下的读取越出数组：检查结果指出 lane 和地址。" }
finding = "out_of_bounds"
when = "M % BM != 0 || K % BK != 0"
find = '    const int inside = row < rows ? columns - column : 0; // so many elements from here on, perhaps none'
replace = '    const int inside = columns - column; // no check of the row'

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
