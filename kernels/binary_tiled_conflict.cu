/* gemmscope
family = "binary"
rung = 5
operands = "b1"
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "Bits, tiles, lanes down rows", zh = "二值，分块，lane 沿行向下" }
idea = { en = "Tiles of words in shared memory cut the traffic by TILE; an unfortunate thread map pays for it in the banks.", zh = "字的分块放进共享内存，流量减为 1 / TILE；线程映射不当，又在存储体上付了代价。" }
look = { view = "banks", en = "Eight wavefronts with TILE = 16, two with 8.", zh = "TILE = 16 时八个 wavefront，8 时两个。" }
story = { en = """
A tile of TILE x TILE words holds 32 TILE elements of k. With TILE = 16 one barrier serves 512 steps of a sum. The unrolled loop is
xor, popc and add with two reads of shared memory. But the lanes run down the rows of C, as in "Shared-memory tile, lanes down rows"
of the ladder. They read As[x][w], words that lie TILE apart. 16 words in two banks take eight wavefronts with TILE = 16, eight
words in four banks two with TILE = 8. With TILE = 4 they lie in banks of their own, and there is little reuse. ptxas hides half of
it. It fuses four neighbouring reads of a thread into one of 16 bytes, which takes 16 wavefronts in place of 32. Look at the banks,
then swap the two thread indices.
""", zh = """
TILE x TILE 个字的分块沿 k 含 32 TILE 个元素：TILE = 16 时，一次屏障管求和的 512 步，展开的循环就是 xor、popc、加法和两次共享内存读取。但 lane 沿 C
的各行向下排，和阶梯里“共享内存分块，lane 沿行向下”那一级一样：它们读 As[x][w]，彼此相隔 TILE 个字。TILE = 16 时 16 个字落在两个存储体，要八个 wavefront；TILE = 8 时
八个字落在四个存储体，要两个；TILE = 4 时各在自己的存储体，但复用太少。汇编器遮住了一半：它把一个线程相邻的四次读取合并成一次 16 字节的读取，
共 16 个 wavefront，而不是 32 个。先看存储体，再把两个线程下标对调。
""" }

[[parameter]]
name = "TILE"
values = [4, 8, 16]
initial = 16
label = { en = "tile edge", zh = "分块边长" }
meaning = { en = "rows and columns of C per block, and words of k per tile, 32 elements each", zh = "每个线程块的 C 行数与列数，也是每个分块的 k 字数，每字 32 个元素" }

[[rule]]
expression = "TILE * TILE <= 1024"
reason = { en = "One thread per element of the tile, and a block holds at most 1024 threads.", zh = "分块的每个元素对应一个线程，而一个线程块最多 1024 个线程。" }

[launch]
block = ["TILE", "TILE"]
grid = ["ceil_div(N, TILE)", "ceil_div(M, TILE)"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], where A and B hold +1 and -1, 32 along k to a word: A[M][words], B[words][N].
template <int TILE>
__global__ void __launch_bounds__(TILE * TILE)
binary_tiled_conflict(int M, int N, int K, float alpha, const unsigned* A, const unsigned* B, float beta, float* C) {
    __shared__ unsigned As[TILE][TILE]; // [row][word]
    __shared__ unsigned Bs[TILE][TILE]; // [word][column]

    const int words = (K + 31) / 32;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE; // the block's tile of C starts here
    const int x = threadIdx.x, y = threadIdx.y;                      // x runs along the lanes

    int unequal = 0; // pairs of which one is -1: their products are -1
    for (int w0 = 0; w0 < words; w0 += TILE) {
        // Lanes along rows of A and of B. Zeros stand in for words outside, in A as in B: equal bits are not counted.
        As[y][x] = row0 + y < M && w0 + x < words ? A[(size_t)(row0 + y) * words + w0 + x] : 0;
        Bs[y][x] = w0 + y < words && column0 + x < N ? B[(size_t)(w0 + y) * N + column0 + x] : 0;
        __syncthreads(); // the tiles are complete

        // Lanes down the rows of C: As[x][w] lie TILE words apart. Bs[w][y]: one word for all lanes that share y.
#pragma unroll
        for (int w = 0; w < TILE; ++w) unequal += __popc(As[x][w] ^ Bs[w][y]);
        __syncthreads(); // everyone has read them: they may be overwritten
    }

    // The same map makes the stores of C run down rows: one sector for each lane, but only once per thread.
    const int row = row0 + x, column = column0 + y;
    if (row >= M || column >= N) return;
    const float sum = K - 2 * unequal; // exact: FP32 holds every integer up to 2^24
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
}
