/* gemmscope
family = "ladder"
rung = 8
provenance = "《CUDA之通用矩阵乘法：从入门到熟练！》 V2"
title = { en = "Conflict-free", zh = "无冲突" }
idea = { en = "Thread tiles in halves, padding and lanes in zigzag: no bank conflict is left, neither of reads nor of stores.", zh = "线程分块对半拆开、填充、lane 走之字形：读写都不再有存储体冲突。" }
look = { view = "banks", en = "No excessive wavefront is left, neither of loads nor of stores.", zh = "读写都不再有多余的 wavefront。" }
story = { en = """
The rung before left two conflicts: reads of B, and the stores that transpose A. Three changes to where things lie remove them; the
arithmetic stays as it is. SPLIT cuts a thread's tile into pieces half a block apart. Eight lanes then read eight adjacent pieces of
16 bytes, which cover the 32 banks once. PAD lengthens the rows of A, so that the four rows of one store lie in different banks. It
must be a multiple of 4 floats, or 16-byte reads would be lost. Not every multiple helps: at BK = 8 only PAD = 4 is free of
conflicts, 8 is as bad as 0. LANES lays the lanes along rows or in a zigzag over 4 x 8 tiles. Then pairs of lanes read the same
words, and a read takes 2 wavefronts on average instead of 3. Move one slider at a time and look at the banks of loads and of
stores.
""", zh = """
上一级还剩两处冲突：读 B，以及转置写入 A。这里改三处数据位置把它们消除，运算不变。SPLIT 把线程分块切成相距半个块的小段：八个 lane 读八个
相邻的 16 字节小段，正好覆盖 32 个存储体各一次。PAD 加长 A 的各行，使一次写入的四行落在不同的存储体。它必须是 4 个浮点数的倍数，否则就用不了
16 字节读取；也不是每个倍数都有用：BK = 8 时只有 PAD = 4 没有冲突，8 与 0 一样糟。LANES 让 lane 沿行排列，或在 4 x 8 个小块上走之字形：
这时成对的 lane 读同样的字，一次读取平均从 3 个 wavefront 降到 2 个。每次只动一个滑块，分别看读取和写入的存储体。
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
expression = "(BM + PAD + BN) * BK * 4 <= 49152"
reason = { en = "The tiles of A (with its padding) and B must fit in 48 KB of shared memory.", zh = "A 分块（含填充）与 B 分块必须放得进 48 KB 共享内存。" }

[[break]]
name = "shared_owner"
label = { en = "Two lanes own one tile", zh = "两个 lane 管同一小块" }
look = { en = "The zigzag repeats after 4 columns instead of 8: two lanes store the same elements of C, others nobody.", zh = "之字形每 4 列而不是 8 列重复：两个 lane 写 C 的同一批元素，另一些无人写。" }
finding = "wrong_result"
find = 'lane / 2 % 8);'
replace = 'lane / 2 % 4);'

[[break]]
name = "no_second_barrier"
label = { en = "No second barrier", zh = "去掉第二个屏障" }
look = { en = "A fast warp overwrites a tile that a slow warp still reads: the finding names the store, the read and both warps.", zh = "快的 warp 覆盖了慢的 warp 还在读的分块：检查结果指出写入、读取和两个 warp。" }
finding = "shared_race"
when = "K > BK"
find = '        __syncthreads(); // everyone has read the tiles: they may be overwritten'
replace = '        // no barrier: everyone has read the tiles: they may be overwritten'

[[break]]
name = "no_first_barrier"
label = { en = "No first barrier", zh = "去掉第一个屏障" }
look = { en = "A warp multiplies before the others have stored their part of the tile.", zh = "有的 warp 在别人写完分块之前就开始计算。" }
finding = "shared_race"
find = '        __syncthreads(); // the tiles are complete'
replace = '        // no barrier: the tiles are complete'

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

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
// Where a thread's 8 x 8 elements lie in the block tile of 128 x 128 (initial parameters, SPLIT = 2):
//
//            +------ 64 ------+------ 64 ------+     Four pieces of 4 x 4. Threads side by side own pieces side by
//            |   +---+        |   +---+        |     side, so eight of them read 8 x 16 bytes of Bs in a row: all 32
//         64 |   |4x4|        |   |4x4|        |     banks, each once. With SPLIT = 1 they would own 8 columns each
//            |   +---+        |   +---+        |     and read every other 16 bytes: half of the banks, each twice.
//            +----------------+----------------+
//            |   +---+        |   +---+        |     As is transposed to [k][m], so that the 4 rows of a piece are
//         64 |   |4x4|        |   |4x4|        |     16 bytes in a row too. Its rows are BM + PAD words long: the
//            |   +---+        |   +---+        |     four stores that transpose a group go to row k, k + 1, k + 2,
//            +----------------+----------------+     k + 3; PAD moves row k + 4, of the lane next to it, 16 banks on.
template <int BM, int BN, int BK, int TM, int TN, int SPLIT, int PAD, int LANES>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
conflict_free(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
    alignas(16) __shared__ float As[BK][BM + PAD]; // [k][m]: transposed
    alignas(16) __shared__ float Bs[BK][BN];       // [k][n]

    const int row0 = blockIdx.y * BM; // the block's tile of C starts here
    const int column0 = blockIdx.x * BN;
    const int thread = threadIdx.x;
    const int2 tile = thread_tile<BN / TN, LANES>(thread);

    float sum[TM][TN] = {}; // stays in registers: every index below is known when it is compiled
    for (int k0 = 0; k0 < K; k0 += BK) {
        // Copy both tiles, each thread every THREADS-th group of four floats: 16-byte loads from global memory. Four
        // neighbours in k of A become four rows of As: four scalar stores, which PAD keeps apart in the banks.
#pragma unroll
        for (int first = 0; first < BM * BK / 4; first += THREADS) {
            const int group = first + thread, m = group / (BK / 4), k = group % (BK / 4) * 4;
            if (m >= BM) break; // the last round may be a short one
            const float4 v = load4(A, M, K, row0 + m, k0 + k);
            As[k][m] = v.x, As[k + 1][m] = v.y, As[k + 2][m] = v.z, As[k + 3][m] = v.w;
        }
#pragma unroll
        for (int first = 0; first < BK * BN / 4; first += THREADS) {
            const int group = first + thread, k = group / (BN / 4), n = group % (BN / 4) * 4;
            if (k < BK) *reinterpret_cast<float4*>(&Bs[k][n]) = load4(B, K, N, k0 + k, column0 + n);
        }
        __syncthreads(); // the tiles are complete

        // An outer product per k: TM + TN values, 16 bytes at a time and without conflicts, feed TM * TN FMAs. Unrolled
        // by 8, so that the reads of the next k are under way while this one is multiplied.
#pragma unroll 8
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            read_pieces<TM, SPLIT, BM>(a, As[k], tile.x);
            read_pieces<TN, SPLIT, BN>(b, Bs[k], tile.y);
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
        __syncthreads(); // everyone has read the tiles: they may be overwritten
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
