/* gemmscope
family = "double"
rung = 3
arch = "sm_80"
operands = "f64"
tensor_cores = true
provenance = "this program"
title = { en = "Double precision, tensor cores", zh = "双精度，张量核心" }
idea = { en = "Tensor cores multiply doubles, too, as exactly as an FMA does and twice as fast; cp.async keeps them fed.", zh = "张量核心也能乘 double，和 FMA 一样精确，速度是它的两倍；cp.async 持续供数。" }
look = { view = "timeline", en = "One mma is 1,024 operations on doubles.", zh = "一条 mma 是 1,024 次 double 运算。" }
story = { en = """
A warp multiplies 16 x 4 of A with 4 x 8 of B by one instruction on sm_90. Earlier GPUs multiply 8 x 4 with 4 x 8, and this file
makes the one of two of those. Nothing is rounded away: products and sums are FP64, each step an FMA. A lane hands over elements of
A at row lane / 4, k = lane % 4. Those of B are at k = lane % 4, column lane / 4. So 16 lanes, half a warp and one phase of an
8-byte read, touch four rows of the tile, 32 bytes in each. Rows are a multiple of 128 bytes long. As they come, all four pieces lie
in the same eight banks and a read takes four times as long as it must. SWIZZLE = 1 copies 32-byte piece p of row r to p ^ (r % 4),
and the four pieces cover the 32 banks. STAGES tiles are in a ring, one multiplied, the others under way. Longer instructions exist,
up to 16 along k, but the sums take half of the registers. Only with 4 along k do the operands of two instructions fit beside them.
So the next are read while tensor cores multiply these, over the barrier between two tiles, too.
""", zh = """
一个 warp 用一条指令把 A 的 16 x 4 和 B 的 4 x 8 相乘（sm_90；更早的架构是 8 x 4 乘 4 x 8，本文件用两条拼成一条）。没有任何舍弃：乘积与累加都是 FP64，
每一步都是 FMA。lane 交出 A 的第 lane / 4 行、k = lane % 4 的元素，和 B 的 k = lane % 4、第 lane / 4 列的元素；于是 16 个 lane（半个 warp，8 字节读取的一个阶段）
碰到分块的四行，每行 32 字节。每行长度是 128 字节的倍数：按原样存放，这四段都落在同样的八个存储体里，一次读取要花应有的四倍时间。SWIZZLE = 1 在拷贝时
把第 r 行的 32 字节段 p 放到 p ^ (r % 4)，四段便铺满 32 个存储体。STAGES 个分块排成环，一个在算，其余在路上。还有 k 更长的指令，最长 16，但累加值已占去一半
寄存器：只有 k 为 4 时，两条指令的操作数才放得下，于是张量核心在算这一步时，下一步的操作数已在读取，跨过两个分块之间的屏障时也不停。
""" }

[[parameter]]
name = "BM"
values = [32, 64, 128, 256]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [32, 64, 128, 256]
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [16, 32]
initial = 16
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "WM"
values = [16, 32, 64]
initial = 64
label = { en = "rows per warp", zh = "每 warp 行数" }
meaning = { en = "rows of C per warp", zh = "每个 warp 的 C 行数" }

[[parameter]]
name = "WN"
values = [16, 32, 64]
initial = 32
label = { en = "columns per warp", zh = "每 warp 列数" }
meaning = { en = "columns of C per warp", zh = "每个 warp 的 C 列数" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4, 5]
initial = 4
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles in shared memory: one multiplied, the others under way", zh = "共享内存中的分块数：一个在算，其余在途" }

[[parameter]]
name = "SWIZZLE"
values = [0, 1]
initial = 1
label = { en = "swizzle", zh = "swizzle" }
meaning = { en = "1: the 32-byte pieces of a row change places by the row's number", zh = "1：按行号交换一行内的 32 字节小段" }
words = [{ en = "off", zh = "关" }, { en = "on", zh = "开" }]

[[rule]]
expression = "(BM % WM == 0) && (BN % WN == 0)"
reason = { en = "The block's tile must divide into whole warp tiles.", zh = "线程块的分块必须能分成整数个 warp 分块。" }

[[rule]]
expression = "(BM / WM) * (BN / WN) <= 32"
reason = { en = "A block holds at most 1024 threads, 32 warps.", zh = "一个线程块最多 1024 个线程，即 32 个 warp。" }

[[rule]]
expression = "WM * WN <= 2048"
reason = { en = "A thread has at most 255 registers; its WM * WN / 32 sums of two registers each may take half of them.", zh = "每个线程最多 255 个寄存器；WM * WN / 32 个累加值各占两个，最多占一半。" }

[[rule]]
expression = "(WM * WN / 16 + WN + 72) * 32 * (BM / WM) * (BN / WN) <= 65536"
reason = { en = "All threads of a block share the SM's 65,536 registers: fewer warps, or smaller warp tiles.", zh = "线程块的所有线程共用 SM 的 65,536 个寄存器：请减少 warp 或缩小 warp 分块。" }

[[rule]]
expression = "STAGES * (BM + BN) * BK * 8 <= 166912"
reason = { en = "All stages must fit in a block's largest shared memory, 163 KB before Hopper.", zh = "所有阶段必须放得进一个线程块最大的共享内存，Hopper 之前为 163 KB。" }

[launch]
block = ["(BM / WM) * (BN / WN) * 32", "1"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
dynamic_shared = "STAGES * (BM + BN) * BK * 8"
*/

