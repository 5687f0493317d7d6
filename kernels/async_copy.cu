/* gemmscope
family = "ladder"
rung = 13
provenance = "this program"
title = { en = "Asynchronous copies", zh = "异步拷贝" }
idea = { en = "cp.async carries 16 bytes from global to shared memory and bypasses the registers; several tiles are in flight at once.", zh = "cp.async 把 16 字节绕过寄存器从全局内存直接送进共享内存；同时有好几个分块在途。" }
look = { view = "shared", en = "While one tile is multiplied, two others are in flight.", zh = "计算一个分块时，另有两个在途。" }
story = { en = """
Until here a tile in flight occupied registers, so only one could be in flight. A copy that bypasses the registers costs none.
STAGES tiles lie in a ring in shared memory: one is multiplied, the others are in flight. Each thread commits its copies of a tile
as a group and waits until only the younger groups are still open. The barrier after it makes all copies visible to all threads.
Copies cannot transpose, so A keeps its rows, and a thread reads four k of each of its rows at once. Rows of 128 bytes start at the
same bank. SWIZZLE = 1 exchanges the 16-byte pieces of a row by the row's number, so that neighbouring rows no longer collide.
Padding would have cost memory and alignment. What a copy still costs are its own instructions: every 16 bytes want an address,
computed in slots that an FMA could have had. On an H200 this rung is slower than the one before; the next keeps the ring and drops
the addresses.
""", zh = """
此前，在途的分块占着寄存器，所以同时只能有一块在途。绕过寄存器的拷贝不占寄存器：共享内存里排成环的 STAGES 个分块，一个在算，其余在路上。每个
线程把它拷贝一个分块的操作提交为一组，等到只剩较晚提交的组未完成；随后的屏障让所有人看见所有人的数据。拷贝时不能转置，所以 A 保持按行，每个线程
一次读取它每行的四个 k。128 字节的行都从同一个存储体开始：SWIZZLE = 1 按行号交换一行内的 16 字节小段，相邻的行就不再相撞；填充既多占内存，又会破坏对齐。
拷贝仍要花自己的指令：每 16 字节都要算一个地址，占掉本可给 FMA 的时隙。在 H200 上这一级反而比上一级慢；下一级留下环，丢掉地址计算。
""" }

[[parameter]]
name = "BM"
values = [32, 64, 96, 128, 192, 256]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [32, 64, 96, 128, 192, 256]
initial = 256
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [8, 16, 32]
initial = 32
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "TM"
values = [1, 2, 4, 6, 8, 12, 16]
initial = 8
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [4, 8, 12, 16]
initial = 16
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4, 5]
initial = 3
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles in shared memory: one multiplied, the others under way", zh = "共享内存中的分块数：一个在算，其余在途" }

[[parameter]]
name = "SWIZZLE"
values = [0, 1]
initial = 1
label = { en = "swizzle", zh = "swizzle" }
meaning = { en = "1: the 16-byte pieces of A's rows change places by the row's number", zh = "1：按行号交换 A 每行内的 16 字节小段" }
words = [{ en = "off", zh = "关" }, { en = "on", zh = "开" }]

[[rule]]
expression = "(BM % (4 * TM) == 0) && (BN % (8 * TN) == 0)"
reason = { en = "A warp covers 4 x 8 thread tiles, so BM must be a multiple of 4 TM and BN of 8 TN.", zh = "一个 warp 覆盖 4 x 8 个线程分块，所以 BM 须是 4 TM 的倍数，BN 须是 8 TN 的倍数。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "TM * TN <= 144"
reason = { en = "A thread has at most 255 registers; its TM * TN sums may take little more than half of them.", zh = "每个线程最多 255 个寄存器，TM * TN 个累加值最多占其中一半略多。" }

[[rule]]
expression = "BM * BN <= 36864"
reason = { en = "The block's sums may take at most little more than half of the SM's 65,536 registers.", zh = "线程块的累加值最多占 SM 65,536 个寄存器的一半略多。" }

[[rule]]
expression = "(TM * TN + 4 * TM + 2 * TN + 16) * (BM / TM) * (BN / TN) <= 65536"
reason = { en = "All threads of a block share the SM's 65,536 registers: fewer threads, or smaller thread tiles.", zh = "线程块的所有线程共用 SM 的 65,536 个寄存器：请减少线程或缩小线程分块。" }

[[rule]]
expression = "STAGES * (BM + BN) * BK * 4 <= 232448"
reason = { en = "All stages must fit in a block's largest shared memory, 227 KB.", zh = "所有阶段必须放得进一个线程块最大的共享内存，227 KB。" }

[[break]]
name = "missing_wait"
label = { en = "Wait for one group too few", zh = "少等一组" }
look = { en = "The tile is read while its copies are still under way.", zh = "分块的拷贝还在途就被读取。" }
finding = ["unwaited_async_copy", "shared_race"]
find = '"n"(STAGES - 2)'
replace = '"n"(STAGES - 1)'

[[break]]
name = "early_copy"
label = { en = "Copy before the barrier", zh = "屏障之前就拷贝" }
look = { en = "The copy of a later tile overwrites the stage that slower warps still read.", zh = "后面分块的拷贝覆盖了较慢的 warp 还在读的阶段。" }
finding = ["shared_race", "unwaited_async_copy"]
find = '''
        __syncthreads();         // everyone's have; and everyone has read the tile before this
        copy(tile + STAGES - 1); // into the stage of the tile before this'''
replace = '''
        copy(tile + STAGES - 1); // into the stage of the tile before this
        __syncthreads();         // everyone's have; and everyone has read the tile before this'''

[launch]
block = ["(BM / TM) * (BN / TN)", "1"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
dynamic_shared = "STAGES * (BM + BN) * BK * 4"
*/

