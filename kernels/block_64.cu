/* gemmscope
family = "side_steps"
rung = 5
provenance = "blog post of 13 December 2019 (namespace wuk) gemm_64x64"
title = { en = "64 x 64 block, 4 x 4 per thread", zh = "64 x 64 线程块，每线程 4 x 4" }
idea = { en = "A square of 4 x 4 per thread: two 16-byte reads feed sixteen FMAs, so eight of nine instructions are FMAs.", zh = "每个线程 4 x 4 的方块：两次 16 字节读取供十六条 FMA，九条指令里八条是 FMA。" }
look = { view = "numbers", en = "Sixteen FMAs for two reads.", zh = "两次读取供十六条 FMA。" }
story = { en = """
A square of the same number of sums is better than a strip. 4 x 4 needs 4 + 4 values per k for 16 FMAs, where a strip of 16 needs
17. A lies transposed in shared memory, so both groups of four come in one 16-byte read each: 2 reads, 16 FMAs, 8/9 of the loop.
Slide TM and TN to 8: 4 reads for 64 FMAs, 16/17, and twice to four times the registers. What is left between that and the share of
FMA in the numbers is the copying of tiles. A deeper BK does not change it, larger tiles do.
""", zh = """
同样多的累加值，方块比长条好：4 x 4 每步 k 只需 4 + 4 个值就能做 16 条 FMA，而 16 个一条要 17 个。A 在共享内存中转置存放，两组四个值各用
一次 16 字节读取：2 次读、16 条 FMA，占循环的 8/9。把 TM、TN 滑到 8：4 次读供 64 条 FMA，即 16/17，寄存器则要两到四倍。它与数字面板里 FMA
占比之间的差距来自拷贝分块：BK 加深改变不了，分块变大才行。
""" }

[[parameter]]
name = "BM"
values = [16, 32, 64, 128]
initial = 64
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [16, 32, 64, 128]
initial = 64
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [4, 8, 16, 32]
initial = 16
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "TM"
values = [4, 8]
initial = 4
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [4, 8]
initial = 4
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[rule]]
expression = "(BM % TM == 0) && (BN % TN == 0)"
reason = { en = "The block must divide into whole thread tiles (BM a multiple of TM, BN of TN).", zh = "线程块必须能分成整数个线程分块（BM 是 TM 的倍数，BN 是 TN 的倍数）。" }

[[rule]]
expression = "(TM % 4 == 0) && (TN % 4 == 0) && (BK % 4 == 0)"
reason = { en = "Everything is read and written four floats at a time, so TM, TN and BK must be multiples of 4.", zh = "一切读写都以四个浮点数为单位，所以 TM、TN 和 BK 必须是 4 的倍数。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[[rule]]
expression = "TM * TN <= 64"
reason = { en = "A thread's sums stay in registers; beyond 8 x 8 they leave none for the rest.", zh = "每个线程的累加值都放在寄存器里；超过 8 x 8 就没有余地了。" }

[[rule]]
expression = "(BM + BN) * BK * 4 <= 49152"
reason = { en = "The tiles of A and B must fit in 48 KB of shared memory.", zh = "A、B 分块必须放得进 48 KB 共享内存。" }

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

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
block_64(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
    alignas(16) __shared__ float As[BK][BM]; // [k][m]: transposed, so that a thread's TM values lie side by side
    alignas(16) __shared__ float Bs[BK][BN]; // [k][n]

    const int row0 = blockIdx.y * BM; // the block's tile of C starts here
    const int column0 = blockIdx.x * BN;
    const int tile_row = threadIdx.x / (BN / TN) * TM; // the thread's tile within the block's
    const int tile_column = threadIdx.x % (BN / TN) * TN;

    float sum[TM][TN] = {}; // stays in registers: every index below is known when it is compiled
    for (int k0 = 0; k0 < K; k0 += BK) {
        // Copy, each thread every THREADS-th group of four floats. A's group becomes a piece of a column; lanes take the
        // rows of A one after the other, so that their words of a column are neighbours and no two meet in a bank.
        for (int group = threadIdx.x; group < BM * BK / 4; group += THREADS) {
            const int m = group % BM, k = group / BM * 4;
            const float4 v = load4(A, M, K, row0 + m, k0 + k);
            As[k][m] = v.x, As[k + 1][m] = v.y, As[k + 2][m] = v.z, As[k + 3][m] = v.w;
        }
        for (int group = threadIdx.x; group < BK * BN / 4; group += THREADS) {
            const int k = group / (BN / 4), n = group % (BN / 4) * 4;
            *reinterpret_cast<float4*>(&Bs[k][n]) = load4(B, K, N, k0 + k, column0 + n);
        }
        __syncthreads(); // the tiles are complete

        // An outer product per k: (TM + TN) / 4 reads, TM * TN FMAs; the index arithmetic vanishes when it is unrolled.
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; i += 4) {
                const float4 v = *reinterpret_cast<const float4*>(&As[k][tile_row + i]);
                a[i] = v.x, a[i + 1] = v.y, a[i + 2] = v.z, a[i + 3] = v.w;
            }
#pragma unroll
            for (int j = 0; j < TN; j += 4) {
                const float4 v = *reinterpret_cast<const float4*>(&Bs[k][tile_column + j]);
                b[j] = v.x, b[j + 1] = v.y, b[j + 2] = v.z, b[j + 3] = v.w;
            }
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
        __syncthreads(); // everyone has read the tiles: they may be overwritten
    }

    // One row of the thread's tile after the other. Registers cannot be indexed at run time, so the loop always writes
    // sum[0] and moves the other rows up; unrolled, the guards at the edges would be most of the program.
#pragma unroll 1
    for (int i = 0; i < TM; ++i) {
        finish<TN>(C, M, N, row0 + tile_row + i, column0 + tile_column, alpha, sum[0], beta);
#pragma unroll
        for (int r = 0; r + 1 < TM; ++r)
#pragma unroll
            for (int j = 0; j < TN; ++j) sum[r][j] = sum[r + 1][j];
    }
}
