/* gemmscope
family = "side_steps"
rung = 6
provenance = "blog post of 13 December 2019 (namespace wuk) gemm_128x128, g_fgemm"
title = { en = "128 x 128 block, unrolling compared", zh = "128 x 128 线程块，比较循环展开" }
idea = { en = "8 x 8 per thread from two buffers; how many steps of k the loop holds is a slider.", zh = "每线程 8 x 8，两个缓冲；循环体里放几步 k 由滑块决定。" }
look = { view = "numbers", en = "The share of FMA with each UNROLL.", zh = "每种 UNROLL 的 FMA 占比。" }
story = { en = """
64 FMAs for four 16-byte reads: 16/17 of a step of k, if nothing else were in the loop. But a loop has a counter and a branch, and
addresses that move. Unrolled, they become constants, and reads of the next step can go ahead of the FMAs of this one. Slide UNROLL
and look at the share of FMA: at 256 x 256 x 256 it is 69, 74, 78 and 81 %. More code must be fetched, too, and more values kept.
Its document found 4 fastest and 8 slower. So it is on an H200: 35.8, 40.6, 41.3 and 39.8 TFLOPS at 4096. It kept its matrices
column by column; here they lie row by row, and the same code takes A and B in each other's place.
""", zh = """
四次 16 字节读取供 64 条 FMA：若循环里别无他物，一步 k 的 16/17 是 FMA。但循环有计数、有跳转，地址也要移动。展开之后这些都成了常数，下一步的
读取也能提前到这一步的 FMA 之前。滑动 UNROLL 看 FMA 占比：256 x 256 x 256 时依次是 69、74、78、81%。代码变长，取指变多，要留住的值也多；原文档测得
4 最快、8 反而慢，H200 也是如此：4096 时 35.8、40.6、41.3、39.8 TFLOPS。原文档的矩阵按列存放；这里按行存放，同一段代码交换 A 与 B 的位置来计算。
""" }

[[parameter]]
name = "UNROLL"
values = [1, 2, 4, 8]
initial = 4
label = { en = "steps unrolled", zh = "展开步数" }
meaning = { en = "steps of k that the inner loop is unrolled by", zh = "内层循环展开的 k 步数" }

[[rule]]
expression = "(UNROLL >= 1) && (UNROLL <= 8)"
reason = { en = "A tile holds eight steps of k.", zh = "一个分块只有八步 k。" }

[launch]
block = ["256", "1"]
grid = ["ceil_div(M, 128)", "ceil_div(N, 128)"]
dynamic_shared = "0"
*/

// Sixteen-byte rows of four: what a thread holds of a, b and c. Members, not an array: no index that could keep them in memory.
struct Eight {
    float4 low, high;
};

__device__ __forceinline__ void multiply_add(float4& c, float a, float4 b) {
    c.x = fmaf(a, b.x, c.x), c.y = fmaf(a, b.y, c.y), c.z = fmaf(a, b.z, c.z), c.w = fmaf(a, b.w, c.w);
}
__device__ __forceinline__ void multiply_add(Eight& c, float a, const Eight& b) {
    multiply_add(c.low, a, b.low), multiply_add(c.high, a, b.high);
}

// Four neighbours down a column of `matrix`, which has `rows` rows and lies column by column; zeros for those outside.
// Columns start at multiples of 16 bytes only if `rows` is a multiple of 4.
__device__ __forceinline__ float4 load4(const float* matrix, int rows, int columns, int row, int column) {
    const int inside = column < columns ? rows - row : 0; // so many elements from here on, perhaps none
    const float* p = matrix + (size_t)column * rows + row;
    if (inside > 0 && rows % 4 == 0) return *reinterpret_cast<const float4*>(p);
    return make_float4(inside > 0 ? p[0] : 0, inside > 1 ? p[1] : 0, inside > 2 ? p[2] : 0, inside > 3 ? p[3] : 0);
}

// Four neighbours down a column of C become alpha times their sums plus beta times what they were. As in BLAS, C is not read
// when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ void finish4(float* C, int rows, int columns, int row, int column, float alpha, float4 sum, float beta) {
    if (column >= columns) return;
    float* c = C + (size_t)column * rows + row;
    const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (row + i < rows) c[i] = beta == 0 ? alpha * sums[i] : fmaf(beta, c[i], alpha * sums[i]);
}