// Sixteen bytes from global to shared memory; of them `bytes` are read and the rest becomes zeros.
__device__ __forceinline__ void copy16(float* to, const float* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes)
                 : "memory");
}

// The same with four bytes.
__device__ __forceinline__ void copy4(float* to, const float* from, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes)
                 : "memory");
}

// The 16-byte pieces of A's rows, BK / 4 of them in each, change places: piece p of row r lies where p ^ line(r) would, lines
// being 128 bytes long. So the same piece of rows side by side lies in different banks.
template <int BK>
__device__ __forceinline__ int line(int row) { return row * BK / 32 % (BK / 4); }

// Copies this thread's share of a ROWS x COLUMNS box of matrix[rows][columns], zeros for what lies outside. Does not wait.
template <int ROWS, int COLUMNS, int THREADS, bool SWIZZLED>
__device__ __forceinline__ void copy_box(float* to, const float* matrix, int rows, int columns, int row0, int column0) {
    constexpr int PIECES = ROWS * COLUMNS / 4;
    const bool aligned = columns % 4 == 0; // then rows start at multiples of 16 bytes
    const bool within = aligned && row0 + ROWS <= rows && column0 + COLUMNS <= columns;
#pragma unroll
    for (int i = 0; i < (PIECES + THREADS - 1) / THREADS; ++i) {
        const int piece = threadIdx.x + i * THREADS;
        if (PIECES % THREADS != 0 && piece >= PIECES) break;
        const int r = piece / (COLUMNS / 4), p = piece % (COLUMNS / 4);
        const int row = row0 + r, column = column0 + p * 4;
        const float* from = matrix + (size_t)row * columns + column;
        float* at = to + r * COLUMNS + (SWIZZLED ? p ^ line<COLUMNS>(r) : p) * 4;
        if (within) {
            copy16(at, from, 16);
        } else {
            const int inside = row < rows ? min(max(columns - column, 0), 4) : 0; // so many elements from here on
            if (inside == 0) from = matrix; // nothing is read, but the address should be one
            if (aligned) copy16(at, from, inside * 4);
            else
                for (int j = 0; j < 4; ++j) copy4(at + j, j < inside ? from + j : matrix, j < inside ? 4 : 0);
        }
    }
}

// Element `i` of four that lie in registers; `i` is known when this is compiled.
__device__ __forceinline__ float element(const float4& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }

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

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
// With three stages; digits are tiles, | is a barrier.
//
//   copy 0  copy 1 | copy 2      | copy 3      | copy 4
//                    multiply 0    multiply 1    multiply 2
template <int BM, int BN, int BK, int TM, int TN, int STAGES, int SWIZZLE>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
async_copy(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
    constexpr int STAGE = (BM + BN) * BK; // floats
    extern __shared__ __align__(128) float stages[]; // STAGES times: A's box [BM][BK], then B's [BK][BN]

    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN; // the block's tile of C starts here
    const int tiles = (K + BK - 1) / BK;
    const auto copy = [&](int tile) {
        if (tile < tiles) {
            float* stage = stages + tile % STAGES * STAGE;
            copy_box<BM, BK, THREADS, SWIZZLE>(stage, A, M, K, row0, tile * BK);
            copy_box<BK, BN, THREADS, false>(stage + BM * BK, B, K, N, tile * BK, column0);
        }
        asm volatile("cp.async.commit_group;" ::: "memory"); // one group per tile, empty after the last
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) copy(s);

    // Lane (r, c) of a warp's 4 x 8 owns rows r, r + 4, r + 8 ... and in each row columns 4c to 4c + 3, then 32 further.
    constexpr int WM = 4 * TM, WN = 8 * TN;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int my_row = warp / (BN / WN) * WM + lane / 8, my_column = warp % (BN / WN) * WN + lane % 8 * 4;

    const int my_line = SWIZZLE ? line<BK>(my_row) : 0;

    float sum[TM][TN] = {};
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory"); // my copies of this tile have arrived
        __syncthreads();         // everyone's have; and everyone has read the tile before this
        copy(tile + STAGES - 1); // into the stage of the tile before this

        const float* a_box = stages + tile % STAGES * STAGE;
        const float* b_box = a_box + BM * BK;
        float4 b[2][TN / 4]; // one k, and the next
        const auto read_b = [&](int to, int k) {
#pragma unroll
            for (int j = 0; j < TN / 4; ++j) b[to][j] = *reinterpret_cast<const float4*>(b_box + k * BN + my_column + j * 32);
        };
        read_b(0, 0);
#pragma unroll 1
        for (int k0 = 0; k0 < BK; k0 += 4) {
            float4 a[TM]; // four k of each of the thread's rows
            const int even = k0 / 4 ^ my_line, odd = even ^ (SWIZZLE ? BK / 8 : 0); // 4 rows on, line() is half a turn on
#pragma unroll
            for (int i = 0; i < TM; ++i)
                a[i] = *reinterpret_cast<const float4*>(a_box + (my_row + i * 4) * BK + (i % 2 == 0 ? even : odd) * 4);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (k < 3 || k0 + 4 < BK) read_b((k + 1) % 2, k0 + k + 1);
#pragma unroll
                for (int i = 0; i < TM; ++i)
#pragma unroll
                    for (int step = 0; step < TN; ++step) {
                        const int j = (i + k * TM) % 2 == 0 ? step : TN - 1 - step; // there and back
                        sum[i][j] = fmaf(element(a[i], k), element(b[k % 2][j / 4], j % 4), sum[i][j]);
                    }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            finish4(C, M, N, row0 + my_row + i * 4, column0 + my_column + j / 4 * 32, alpha, &sum[i][j], beta);
}
