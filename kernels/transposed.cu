/* gemmscope
family = "ladder"
rung = 7
provenance = "《CUDA之通用矩阵乘法：从入门到熟练！》 V2, its first change"
title = { en = "A transposed", zh = "转置 A 分块" }
idea = { en = "The tile of A is stored as [k][m], so a thread reads its TM values of one k 16 bytes at a time.", zh = "A 分块按 [k][m] 存放：一个线程同一 k 的 TM 个值相邻，每次读 16 字节。" }
look = { view = "banks", en = "Reads of A are free of conflicts now; its stores have a 2-way bank conflict.", zh = "读 A 不再冲突；写 A 出现 2 路存储体冲突。" }
story = { en = """
The rung before stores A as it comes, [m][k]. The TM values of one k lie BK words apart and take TM reads of 4 bytes. Here A is
transposed on its way into shared memory. A thread loads four neighbours along k as before, and stores them to four rows of As. Now
TM = 8 values of one k are two reads of 16 bytes, as those of B are. The conflicts of reads of A are gone. They are not lost, they
have moved. The lanes of a warp that hold the same row of A and different k store BM words apart, into the same bank. With BK = 8
each transposing store is a 2-way bank conflict, with BK = 16 a 4-way one. That costs less, since an element is
stored once and read by BN / TN threads. Reads of B still collide two ways. The next rung removes both.
""", zh = """
上一级按 A 原来的 [m][k] 存放：同一 k 的 TM 个值相距 BK 个字，要读 TM 次，每次 4 字节。这里 A 在放进共享内存时转置：线程仍沿 k 读入四个相邻
元素，再分别存到 As 的四行。于是 TM = 8 个值只需两次 16 字节读取，与 B 一样，读 A 的冲突消失了。但冲突并没有凭空消失，而是转移到了写入：
一个 warp 里持有 A 的同一行、不同 k 的 lane，写入地址相距 BM 个字，落在同一个存储体。BK = 8 时每次转置写入是 2 路冲突，BK = 16 时是 4 路。
这样更划算，因为每个元素只写一次，却有 BN / TN 个线程来读。读 B 的 2 路冲突仍在；下一级把两者一起消除。
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
expression = "(BM % 4 == 0) && (BN % 4 == 0) && (BK % 4 == 0)"
reason = { en = "Tiles are copied and read four floats at a time, so BM, BN and BK must be multiples of 4.", zh = "分块每次拷贝和读取四个浮点数，所以 BM、BN 和 BK 必须是 4 的倍数。" }

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
name = "one_row"
label = { en = "All four into one row", zh = "四个值写进同一行" }
look = { en = "The four neighbours along k overwrite each other, and three rows of As stay unwritten.", zh = "沿 k 的四个相邻值互相覆盖，As 的三行从未写入。" }
finding = "uninitialised_shared"
find = 'As[k][m] = v.x, As[k + 1][m] = v.y, As[k + 2][m] = v.z, As[k + 3][m] = v.w;'
replace = 'As[k][m] = v.x, As[k][m] = v.y, As[k][m] = v.z, As[k][m] = v.w;'

[[break]]
name = "no_second_barrier"
label = { en = "No second barrier", zh = "去掉第二个屏障" }
look = { en = "A fast warp overwrites a tile that a slow warp still reads: the finding names the store, the read and both warps.", zh = "快的 warp 覆盖了慢的 warp 还在读的分块：检查结果指出写入、读取和两个 warp。" }
finding = "shared_race"
when = "K > BK"
find = '        __syncthreads(); // everyone has read the tiles: they may be overwritten'
replace = '        // no barrier: everyone has read the tiles: they may be overwritten'

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
//   A tile in global memory          As, transposed                     A thread reads per k
//
//          k                               m
//       +-------+                  +----------------------+               As[k]:  TM words in a row
//     m | 0 1 2 3 ...        k 0   | 0                    |               Bs[k]:  TN words in a row
//       |       |              1   | 1                    |
//       |       |       ->     2   | 2                    |               and multiplies all pairs.
//       |       |              3   | 3                    |
//       +-------+                  +----------------------+
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
transposed(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
    alignas(16) __shared__ float As[BK][BM]; // [k][m]: transposed
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
            if (m >= BM) break; // the last round may be a short one
            // Four neighbours in k become four rows of As. Lanes BK / 4 apart differ in m alone and meet different banks;
            // those in between differ in k, rows of BM words apart, and meet the same one.
            const float4 v = load4(A, M, K, row0 + m, k0 + k);
            As[k][m] = v.x, As[k + 1][m] = v.y, As[k + 2][m] = v.z, As[k + 3][m] = v.w;
        }
#pragma unroll 2
        for (int first = 0; first < BK * BN / 4; first += THREADS) {
            const int group = first + thread, k = group / (BN / 4), n = group % (BN / 4) * 4;
            if (k < BK) *reinterpret_cast<float4*>(&Bs[k][n]) = load4(B, K, N, k0 + k, column0 + n);
        }
        __syncthreads(); // the tiles are complete

        // An outer product per k. Left as a loop: with TM * TN FMAs in its body it costs little.
#pragma unroll 1
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            read<TM>(a, &As[k][tile_row]); // half of a warp's lanes share a tile row: two pieces, in different banks
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
