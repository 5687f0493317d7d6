/* gemmscope
family = "ladder"
rung = 5
provenance = "register tiling as in the CUDA literature; 《CUDA之通用矩阵乘法：从入门到熟练！》 V1 without its 16-byte accesses"
title = { en = "Register tile", zh = "寄存器分块" }
idea = { en = "Each thread computes TM x TN elements in registers, so TM + TN shared reads feed TM * TN FMAs.", zh = "每个线程在寄存器里算 TM x TN 个元素：TM + TN 次共享内存读取供 TM * TN 条 FMA 使用。" }
look = { view = "numbers", en = "Shared reads per FMA fall as TM and TN grow: 2, 1, 1/2, 1/4.", zh = "TM、TN 变大时，每条 FMA 的共享内存读取从 2 降到 1、1/2、1/4。" }
story = { en = """
With one element per thread, every FMA needs two values from shared memory: most instructions move data. Here a thread owns a TM x
TN tile of C, which PMPP calls thread coarsening. For each k it reads TM values of A and TN of B into registers and multiplies all
pairs. With 8 x 8, 16 values feed 64 FMAs. A block is always 16 x 16 threads, so its tile of C grows with the thread tile. Each
element that the block copies serves more FMAs, too. Slide TM and TN and watch the shared reads per FMA fall: 2, 1, 1/2, 1/4.
Everything is one float wide here. The eight reads of B are neighbours, so ptxas fuses them into two of 16 bytes by itself. It
cannot do that for A, whose values of one k lie BK words apart, nor for the copies. The next rung widens the copies.
""", zh = """
每个线程只算一个元素时，一条 FMA 要从共享内存取两个值：多数指令在搬数据。这里每个线程负责 C 的一个 TM x TN 小块（PMPP 称为线程粗化）：
对每个 k，把 A 的 TM 个值和 B 的 TN 个值读进寄存器，两两相乘；8 x 8 时 16 个值供 64 条 FMA。线程块固定为 16 x 16 个线程，所以小块越大，
线程块负责的 C 也越大，拷贝的每个元素供更多的 FMA 使用。滑动 TM 和 TN，看每条 FMA 的共享内存读取从 2 降到 1、1/2、1/4。
这里一切访问都只有一个浮点数宽。B 的八次读取彼此相邻，ptxas 会自行合成两次 16 字节读取；A 的值相距 BK 个字，无法合成，
拷贝也是如此。下一级先把拷贝加宽。
""" }

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

[[rule]]
expression = "TM * TN <= 128"
reason = { en = "A thread has at most 255 registers; its TM * TN sums may take about half of them.", zh = "每个线程最多 255 个寄存器，TM * TN 个累加值最多占其中约一半。" }

[[break]]
name = "no_second_barrier"
label = { en = "No second barrier", zh = "去掉第二个屏障" }
look = { en = "A fast warp overwrites a tile that a slow warp still reads: the finding names the store, the read and both warps.", zh = "快的 warp 覆盖了慢的 warp 还在读的分块：检查结果指出写入、读取和两个 warp。" }
finding = "shared_race"
when = "K > 8"
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
look = { en = "Threads beyond the edge of C store outside the array: the finding names the lane and the address.", zh = "C 边界之外的线程写到了数组外面：检查结果指出 lane 和地址。" }
finding = "out_of_bounds"
when = "N % (16 * TN) != 0"
find = '            if (column0 + tile_column + j < N) c[j]'
replace = '            if (j < TN) c[j]'

[launch]
block = ["256", "1"]
grid = ["ceil_div(N, 16 * TN)", "ceil_div(M, 16 * TM)"]
dynamic_shared = "0"
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
//                        column0
//                           +-- BN = 16 TN ------+            With TM = TN = 8:
//                       BK  | Bs                 |            block tile of C  128 x 128, by 16 x 16 threads
//                           +--------------------+            thread tile        8 x 8,   in registers
//                 BK = 8                                      As               128 x 8,   4 KB of shared memory
//               +----+      +--------------------+  row0      Bs                 8 x 128, 4 KB of shared memory
//               | As |      |        +----+      |
//       BM =    |    |      |     TM |    | 16   |            per k and thread: 8 + 8 values read, 64 FMAs
//       16 TM   |    |      |        +----+ rows |            per tile and block: 2 x 1024 elements loaded,
//               |    |      |          TN        |            128 x 128 x 8 FMAs: each element feeds 128
//               +----+      +--------------------+
template <int TM, int TN>
__global__ void __launch_bounds__(256)
register_tile_scalar(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = 256, ACROSS = 16; // the threads of the block, 16 x 16
    constexpr int BM = 16 * TM, BN = 16 * TN, BK = 8;
    __shared__ float As[BM][BK]; // [m][k], as A lies in memory
    __shared__ float Bs[BK][BN]; // [k][n], as B lies in memory

    const int row0 = blockIdx.y * BM; // the block's tile of C starts here
    const int column0 = blockIdx.x * BN;
    const int thread = threadIdx.x;
    const int tile_row = thread / ACROSS * TM; // the thread's tile within the block's
    const int tile_column = thread % ACROSS * TN;

    float sum[TM][TN] = {}; // stays in registers: every index below is known when it is compiled
    for (int k0 = 0; k0 < K; k0 += BK) {
        // Copy both tiles, each thread every 256th element. Zeros stand in for what lies outside the matrices.
#pragma unroll 4
        for (int i = thread; i < BM * BK; i += THREADS) {
            const int m = i / BK, k = i % BK;
            As[m][k] = row0 + m < M && k0 + k < K ? A[(size_t)(row0 + m) * K + k0 + k] : 0;
        }
#pragma unroll 4
        for (int i = thread; i < BK * BN; i += THREADS) {
            const int k = i / BN, n = i % BN;
            Bs[k][n] = k0 + k < K && column0 + n < N ? B[(size_t)(k0 + k) * N + column0 + n] : 0;
        }
        __syncthreads(); // the tiles are complete

        // An outer product per k: TM + TN values, one float at a time, feed TM * TN FMAs.
#pragma unroll 1
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            // Half of a warp's lanes share a tile row: two words of As per read, TM * BK words apart.
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[tile_row + i][k];
            // Lanes side by side read TN words apart: with TN = 8 four banks serve 16 lanes.
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tile_column + j];
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
        const int row = row0 + tile_row + i;
        if (row >= M) break;
        float* c = C + (size_t)row * N + column0 + tile_column;
#pragma unroll
        for (int j = 0; j < TN; ++j) // beta = 0: C is not read, as in BLAS
            if (column0 + tile_column + j < N) c[j] = beta == 0 ? alpha * sum[0][j] : fmaf(beta, c[j], alpha * sum[0][j]);
#pragma unroll
        for (int r = 0; r + 1 < TM; ++r)
#pragma unroll
            for (int j = 0; j < TN; ++j) sum[r][j] = sum[r + 1][j];
    }
}
