/* gemmscope
family = "side_steps"
rung = 3
provenance = "seed 003 kernel 2, v4"
title = { en = "Shared-memory tile, padded", zh = "共享内存分块，加填充" }
idea = { en = "One unused word after each row of the A tile: a column's words fall into different banks, and the conflicts are gone.", zh = "A 分块每行末尾空出一个字：同一列的字落到不同的存储体，冲突消失。" }
story = { en = """
Shared-memory tile reads a column of its A tile; with rows of 32 words all 32 lanes meet one bank. One unused word after
each row sends neighbouring rows to neighbouring banks, and 32 wavefronts become one, at the price of a word per row. Slide
PAD and watch the excessive wavefronts: 0 brings the conflict back, every other value is free of it. The odd ones leave the
reads of A at four bytes; with 2 and 4 the GPU's assembler fuses two or four of them into one wider read, which takes fewer
instructions and as many wavefronts. Two reads of shared memory for one FMA are what is left, and the next limit.
""", zh = """
“共享内存分块”读 A 分块的一列；每行 32 个字时，32 个 lane 全落在同一个存储体。每行末尾空出一个字，相邻的行就错开到相邻的存储体，32 个 wavefront
变成 1 个，代价是每行一个字。滑动 PAD，看多余的 wavefront：0 时冲突重现，其余取值都没有冲突。奇数时 A 每次读 4 字节；取 2 和 4 时，GPU 的汇编器
把两次或四次读取合成一次更宽的，指令更少，wavefront 一样多。剩下的瓶颈是：每条 FMA 仍要两次读共享内存。
""" }

[[parameter]]
name = "TILE"
values = [8, 16, 32]
initial = 32
meaning = { en = "rows and columns of C per block, and elements of k per tile", zh = "每个线程块的 C 行数与列数，也是每个分块的 k 长度" }

[[parameter]]
name = "PAD"
values = [0, 1, 2, 3, 4]
initial = 1
meaning = { en = "unused words after each row of the A tile", zh = "A 分块每行末尾不用的字数" }

[[rule]]
expression = "TILE * TILE <= 1024"
reason = { en = "One thread per element of the tile, and a block holds at most 1024 threads.", zh = "分块的每个元素对应一个线程，而一个线程块最多 1024 个线程。" }

[[rule]]
expression = "TILE * TILE >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[launch]
block = ["TILE", "TILE"]
grid = ["ceil_div(N, TILE)", "ceil_div(M, TILE)"]
dynamic_shared = "0"
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int TILE, int PAD>
__global__ void __launch_bounds__(TILE * TILE)
shared_tile_padded(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float As[TILE][TILE + PAD]; // [m][k], and PAD words that nobody uses
    __shared__ float Bs[TILE][TILE];       // [k][n]

    const int row0 = blockIdx.y * TILE; // the block's tile of C starts here
    const int column0 = blockIdx.x * TILE;
    const int x = threadIdx.x; // the fastest index: 0..TILE-1 along the lanes
    const int y = threadIdx.y;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        // Copy, lanes along rows of A and of B. Zeros stand in for what lies outside the matrices.
        As[y][x] = row0 + y < M && k0 + x < K ? A[(size_t)(row0 + y) * K + k0 + x] : 0;
        Bs[y][x] = k0 + y < K && column0 + x < N ? B[(size_t)(k0 + y) * N + column0 + x] : 0;
        __syncthreads(); // the tile is complete

        // The same careless map as Shared-memory tile: lanes run down the rows of C. As[x][k]: lanes TILE + PAD words
        // apart. With TILE + PAD odd, 32 lanes meet 32 banks, since an odd step has no divisor in common with 32.
        for (int k = 0; k < TILE; ++k) sum = fmaf(As[x][k], Bs[k][y], sum);
        __syncthreads(); // everyone has read the tile: it may be overwritten
    }

    const int row = row0 + x;
    const int column = column0 + y;
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
}
