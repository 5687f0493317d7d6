/* gemmscope
family = "other_ways"
rung = 5
provenance = "《GPU上的矩阵乘法的设计与实现》, 计算机系统应用 20 (2011)"
# C11 is two products of sums on both sides, each of which errs as much as the plain sum would, and two of a sum on one side, with
# half the square of that. Squares add up: three times, so errors of either sign grow by the root of three a level: 1.7, then 3.
rounding = "1 + LEVELS"
title = { en = "Strassen", zh = "Strassen 算法" }
idea = { en = "Seven products of half the size in place of eight: an eighth less arithmetic per level, more additions, more error.", zh = "用七个半尺寸的乘积代替八个：每一级少八分之一的乘法，多一些加法，误差也更大。" }
look = { view = "numbers", en = "FMAs at 1024 with LEVELS = 0 and 1: 8 to 7.", zh = "1024 时 LEVELS = 0 与 1 的 FMA 之比为 8 比 7。" }
story = { en = """
Cut A, B and C into quarters, and C is eight products of quarters. Strassen found in 1969 that seven will do, if sums of quarters
are multiplied and the products added to C with the right signs. Each of the seven can be cut again. On paper both sums and products
are matrices in memory. Here they never are. A block adds the quarters of A and B while it fetches their tiles. It keeps the product
in registers and adds it to the one or two quarters of C that it belongs to. Everything else is the kernel with warp tiles, and
LEVELS = 0 is that kernel: compare. GFLOPS count the classic 2MNK operations, so a level that cost nothing would run 8/7 as fast. It
does cost. Of fourteen operands ten are sums, so twice as much is fetched for most tiles, and C is read and written three times.
Fetched terms stay apart in registers until they are stored to shared memory. Else the additions would wait for memory before the
multiplications that should hide it. Does it pay? Measured on an H200 with these tiles, one level takes 3 % longer than none at 8192
and at 16384. The eighth that it saves goes into fetching and adding. Two take 46 % longer at 8192, since four terms of everything
in flight do not fit the registers. At 4096, 32 blocks are too few for 132 SMs. And it rounds more: a small element of C is the
difference of large products. The view of errors shows how much, level by level.
""", zh = """
把 A、B、C 各切成四块，C 就是八个小块乘积之和。Strassen 在 1969 年发现七个就够：先把小块相加再相乘，再把乘积按适当的符号加到 C 上；七个乘积又
可各自再切。教科书上这些和与乘积都是内存里的矩阵；这里它们从不落到内存：线程块在取分块时就把 A、B 的小块相加，乘积留在寄存器里，直接加到 C 的
一块或两块上。其余与 warp 分块的内核完全相同，LEVELS = 0 就是它：可以对照。GFLOPS 按经典的 2MNK 次运算计，若一级毫无代价，速度应是 8/7 倍。
但代价是有的：十四个操作数里有十个是和，多数分块要取两倍的数据，C 要读写三次。取来的各项先分别留在寄存器里，存入共享内存时才相加，
否则加法就得在本该掩盖访存的乘法之前等数据。划算吗？H200 上用这些分块实测：8192 和 16384 时一级都比不分多用 3 % 的时间，省下的八分之一
全花在读取和加法上；8192 时两级多用 46 %：四份在途数据寄存器放不下，4096 时 32 个线程块也喂不饱 132 个 SM。
舍入误差也更大：C 中的小元素成了大乘积之差。误差视图会逐级显示差多少。
""" }

[[parameter]]
name = "LEVELS"
variant = true
values = [0, 1, 2]
initial = 1
label = { en = "levels", zh = "层数" }
meaning = { en = "times that the matrices are cut into quarters: 7 products in place of 8, then 49 in place of 64", zh = "把矩阵切成四块的次数：7 个乘积代替 8 个，再切则 49 个代替 64 个" }

[[parameter]]
name = "BM"
values = [32, 64, 96, 128, 192, 256]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C, of one quarter, per block", zh = "每个线程块在 C 的一块中的行数" }

[[parameter]]
name = "BN"
values = [32, 64, 96, 128, 192, 256]
initial = 256
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C, of one quarter, per block", zh = "每个线程块在 C 的一块中的列数" }

[[parameter]]
name = "BK"
values = [4, 8, 16, 32]
initial = 8
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

[[rule]]
expression = "(LEVELS >= 0) && (LEVELS <= 2)"
reason = { en = "Matrices are cut once or twice, or not at all (LEVELS = 0).", zh = "矩阵切一次或两次，或者不切（LEVELS = 0）。" }

[launch]
block = ["(BM / WM) * (BN / WN) * 32", "1"]
grid = ["ceil_div(4 * ceil_div(N, 4 * pow(2, LEVELS)), BN)", "ceil_div(ceil_div(M, pow(2, LEVELS)), BM)"]
dynamic_shared = "0"
*/

