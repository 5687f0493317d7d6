/* gemmscope
family = "binary"
rung = 7
arch = "sm_80"
operands = "b1"
tensor_cores = true
provenance = "this program"
title = { en = "Bits, tensor cores", zh = "二值，张量核心" }
idea = { en = "Tensor cores count the bits that both have; what differs follows from three counts.", zh = "张量核心数出两边都置位的位数；由三个计数就能得出不同的位数。" }
look = { view = "timeline", en = "One mma is 65,536 operations.", zh = "一条 mma 是 65,536 次运算。" }
story = { en = """
One tensor-core instruction takes 16 x 256 bits of A and 256 x 8 of B. It adds popc(a & b) to 128 sums. That is 32,768 multiply-adds
of a warp at once. There is one with xor, too, but since Hopper it is made of others. So the kernel takes what is hardware: popc(a ^
b) = popc(a) + popc(b) - 2 popc(a & b). Hence a product is K - 2 popc(a) - 2 popc(b) + 4 popc(a & b). The two further counts belong
to a row of A and to a column of B. Each thread counts its share of these once for the tile, not once for each element of C.
cp.async brings STAGES tiles in a ring. Rows of A have four words of padding in shared memory and rows of B eight. The 32 lanes that
fetch a fragment, eight rows and four words of each, then touch 32 banks.
""", zh = """
一条张量核心指令取 A 的 16 x 256 位和 B 的 256 x 8 位，给 128 个累加值各加上 popc(a & b)：一个 warp 一次完成 32,768 次乘加。也有用 xor 的指令，但从
Hopper 起它由别的指令拼成，所以本内核只用硬件真有的：popc(a ^ b) = popc(a) + popc(b) - 2 popc(a & b)，于是乘积为 K - 2 popc(a) - 2 popc(b) + 4 popc(a & b)。
另外两个计数分别属于 A 的一行和 B 的一列：每个线程数自己那一份，每个分块只数一次，而不是 C 的每个元素数一次。cp.async 让 STAGES 个分块排成环。共享内存里
A 的每行填充四个字，B 的每行填充八个字：32 个 lane 取一个片段，即八行、每行四个字，正好落在 32 个存储体。
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
values = [256, 512, 1024]
initial = 512
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile, a bit each", zh = "每个分块的 k 长度，每个元素一位" }

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
values = [2, 3, 4]
initial = 3
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles in shared memory: one multiplied, the others under way", zh = "共享内存中的分块数：一个在算，其余在途" }

[[rule]]
expression = "(BM % WM == 0) && (BN % WN == 0)"
reason = { en = "The block's tile must divide into whole warp tiles.", zh = "线程块的分块必须能分成整数个 warp 分块。" }

[[rule]]
expression = "(BM / WM) * (BN / WN) <= 32"
reason = { en = "A block holds at most 1024 threads, 32 warps.", zh = "一个线程块最多 1024 个线程，即 32 个 warp。" }

[[rule]]
expression = "(WM * WN / 32 + WM / 4 + WN / 4 + 72) * 32 * (BM / WM) * (BN / WN) <= 65536"
reason = { en = "All threads of a block share the SM's 65,536 registers: fewer warps, or smaller warp tiles.", zh = "线程块的所有线程共用 SM 的 65,536 个寄存器：请减少 warp 或缩小 warp 分块。" }

[[rule]]
expression = "STAGES * (BM * (BK / 32 + 4) + BK / 32 * (BN + 8)) * 4 <= 166912"
reason = { en = "All stages must fit in a block's largest shared memory, 163 KB before Hopper.", zh = "所有阶段必须放得进一个线程块最大的共享内存，Hopper 之前为 163 KB。" }

[launch]
block = ["(BM / WM) * (BN / WN) * 32"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
dynamic_shared = "STAGES * (BM * (BK / 32 + 4) + BK / 32 * (BN + 8)) * 4"
*/

// BYTES from global to shared memory; of them `read` are read and the rest becomes zeros.
template <int BYTES>
__device__ __forceinline__ void copy(unsigned* to, const unsigned* from, int read) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(BYTES), "r"(read)
                 : "memory");
}

// Copies this thread's share of a ROWS x COLUMNS box of matrix[rows][columns], in words, zeros for what lies outside. Does not wait.
template <int ROWS, int COLUMNS, int STRIDE, int THREADS>
__device__ __forceinline__ void copy_box(unsigned* to, const unsigned* matrix, int rows, int columns, int row0, int column0) {
    constexpr int PIECES = ROWS * COLUMNS / 4;
    const bool aligned = columns % 4 == 0; // then rows start at multiples of 16 bytes
#pragma unroll
    for (int i = 0; i < (PIECES + THREADS - 1) / THREADS; ++i) {
        const int piece = threadIdx.x + i * THREADS;
        if (PIECES % THREADS != 0 && piece >= PIECES) break;
        const int r = piece / (COLUMNS / 4), c = piece % (COLUMNS / 4) * 4;
        const int inside = row0 + r < rows ? min(max(columns - column0 - c, 0), 4) : 0; // so many words from here on
        const unsigned* from = inside > 0 ? matrix + (size_t)(row0 + r) * columns + column0 + c : matrix; // some address, even for none
        if (aligned) copy<16>(to + r * STRIDE + c, from, inside * 4);
        else
            for (int j = 0; j < 4; ++j) copy<4>(to + r * STRIDE + c + j, j < inside ? from + j : matrix, j < inside ? 4 : 0);
    }
}

