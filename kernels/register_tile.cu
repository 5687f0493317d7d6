/* gemmscope
family = "ladder"
rung = 4
provenance = "seed 000 V1"
title = { en = "Register tile", zh = "寄存器分块" }
idea = { en = "Each thread computes TM x TN elements in registers, so TM + TN shared reads feed TM * TN FMAs.", zh = "每个线程在寄存器里算 TM x TN 个元素：TM + TN 次共享内存读取供 TM * TN 条 FMA 使用。" }
story = { en = """
One element per thread needs two shared reads per FMA: most instructions move data. Here a thread owns a TM x TN tile of
C. For each k it reads TM values of A and TN of B and multiplies all pairs: with 8 x 8, 16 values feed 64 FMAs. Copies
and reads are four floats wide where they can be. What is left: A is stored as it comes, row by row, so threads one tile
row apart read words TM * BK apart, in the same bank; and threads side by side read B in pieces TN words apart, which
collide too. Look at the banks: the next rung removes both.
""", zh = """
每个线程只算一个元素时，一条 FMA 要两次共享内存读取：多数指令在搬数据。这里每个线程负责 C 的一个 TM x TN 小块：对每个 k 读 A 的 TM 个
值和 B 的 TN 个值，两两相乘；8 x 8 时 16 个值供 64 条 FMA。复制和读取尽量一次四个浮点数。剩下的问题：A 按行原样存放，相邻小块行的线程
所读的字相距 TM * BK，落在同一个存储体；并排的线程读 B 时相距 TN 个字，也会冲突。看看存储体视图：下一级把两者都消除。
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

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
//                        column0
//                           +-------- BN --------+            initial parameters:
//                        BK | Bs                 |            block tile of C  128 x 128, by 16 x 16 threads
//                           +--------------------+            thread tile        8 x 8,   in registers
//                 BK                                          As               128 x 8,   4 KB of shared memory
//               +----+      +--------------------+  row0      Bs                 8 x 128, 4 KB of shared memory
//               | As |      |        +----+      |
//            BM |    |      |     TM |    | BN / TN x         per k and thread: 8 + 8 values read, 64 FMAs
//               |    |      |        +----+ BM / TM threads   per tile and block: 2 x 1024 elements loaded,
//               |    |      |          TN        |            128 x 128 x 8 FMAs: each element feeds 128
//               +----+      +--------------------+
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
register_tile(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
    alignas(16) __shared__ float As[BM][BK]; // [m][k], as A lies in memory
    alignas(16) __shared__ float Bs[BK][BN]; // [k][n], as B lies in memory

    const int row0 = blockIdx.y * BM; // the block's tile of C starts here
    const int column0 = blockIdx.x * BN;
    const int thread = threadIdx.x;
    const int tile_row = thread / (BN / TN) * TM; // the thread's tile within the block's
    const int tile_column = thread % (BN / TN) * TN;

    float sum[TM][TN] = {}; // stays in registers: every index below is known when it is compiled
    for (int k0 = 0; k0 < K; k0 += BK) {
        // Copy both tiles, each thread every THREADS-th group of four floats; a few loads in flight are enough.
#pragma unroll 2
        for (int first = 0; first < BM * BK / 4; first += THREADS) {
            const int group = first + thread, m = group / (BK / 4), k = group % (BK / 4) * 4;
            if (m < BM) *reinterpret_cast<float4*>(&As[m][k]) = load4(A, M, K, row0 + m, k0 + k);
        }
#pragma unroll 2
        for (int first = 0; first < BK * BN / 4; first += THREADS) {
            const int group = first + thread, k = group / (BN / 4), n = group % (BN / 4) * 4;
            if (k < BK) *reinterpret_cast<float4*>(&Bs[k][n]) = load4(B, K, N, k0 + k, column0 + n);
        }
        __syncthreads(); // the tiles are complete

        // An outer product per k. Left as a loop: with TM * TN FMAs in its body it costs little, and ptxas cannot
        // fuse reads of neighbouring k, so the machine code reads A just as written here.
#pragma unroll 1
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            // Half of a warp's lanes share a tile row: two words of As per read, TM * BK = 64 words apart, the same bank.
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[tile_row + i][k];
            // Lanes side by side start TN = 8 words apart: a quarter of the warp reads 8 pieces of 4 words that cover
            // only every other piece of the 32 banks, each twice.
            read<TN>(b, &Bs[k][tile_column]);
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