// Strassen's seven products. Each multiplies a sum of quarters of A by a sum of quarters of B, and is added to quarters of C. Of
// each there are two at most: quarter[first] + sign * quarter[second], the first alone where sign is 0. Quarters count row by row.
struct Pair {
    signed char first, second, sign;
};
struct Product {
    Pair a, b, c;
};
__constant__ Product products[7] = {
    {{0, 3, 1}, {0, 3, 1}, {0, 3, 1}},  // (A11 + A22) (B11 + B22), added to C11 and C22
    {{2, 3, 1}, {0, 0, 0}, {2, 3, -1}}, // (A21 + A22) B11, to C21, subtracted from C22
    {{0, 0, 0}, {1, 3, -1}, {1, 3, 1}}, // A11 (B12 - B22), to C12 and C22
    {{3, 0, 0}, {2, 0, -1}, {0, 2, 1}}, // A22 (B21 - B11), to C11 and C21
    {{0, 1, 1}, {3, 0, 0}, {1, 0, -1}}, // (A11 + A12) B22, to C12, subtracted from C11
    {{2, 0, -1}, {0, 1, 1}, {3, 0, 0}}, // (A21 - A11) (B11 + B12), to C22
    {{1, 3, -1}, {2, 3, 1}, {0, 0, 0}}, // (A12 - A22) (B21 + B22), to C11
};
__constant__ signed char first_product_of[4] = {0, 2, 1, 0}; // the first that is added to a quarter of C

// A part of a matrix that is cut into quarters LEVELS times, and the sign that it has in a sum.
struct Part {
    int row = 0, column = 0, sign = 1;
};

// Product number `product` has a digit 0..6 for each level; a sum of its parts has 2^LEVELS terms, and bit l of `term` says which
// of the pair is meant at level l. `which` is &Product::a, b or c.
template <int LEVELS>
__device__ __forceinline__ Part part_of(Pair Product::*which, int product, int term) {
    Part part;
#pragma unroll
    for (int level = LEVELS - 1; level >= 0; --level) {
        const Pair pair = products[level == 1 ? product / 7 : product % 7].*which;
        const bool second = term >> level & 1;
        const int quarter = second ? pair.second : pair.first;
        part.row = 2 * part.row + quarter / 2, part.column = 2 * part.column + quarter % 2;
        if (second) part.sign *= pair.sign;
    }
    return part;
}

// Is `product` the first that is added to this part of C?
template <int LEVELS>
__device__ __forceinline__ bool is_first(int product, Part part) {
    bool first = true;
#pragma unroll
    for (int level = 0; level < LEVELS; ++level) {
        const int quarter = (part.row >> level & 1) * 2 + (part.column >> level & 1);
        first = first && (level == 1 ? product / 7 : product % 7) == first_product_of[quarter];
    }
    return first;
}