// Sixteen bytes from global to shared memory; of them `bytes` are read and the rest becomes zeros.
__device__ __forceinline__ void copy16(double* to, const double* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes)
                 : "memory");
}

// Eight bytes, the same.
__device__ __forceinline__ void copy8(double* to, const double* from, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes)
                 : "memory");
}

// Where element (row, column) of a box in shared memory lies: 32-byte piece p of row r at p ^ (r % 4).
template <int COLUMNS, int SWIZZLE>
__device__ __forceinline__ int place(int row, int column) {
    return row * COLUMNS + (SWIZZLE ? column ^ row % 4 * 4 : column);
}

// Copies this thread's share of a ROWS x COLUMNS box of matrix[rows][columns], zeros for what lies outside. Does not wait.
template <int ROWS, int COLUMNS, int THREADS, int SWIZZLE>
__device__ __forceinline__ void copy_box(double* to, const double* matrix, int rows, int columns, int row0, int column0) {
    constexpr int PIECES = ROWS * COLUMNS / 2;
    const bool aligned = columns % 2 == 0; // then rows start at multiples of 16 bytes
    const bool within = aligned && row0 + ROWS <= rows && column0 + COLUMNS <= columns;
    const auto each_piece = [&](auto copy) {
#pragma unroll
        for (int i = 0; i < (PIECES + THREADS - 1) / THREADS; ++i) {
            const int piece = threadIdx.x + i * THREADS;
            if (PIECES % THREADS != 0 && piece >= PIECES) break;
            const int r = piece / (COLUMNS / 2), c = piece % (COLUMNS / 2) * 2;
            copy(to + place<COLUMNS, SWIZZLE>(r, c), row0 + r, column0 + c);
        }
    };
    // So many of the elements from here on are inside; where none is, nothing is read, but the address should be one.
    const auto inside = [&](int row, int column) { return row < rows ? min(max(columns - column, 0), 2) : 0; };
    const auto address = [&](int row, int column, bool is_inside) { return is_inside ? matrix + (size_t)row * columns + column : matrix; };
    if (within)
        each_piece([&](double* at, int row, int column) { copy16(at, address(row, column, true), 16); });
    else if (aligned)
        each_piece([&](double* at, int row, int column) {
            const int count = inside(row, column);
            copy16(at, address(row, column, count > 0), count * 8);
        });
    else
        each_piece([&](double* at, int row, int column) {
            const int count = inside(row, column);
#pragma unroll
            for (int j = 0; j < 2; ++j) copy8(at + j, address(row, column + j, j < count), j < count ? 8 : 0);
        });
}

