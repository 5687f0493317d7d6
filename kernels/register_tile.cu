/* gemmscope
family = "ladder"
rung = 6
provenance = "《CUDA之通用矩阵乘法：从入门到熟练！》 V1"
title = { en = "Register tile, float4", zh = "寄存器分块，float4" }
idea = { en = "Copies and reads four floats wide: a quarter of the load and store instructions for the same bytes.", zh = "拷贝和读取一次四个浮点数：同样的字节，读写指令只要四分之一。" }
look = { view = "numbers", en = "Global loads and shared stores: a quarter of the instructions of the rung before.", zh = "全局读取与共享写入的指令数只有上一级的四分之一。" }
story = { en = """
The rung before moves every float with an instruction of its own. Here global loads, shared stores and the reads of B are 16 bytes
wide, a float4 each. The same bytes take a quarter of the instructions, and every slot that is saved can go to an FMA. It needs
addresses that are multiples of 16 bytes, so BK and BN are multiples of 4. Rows whose length is no multiple of 4 are copied one
float at a time (load4). The tile of the block is free now, too: BM, BN and BK are sliders. What is left: A is stored as it comes,
row by row. Its values of one k lie BK words apart and are read one by one. Threads one tile row apart read words TM * BK apart, in
the same bank. Threads side by side read B in pieces TN words apart. Both are 2-way bank conflicts. The next rungs remove both.
""", zh = """
上一级每个浮点数都用一条指令搬运。这里全局读取、共享写入和读 B 都是 16 字节宽，一次一个 float4：同样的字节只要四分之一的指令，省下的每个
发射槽都可以给 FMA。地址必须是 16 字节的倍数，所以 BK 和 BN 是 4 的倍数；行长不是 4 的倍数时逐个浮点数拷贝（load4）。线程块的分块现在也
可以自由选择：BM、BN、BK 都是滑块。剩下的问题：A 按行原样存放，同一 k 的值相距 BK 个字，只能逐个读取。相邻小块行的线程所读的字相距
TM * BK，落在同一个存储体；并排的线程读 B 时相距 TN 个字：都是 2 路存储体冲突。接下来的两级把它们消除。
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
expression = "(BM + BN) * BK * 4 <= 49152"
reason = { en = "The tiles of A and B must fit in 48 KB of shared memory.", zh = "A、B 分块必须放得进 48 KB 共享内存。" }

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
