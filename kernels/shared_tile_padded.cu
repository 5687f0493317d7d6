/* gemmscope
family = "side_steps"
rung = 3
provenance = "blog post of 13 December 2019 (namespace wuk) kernel 2, v4"
title = { en = "Shared-memory tile, padded", zh = "共享内存分块，加填充" }
idea = { en = "One unused word after each row of the A tile: a column's words fall into different banks, and the conflicts are gone.", zh = "A 分块每行末尾空出一个字：同一列的字落到不同的存储体，冲突消失。" }
look = { view = "banks", en = "Excessive wavefronts of reads of A: PAD 0 against 1.", zh = "读 A 的多余 wavefront：比较 PAD = 0 与 1。" }
story = { en = """
"Shared-memory tile, lanes down rows" reads a column of its A tile: with rows of 32 words, all 32 lanes meet one bank. One unused
word after each row sends neighbouring rows to neighbouring banks, and 32 wavefronts become one. Slide PAD and watch one read of A
in the PTX. It takes 32 wavefronts with PAD = 0, one with 1 and 3, two with 2, four with 4. Only an odd number of words has no
divisor in common with 32 banks. The whole grid's numbers say something else, because they count the machine code. With 2 and 4
ptxas fuses two or four reads into a wider one, which needs no more wavefronts than its bytes. Two reads of shared memory for one
FMA are what is left, and the next limit.
""", zh = """
“共享内存分块，lane 沿行向下”读 A 分块的一列：每行 32 个字时，32 个 lane 全落在同一个存储体。每行末尾空出一个字，相邻的行就错开到相邻的
存储体，32 个 wavefront 变成 1 个。滑动 PAD，看 PTX 里的一次读 A：PAD = 0 时 32 个 wavefront，1 和 3 时一个，2 时两个，4 时四个。
只有奇数个字才与 32 个存储体没有公约数。整个网格的数字与此不同，因为它统计机器码：取 2 和 4 时，ptxas 把两次或四次读取合成一次更宽的，
所需的 wavefront 不多于字节数的要求。剩下的瓶颈是：每条 FMA 仍要两次读共享内存。
""" }

[[parameter]]
name = "TILE"
values = [8, 16, 32]
initial = 32
label = { en = "tile edge", zh = "分块边长" }
meaning = { en = "rows and columns of C per block, and elements of k per tile", zh = "每个线程块的 C 行数与列数，也是每个分块的 k 长度" }

[[parameter]]
name = "PAD"
values = [0, 1, 2, 3, 4]
initial = 1
label = { en = "padding per row", zh = "每行填充" }
meaning = { en = "unused words after each row of the A tile", zh = "A 分块每行末尾不用的字数" }

[[rule]]
expression = "TILE * TILE <= 1024"
reason = { en = "One thread per element of the tile, and a block holds at most 1024 threads.", zh = "分块的每个元素对应一个线程，而一个线程块最多 1024 个线程。" }

[[rule]]
expression = "TILE * TILE >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[[break]]
name = "no_second_barrier"
label = { en = "No second barrier", zh = "去掉第二个屏障" }
look = { en = "A fast warp overwrites a tile that a slow warp still reads: the finding names the store, the read and both warps.", zh = "快的 warp 覆盖了慢的 warp 还在读的分块：检查结果指出写入、读取和两个 warp。" }
finding = "shared_race"
when = "K > TILE"
find = '        __syncthreads(); // everyone has read the tile: it may be overwritten'
replace = '        // no barrier: everyone has read the tile: it may be overwritten'

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