// A matrix and the size of its parts; the last ones in a row or column may be smaller, or empty.
template <class T>
struct Cut {
    T* matrix;
    int rows, columns, part_rows, part_columns;

    // Elements of the part from (row, column) to the end of the row; 0 or less: none.
    __device__ __forceinline__ int inside(Part part, int row, int column) const {
        if (row >= part_rows || part.row * part_rows + row >= rows) return 0;
        return min(part_columns - column, columns - part.column * part_columns - column);
    }
    __device__ __forceinline__ T* at(Part part, int row, int column) const {
        return matrix + (size_t)(part.row * part_rows + row) * columns + part.column * part_columns + column;
    }
};

// Four neighbouring elements of a row of a part, zeros for those outside. Rows start at multiples of 16 bytes only if the matrix
// has a multiple of 4 columns; the parts and `column` are such multiples, too, so the three neighbours are inside then.
__device__ __forceinline__ float4 load4(const Cut<const float>& from, Part part, int row, int column) {
    const int inside = from.inside(part, row, column);
    const float* p = from.at(part, row, column);
    if (inside > 0 && from.columns % 4 == 0) return *reinterpret_cast<const float4*>(p);
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

// COUNT neighbouring sums are added to elements of a part of C, four at a time where COUNT and the rows of C allow. As in BLAS,
// C is not read when beta is 0: it may hold anything, NaN included.
template <int COUNT>
__device__ __forceinline__ void finish(const Cut<float>& C, Part part, int row, int column, float alpha, const float* sum,
                                       float beta) {
    const int inside = C.inside(part, row, column);
    float* c = C.at(part, row, column);
    if (COUNT % 4 == 0 && C.columns % 4 == 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 4) {
            if (i >= inside) break;
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
            if (i >= inside) break;
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

// This thread's share of a tile of a sum of parts, four floats at a time, on its way through registers. The tile's top left
// corner is (row0, column0) of each part; it is ROWS x COLUMNS, and COLUMNS a multiple of 4. The terms stay apart until sum():
// an addition right behind the loads would wait for them, before the multiplications that they hide behind.
template <int LEVELS, int ROWS, int COLUMNS, int THREADS>
struct Share {
    static constexpr int GROUPS = ROWS * COLUMNS / 4; // of four floats, in the tile
    static constexpr int EACH = (GROUPS + THREADS - 1) / THREADS;
    static constexpr int TERMS = 1 << LEVELS;
    float4 v[TERMS][EACH];

    // Calls f(i, row, column of the tile) for each group of this thread; the last round may not have work for all.
    template <class F>
    __device__ __forceinline__ static void each(F f) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int group = threadIdx.x + i * THREADS;
            if (GROUPS % THREADS == 0 || group < GROUPS) f(i, group / (COLUMNS / 4), group % (COLUMNS / 4) * 4);
        }
    }

    __device__ __forceinline__ void fetch(const Cut<const float>& from, Pair Product::*which, int product, int row0,
                                          int column0) {
#pragma unroll
        for (int term = 0; term < TERMS; ++term) {
            const Part part = part_of<LEVELS>(which, product, term);
            if (part.sign != 0) // all lanes agree
                each([&](int i, int r, int c) { v[term][i] = load4(from, part, row0 + r, column0 + c); });
        }
    }

    __device__ __forceinline__ float4 sum(Pair Product::*which, int product, int i) const {
        float4 all = v[0][i];
#pragma unroll
        for (int term = 1; term < TERMS; ++term) {
            const int sign = part_of<LEVELS>(which, product, term).sign;
            const float4 x = v[term][i];
            if (sign != 0) { // fmaf is the same as an addition or a subtraction: the product is exact
                all.x = fmaf(sign, x.x, all.x), all.y = fmaf(sign, x.y, all.y);
                all.z = fmaf(sign, x.z, all.z), all.w = fmaf(sign, x.w, all.w);
            }
        }
        return all;
    }
};

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
// A block owns the same tile of every part of C. For one product after the other it is the kernel with warp tiles: its tiles are
// sums of parts, and what it has summed up is added to parts of C.
template <int LEVELS, int BM, int BN, int BK, int WM, int WN, int TM, int TN>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
strassen(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
    constexpr int LANES_ACROSS = WN / TN; // of the warp's 32 thread tiles, so many lie side by side
    constexpr int PAD = 4;
    constexpr int PARTS = 1 << LEVELS, PRODUCTS = LEVELS == 0 ? 1 : LEVELS == 1 ? 7 : 49;
    alignas(16) __shared__ float As[2][BK][BM + PAD]; // [buffer][k][m]: transposed
    alignas(16) __shared__ float Bs[2][BK][BN];       // [buffer][k][n]

    // Columns in multiples of 4, for accesses of 16 bytes.
    const int part_m = (M + PARTS - 1) / PARTS, part_n = (N + 4 * PARTS - 1) / (4 * PARTS) * 4,
              part_k = (K + 4 * PARTS - 1) / (4 * PARTS) * 4;
    const Cut<const float> a_parts{A, M, K, part_m, part_k}, b_parts{B, K, N, part_k, part_n};
    const Cut<float> c_parts{C, M, N, part_m, part_n};

    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN; // the block's tile of each part starts here
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
    const int lane_row = lane / LANES_ACROSS, lane_column = lane % LANES_ACROSS;
    constexpr int PM = TM % 4 == 0 ? 4 : TM, PN = TN % 4 == 0 ? 4 : TN; // a piece of the thread's tile
    constexpr int SM = TM / PM, SN = TN / PN; // pieces down and across

    Share<LEVELS, BM, BK, THREADS> next_a;
    Share<LEVELS, BK, BN, THREADS> next_b;
    float a[2][TM], b[2][TN]; // this k's values and the next's
    const auto read_fragments = [&](int to, int buffer, int k) {
        read_pieces<TM, SM, WM>(a[to], &As[buffer][k][warp_row], lane_row);
        read_pieces<TN, SN, WN>(b[to], &Bs[buffer][k][warp_column], lane_column);
    };

#pragma unroll 1
    for (int product = 0; product < PRODUCTS; ++product) {
        const auto fetch = [&](int k0) { // global memory to registers: issued here, waited for at the first use
            next_a.fetch(a_parts, &Product::a, product, row0, k0);
            next_b.fetch(b_parts, &Product::b, product, k0, column0);
        };
        const auto put = [&](int buffer) { // registers to shared memory, A transposed
            next_a.each([&](int i, int m, int k) {
                const float4 v = next_a.sum(&Product::a, product, i);
                As[buffer][k][m] = v.x, As[buffer][k + 1][m] = v.y, As[buffer][k + 2][m] = v.z, As[buffer][k + 3][m] = v.w;
            });
            next_b.each([&](int i, int k, int n) {
                *reinterpret_cast<float4*>(&Bs[buffer][k][n]) = next_b.sum(&Product::b, product, i);
            });
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
        __syncthreads(); // the last product's tiles have been read
        put(0);
        __syncthreads();
        read_fragments(0, 0, 0);
        int buffer = 0;
#pragma unroll 1
        for (int k0 = 0; k0 < part_k; k0 += BK) {
            const bool more = k0 + BK < part_k;
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
            const int column = column0 + warp_column + s * (WN / SN) + lane_column * PN;
#pragma unroll 1
            for (int term = 0; term < PARTS; ++term) {
                const Part part = part_of<LEVELS>(&Product::c, product, term);
                if (part.sign != 0)
                    finish<PN>(c_parts, part, row, column, part.sign * alpha, rest, is_first<LEVELS>(product, part) ? beta : 1);
            }
#pragma unroll
            for (int j = 0; j + PN < TM * TN; ++j) rest[j] = rest[j + PN];
        }
    }
}
