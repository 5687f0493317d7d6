/* gemmscope
family = "ladder"
rung = 9
provenance = "《CUDA之通用矩阵乘法：从入门到熟练！》 V3, its idea alone"
title = { en = "Double buffer", zh = "双缓冲" }
idea = { en = "While the block multiplies one tile, the next is already on its way from global memory into a second buffer.", zh = "线程块计算当前分块时，下一个分块已在从全局内存赶往第二个缓冲的路上。" }
look = { view = "timeline", en = "One barrier per k-tile, and the loads come first.", zh = "每个 k 分块一次屏障，读取在前。" }
story = { en = """
The rung before loads a tile, waits, multiplies, waits. Here the loads of the next tile are issued before the arithmetic of this one
and land in registers. Hundreds of FMAs later they have arrived and are stored to the other buffer. Nobody reads that buffer, so one
barrier per tile is enough instead of two. The price is twice the shared memory, and registers for the tile in flight. With BUFFERS
= 1 the loads still go first, but a second barrier must guard the only buffer. Everything else is the rung before with good
settings: 16 x 16 threads, tiles 8 deep, pieces of four, PAD = 4, lanes in zigzag.
""", zh = """
上一级是读入分块、等待、计算、再等待。这里先发出下一分块的全局读取（数据落在寄存器里），再算当前分块；几百条 FMA 之后数据已到，写进另一个
缓冲。没有线程在读那个缓冲，所以每个分块只需一次屏障而不是两次。代价是两倍的共享内存，以及存放在途分块的寄存器。BUFFERS = 1 时读取仍然提前，
但唯一的缓冲要靠第二次屏障保护。其余都取上一级最好的设置：16 x 16 个线程，分块深 8，小段四个一组，填充四个浮点数，lane 走之字形。
""" }

[[parameter]]
name = "TM"
values = [4, 8, 16]
initial = 8
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [4, 8, 16]
initial = 8
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[parameter]]
name = "BUFFERS"
values = [1, 2]
initial = 2
label = { en = "buffers", zh = "缓冲个数" }
meaning = { en = "shared buffers for the tiles", zh = "分块的共享内存缓冲个数" }

[[rule]]
expression = "TM * TN <= 128"
reason = { en = "A thread has at most 255 registers; its TM * TN sums may take about half of them.", zh = "每个线程最多 255 个寄存器，TM * TN 个累加值最多占其中约一半。" }

[[rule]]
expression = "(TM % 4 == 0) && (TN % 4 == 0)"
reason = { en = "A thread's tile is read in pieces of four floats, so TM and TN must be multiples of 4.", zh = "线程分块按四个浮点数一段读取，所以 TM 和 TN 必须是 4 的倍数。" }

[[rule]]
expression = "(BUFFERS == 1) || (BUFFERS == 2)"
reason = { en = "The kernel knows one buffer or two.", zh = "该内核只支持一个或两个缓冲。" }

[[break]]
name = "early_write"
label = { en = "Write into the buffer in use", zh = "写进正在用的缓冲" }
look = { en = "The next tile is stored into the buffer that slower warps still read.", zh = "下一分块写进了较慢的 warp 还在读的缓冲。" }
finding = "shared_race"
when = "BUFFERS > 1 && K > 8"
find = 'else buffer ^= 1; '
replace = 'else buffer ^= 0; '

[[break]]
name = "no_barrier"
label = { en = "No barrier after the store", zh = "写入后不设屏障" }
look = { en = "The next tile is read while other warps still store it.", zh = "别的 warp 还在写下一分块，就已经有人在读。" }
finding = "shared_race"
when = "K > 8"
find = '            __syncthreads(); // the next tile is complete'
replace = '            // no barrier: the next tile is complete'

[[break]]
name = "no_guard"
label = { en = "No bounds check", zh = "去掉边界检查" }
look = { en = "Loads below the last row of A or B read outside the array: the finding names the lane and the address.", zh = "A 或 B 最后一行之下的读取越出数组：检查结果指出 lane 和地址。" }
finding = "out_of_bounds"
when = "M % (16 * TM) != 0 || K % 8 != 0"
find = '    const int inside = row < rows ? columns - column : 0; // so many elements from here on, perhaps none'
replace = '    const int inside = columns - column; // no check of the row'

[launch]
block = ["256", "1"]
grid = ["ceil_div(N, 16 * TN)", "ceil_div(M, 16 * TM)"]
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

// Four neighbouring sums become elements of C. As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ void finish4(float* C, int M, int N, int row, int column, float alpha, const float* sum, float beta) {
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    if (N % 4 == 0) {
        float4 v = make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]);
        if (beta != 0) {
            const float4 old = *reinterpret_cast<const float4*>(c);
            v.x = fmaf(beta, old.x, v.x), v.y = fmaf(beta, old.y, v.y), v.z = fmaf(beta, old.z, v.z), v.w = fmaf(beta, old.w, v.w);
        }
        *reinterpret_cast<float4*>(c) = v;
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (column + j < N) c[j] = beta == 0 ? alpha * sum[j] : fmaf(beta, c[j], alpha * sum[j]);
    }
}

// COUNT values of one k that a thread needs of a tile's row, in pieces of four that lie 64 words apart: 16 threads across, four
// words each. Threads side by side read side by side.
template <int COUNT>
__device__ __forceinline__ void read_pieces(float* to, const float* row, int tile) {
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        const float4 v = *reinterpret_cast<const float4*>(row + i * 16 + tile * 4);
        to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
    }
}

// This thread's share of a tile of `matrix`, four floats at a time, on its way through registers. The tile's top left
// corner is (row0, column0); it is ROWS x COLUMNS, and COLUMNS a multiple of 4.
template <int ROWS, int COLUMNS>
struct Share {
    static constexpr int THREADS = 256, GROUPS = ROWS * COLUMNS / 4; // of four floats, in the tile
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
template <int TM, int TN, int BUFFERS>
__global__ void __launch_bounds__(256)
double_buffer_lean(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int BM = 16 * TM, BN = 16 * TN, BK = 8, PAD = 4;
    alignas(16) __shared__ float As[BUFFERS][BK][BM + PAD]; // [buffer][k][m]: transposed
    alignas(16) __shared__ float Bs[BUFFERS][BK][BN];       // [buffer][k][n]

    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN; // the block's tile of C starts here
    // The thread's place among 16 x 16: in zigzag, a warp covers 4 x 8 of them.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int y = warp / 2 * 4 + lane / 16 * 2 + lane % 2, x = warp % 2 * 8 + lane / 2 % 8;

    Share<BM, BK> next_a;
    Share<BK, BN> next_b;
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

        // Unrolled by 4, so that the reads of the next k are under way while this one is multiplied.
#pragma unroll 4
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            read_pieces<TM>(a, As[buffer][k], y);
            read_pieces<TN>(b, Bs[buffer][k], x);
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

#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            finish4(C, M, N, row0 + i / 4 * 64 + y * 4 + i % 4, column0 + j * 16 + x * 4, alpha, &sum[i][j], beta);
}