// c[16][8] += popc(a[16][256] & b[256][8]). A lane has of A rows lane / 4 and eight further (i % 2), word lane % 4 + 4 * (i / 2); of B the same
// words at column lane / 4; of C the same rows (i / 2) at columns lane % 4 * 2 and the next (i % 2).
__device__ __forceinline__ void multiply(int (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two neighbouring sums become elements of C. As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ void finish2(float* C, int M, int N, int row, int column, float alpha, float2 sum, float beta) {
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    if (N % 2 == 0) {
        float2 v = make_float2(alpha * sum.x, alpha * sum.y);
        if (beta != 0) {
            const float2 before = *reinterpret_cast<const float2*>(c);
            v = make_float2(fmaf(beta, before.x, v.x), fmaf(beta, before.y, v.y));
        }
        *reinterpret_cast<float2*>(c) = v;
        return;
    }
    c[0] = beta == 0 ? alpha * sum.x : fmaf(beta, c[0], alpha * sum.x);
    if (column + 1 < N) c[1] = beta == 0 ? alpha * sum.y : fmaf(beta, c[1], alpha * sum.y);
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], where A and B hold +1 and -1, 32 along k to a word: A[M][words], B[words][N].
template <int BM, int BN, int BK, int WM, int WN, int STAGES>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
binary_tensor(int M, int N, int K, float alpha, const unsigned* A, const unsigned* B, float beta, float* C) {
    constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
    constexpr int WORDS = BK / 32;                           // of k in a tile
    constexpr int A_ROW = WORDS + 4, B_ROW = BN + 8;         // words from row to row in shared memory
    constexpr int STAGE = BM * A_ROW + WORDS * B_ROW;        // words
    constexpr int COUNTS = (BM + BN + THREADS - 1) / THREADS; // rows of A and columns of B whose bits a thread counts
    extern __shared__ __align__(16) unsigned stages[];       // STAGES times: A's box [BM][A_ROW], then B's [WORDS][B_ROW]

    const int words = (K + 31) / 32;
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN; // the block's tile of C starts here
    const int tiles = (words + WORDS - 1) / WORDS;
    const auto copy_tile = [&](int tile) {
        if (tile < tiles) {
            unsigned* stage = stages + tile % STAGES * STAGE;
            copy_box<BM, WORDS, A_ROW, THREADS>(stage, A, M, words, row0, tile * WORDS);
            copy_box<WORDS, BN, B_ROW, THREADS>(stage + BM * A_ROW, B, words, N, tile * WORDS, column0);
        }
        asm volatile("cp.async.commit_group;" ::: "memory"); // one group per tile, empty after the last
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) copy_tile(s);

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int my_row = warp / (BN / WN) * WM + lane / 4, my_column = warp % (BN / WN) * WN + lane / 4, my_word = lane % 4;

    int both[WM / 16][WN / 8][4] = {}; // bits set in a and in b
    int set[COUNTS] = {};              // in a row of A, or in a column of B
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory"); // my copies of this tile have arrived
        __syncthreads();              // everyone's have; and everyone has read the tile before this
        copy_tile(tile + STAGES - 1); // into the stage of the tile before this

        const unsigned* a_box = stages + tile % STAGES * STAGE;
        const unsigned* b_box = a_box + BM * A_ROW;
#pragma unroll
        for (int i = 0; i < COUNTS; ++i) {
            const int line = threadIdx.x + i * THREADS;
            if (line < BM)
                for (int w = 0; w < WORDS; ++w) set[i] += __popc(a_box[line * A_ROW + w]);
            else if (line < BM + BN)
                for (int w = 0; w < WORDS; ++w) set[i] += __popc(b_box[w * B_ROW + line - BM]);
        }
#pragma unroll
        for (int w0 = 0; w0 < WORDS; w0 += 8) {
            unsigned b[WN / 8][2];
#pragma unroll
            for (int j = 0; j < WN / 8; ++j)
#pragma unroll
                for (int i = 0; i < 2; ++i) b[j][i] = b_box[(w0 + my_word + i * 4) * B_ROW + my_column + j * 8];
#pragma unroll
            for (int m = 0; m < WM / 16; ++m) {
                unsigned a[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) a[i] = a_box[(my_row + m * 16 + i % 2 * 8) * A_ROW + w0 + my_word + i / 2 * 4];
#pragma unroll
                for (int j = 0; j < WN / 8; ++j) multiply(both[m][j], a, b[j]);
            }
        }
    }

    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads(); // everyone has read the last tile: its place is free for the counts
    int* counts = reinterpret_cast<int*>(stages); // of BM rows, then of BN columns
#pragma unroll
    for (int i = 0; i < COUNTS; ++i)
        if (threadIdx.x + i * THREADS < BM + BN) counts[threadIdx.x + i * THREADS] = set[i];
    __syncthreads(); // the counts are complete

    const int c0 = my_column - lane / 4 + lane % 4 * 2; // the thread's first column of the tile of C
    int in_row[WM / 16][2], in_column[WN / 8][2];       // bits set, of the thread's rows and columns
#pragma unroll
    for (int i = 0; i < WM / 8; ++i) in_row[i / 2][i % 2] = counts[my_row + i * 8];
#pragma unroll
    for (int j = 0; j < WN / 4; ++j) in_column[j / 2][j % 2] = counts[BM + c0 + j / 2 * 8 + j % 2];
#pragma unroll
    for (int m = 0; m < WM / 16; ++m)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const auto product = [&](int i) { // exact: FP32 holds every integer up to 2^24
                    return (float)(K - 2 * (in_row[m][h] + in_column[j][i] - 2 * both[m][j][h * 2 + i]));
                };
                finish2(C, M, N, row0 + my_row + m * 16 + h * 8, column0 + c0 + j * 8, alpha, make_float2(product(0), product(1)), beta);
            }
}
