/* gemmscope
family = "binary"
rung = 6
operands = "b1"
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "Bits, tiles", zh = "二值，分块" }
idea = { en = "The two thread indices swapped: lanes run along rows, and no read of the tiles is a conflict.", zh = "对调两个线程下标：lane 沿行排列，读分块时不再有冲突。" }
look = { view = "banks", en = "One wavefront.", zh = "一个 wavefront。" }
story = { en = """
The kernel before with x and y exchanged where the tiles are read and C is stored, nothing else. Lanes that share a row read one
word of A, a broadcast. The words of B that they read lie side by side, and so do the elements of C that they store. On the laptop
GPU of 2014 for which it was written this was a third faster. What is left beside xor, popc and add are the two reads for each of
them. A thread that computed several elements of C would use each word more than once, as the rungs of the ladder do after their
tiles. Look at the banks: one wavefront for each read of 4 bytes.
""", zh = """
与上一个内核相比，只在读分块和写 C 的地方对调了 x 与 y，别的都没变。同一行的 lane 读 A 的同一个字，是广播；它们读的 B 的字彼此相邻，写的 C 的元素
也相邻。在它当初面向的 2014 年的笔记本 GPU 上，这快了三分之一。除 xor、popc 和加法之外，剩下的就是每次都要的两次读取：若一个线程计算 C 的多个元素，
每个字就能用不止一次，阶梯在分块之后的各级正是这样做的。看存储体：每次 4 字节读取只要一个 wavefront。
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
binary_tiled(int M, int N, int K, float alpha, const unsigned* A, const unsigned* B, float beta, float* C) {
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

        // As[y][w]: one word for all lanes that share y, a broadcast. Bs[w][x]: neighbouring words in neighbouring banks.
#pragma unroll
        for (int w = 0; w < TILE; ++w) unequal += __popc(As[y][w] ^ Bs[w][x]);
        __syncthreads(); // everyone has read them: they may be overwritten
    }

    const int row = row0 + y, column = column0 + x;
    if (row >= M || column >= N) return;
    const float sum = K - 2 * unequal; // exact: FP32 holds every integer up to 2^24
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
}