// c[16][8] += a[16][4] * b[4][8]. A lane has of A row lane / 4 and eight further at k = lane % 4, of B the same k at column lane / 4,
// of C the same rows (i / 2) at columns lane % 4 * 2 and the next (i % 2).
__device__ __forceinline__ void multiply(double (&c)[4], const double (&a)[2], double b) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(b));
#else
#pragma unroll
    for (int h = 0; h < 2; ++h)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(c[h * 2]), "+d"(c[h * 2 + 1])
                     : "d"(a[h]), "d"(b));
#endif
}

// Two neighbouring sums become elements of C. As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ void finish2(double* C, int M, int N, int row, int column, double alpha, const double* sum, double beta) {
    if (row >= M || column >= N) return;
    double* c = C + (size_t)row * N + column;
    if (N % 2 == 0) {
        double2 v = make_double2(alpha * sum[0], alpha * sum[1]);
        if (beta != 0) {
            const double2 old = *reinterpret_cast<const double2*>(c);
            v.x = fma(beta, old.x, v.x), v.y = fma(beta, old.y, v.y);
        }
        *reinterpret_cast<double2*>(c) = v;
    } else {
#pragma unroll
        for (int j = 0; j < 2; ++j)
            if (column + j < N) c[j] = beta == 0 ? alpha * sum[j] : fma(beta, c[j], alpha * sum[j]);
    }
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int SWIZZLE>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
dgemm_tensor(int M, int N, int K, double alpha, const double* A, const double* B, double beta, double* C) {
    constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
    constexpr int STAGE = (BM + BN) * BK; // doubles
    extern __shared__ __align__(128) double stages[]; // STAGES times: A's box [BM][BK], then B's [BK][BN]

    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN; // the block's tile of C starts here
    const int tiles = (K + BK - 1) / BK;
    const auto copy = [&](int tile) {
        if (tile < tiles) {
            double* stage = stages + tile % STAGES * STAGE;
            copy_box<BM, BK, THREADS, SWIZZLE>(stage, A, M, K, row0, tile * BK);
            copy_box<BK, BN, THREADS, SWIZZLE>(stage + BM * BK, B, K, N, tile * BK, column0);
        }
        asm volatile("cp.async.commit_group;" ::: "memory"); // one group per tile, empty after the last
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) copy(s);

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int my_row = warp / (BN / WN) * WM + lane / 4, my_column = warp % (BN / WN) * WN + lane / 4, my_k = lane % 4;

    double a[2][WM / 16][2], b[2][WN / 8]; // of two steps: one is multiplied while the next is read
    const auto read = [&](int tile, int step) {
        const double* a_box = stages + tile % STAGES * STAGE;
        const double* b_box = a_box + BM * BK;
        const int k = step * 4 + my_k;
#pragma unroll
        for (int m = 0; m < WM / 16; ++m)
#pragma unroll
            for (int h = 0; h < 2; ++h) a[step % 2][m][h] = a_box[place<BK, SWIZZLE>(my_row + m * 16 + h * 8, k)];
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) b[step % 2][j] = b_box[place<BN, SWIZZLE>(k, my_column + j * 8)];
    };
    const auto await = [&] {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory"); // my copies of the next tile have arrived
        __syncthreads(); // everyone's have
    };
    await();
    read(0, 0);

    double sum[WM / 16][WN / 8][4] = {};
    constexpr int STEPS = BK / 4;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        copy(tile + STAGES - 1); // into the stage of the tile before this, which everyone has read
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            if (step + 1 < STEPS) {
                read(tile, step + 1);
            } else if (tile + 1 < tiles) {
                await();
                read(tile + 1, 0);
            }
#pragma unroll
            for (int m = 0; m < WM / 16; ++m)
#pragma unroll
                for (int j = 0; j < WN / 8; ++j) multiply(sum[m][j], a[step % 2][m], b[step % 2][j]);
        }
    }
#pragma unroll
    for (int m = 0; m < WM / 16; ++m)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h)
                finish2(C, M, N, row0 + my_row + m * 16 + h * 8, column0 + my_column - lane / 4 + j * 8 + lane % 4 * 2, alpha,
                        &sum[m][j][h * 2], beta);
}