// C[m][n] = alpha * A[m][k] * B[k][n] + beta * C[m][n], all column-major: columns are what lies together.
template <int UNROLL>
__device__ __forceinline__ void column_major(int m, int n, int k, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int BLOCK = 128, BK = 8;
    alignas(16) __shared__ float As[2][BK][BLOCK]; // [buffer][k][m]
    alignas(16) __shared__ float Bs[2][BK][BLOCK]; // [buffer][k][n]: transposed, as B's columns run along k

    const int thread = threadIdx.x, row0 = blockIdx.y * BLOCK, column0 = blockIdx.x * BLOCK;
    const int a_row = thread % 32 * 4, a_k = thread / 32;     // four rows of A at one k
    const int b_k = thread / 128 * 4, b_column = thread % 128; // four k of one column of B
    const int tile_row = thread % 16 * 4, tile_column = thread / 16 * 4; // halves of the thread's tile lie 64 apart

    float4 a, b; // this thread's share of the next tile
    const auto load = [&](int k0) {
        a = load4(A, m, k, row0 + a_row, k0 + a_k);
        b = load4(B, k, n, k0 + b_k, column0 + b_column);
    };
    const auto put = [&](int buffer) {
        *reinterpret_cast<float4*>(&As[buffer][a_k][a_row]) = a;
        float(*to)[BLOCK] = Bs[buffer];
        to[b_k][b_column] = b.x, to[b_k + 1][b_column] = b.y, to[b_k + 2][b_column] = b.z, to[b_k + 3][b_column] = b.w;
    };
    const auto eight = [](const float* at) {
        return Eight{*reinterpret_cast<const float4*>(at), *reinterpret_cast<const float4*>(at + BLOCK / 2)};
    };

    load(0);
    put(0);
    __syncthreads();
    Eight sum[8] = {}; // [column][row]: 8 x 8
    int buffer = 0;    // the one that holds the current tile
    for (int k0 = 0; k0 < k; k0 += BK) {
        const bool more = k0 + BK < k; // the same for all threads
        if (more) load(k0 + BK);
#pragma unroll UNROLL
        for (int step = 0; step < BK; ++step) {
            const Eight rows = eight(&As[buffer][step][tile_row]), columns = eight(&Bs[buffer][step][tile_column]);
            multiply_add(sum[0], columns.low.x, rows), multiply_add(sum[1], columns.low.y, rows);
            multiply_add(sum[2], columns.low.z, rows), multiply_add(sum[3], columns.low.w, rows);
            multiply_add(sum[4], columns.high.x, rows), multiply_add(sum[5], columns.high.y, rows);
            multiply_add(sum[6], columns.high.z, rows), multiply_add(sum[7], columns.high.w, rows);
        }
        if (more) {
            buffer ^= 1; // the other one was last read before the previous barrier
            put(buffer);
            __syncthreads(); // the next tile is complete
        }
    }

    // One column of the thread's tile after the other. Registers cannot be indexed at run time, so the loop always writes
    // sum[0] and moves the other columns up; unrolled, the guards at the edges would be most of the program.
#pragma unroll 1
    for (int j = 0; j < 8; ++j) {
        const int column = column0 + j / 4 * (BLOCK / 2) + tile_column + j % 4;
        finish4(C, m, n, row0 + tile_row, column, alpha, sum[0].low, beta);
        finish4(C, m, n, row0 + BLOCK / 2 + tile_row, column, alpha, sum[0].high, beta);
#pragma unroll
        for (int i = 0; i + 1 < 8; ++i) sum[i] = sum[i + 1];
    }
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major. A row-major matrix is its own transpose read column by
// column, and (A B) transposed is B transposed times A transposed: so A and B change places, M and N with them. Programs in C
// call cuBLAS in this way, too.
template <int UNROLL>
__global__ void __launch_bounds__(256, 2)
block_128_unrolled(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    column_major<UNROLL>(N, M, K, alpha, B, A, beta, C);
}
