/* gemmscope
family = "side_steps"
rung = 4
provenance = "blog post of 13 December 2019 (namespace wuk) v5"
title = { en = "Strips of four", zh = "每线程 1 × 4 条带" }
idea = { en = "A thread owns four neighbouring elements of C, so one 16-byte read of B and one word of A feed four FMAs.", zh = "每个线程负责 C 的四个相邻元素：一次 16 字节读 B、一个字的 A，就供得上四条 FMA。" }
look = { view = "banks", en = "Stores of A take eight wavefronts; reads feed four FMAs with two instructions.", zh = "写 A 要八个 wavefront；两次读取供四条 FMA。" }
story = { en = """
One element of C per thread needs two words of shared memory for each FMA. Here a thread owns a strip of four neighbours in a row.
Per k it needs one word of A, one 16-byte read of B, and four FMAs. Of the six instructions of a step four are FMAs: 2/3. With
PREFETCH = 1 the next tile is on its way from global memory while this one is multiplied; it waits in eight registers. A lies
transposed in shared memory, and the published kernel forgot one index there: its product was wrong. Break it yourself: in the line
that stores A write 0 for y: the switch "The published store of A" does it. The checks name lanes that overwrite each other.
""", zh = """
每个线程只算 C 的一个元素时，每条 FMA 要读两个字的共享内存。这里每个线程负责一行里相邻的四个元素：每步 k 读一个字的 A、16 字节的 B，做四条
FMA。一步六条指令里有四条是 FMA：2/3。PREFETCH = 1 时，计算当前分块的同时下一分块已从全局内存出发，在八个寄存器里等着。A 在共享内存里是转置存放的，
而公开发表的内核在这里漏了一个下标，结果是错的。自己弄坏它试试：把存 A 那一行的 y 改成 0（开关“发表时的 A 写入”就是这样）；检查会指出互相覆盖的 lane。
""" }

[[parameter]]
name = "TILE"
values = [16, 32, 64]
initial = 32
label = { en = "tile edge", zh = "分块边长" }
meaning = { en = "rows and columns of C per block, and elements of k per tile", zh = "每个线程块的 C 行数与列数，也是每个分块的 k 长度" }

[[parameter]]
name = "PREFETCH"
values = [0, 1]
initial = 1
label = { en = "prefetch", zh = "预取" }
meaning = { en = "1: the next tile is loaded into registers before the arithmetic", zh = "1：计算之前先把下一分块读进寄存器" }
words = [{ en = "off", zh = "关" }, { en = "on", zh = "开" }]

[[rule]]
expression = "TILE % 4 == 0"
reason = { en = "Tiles are copied four floats at a time, so TILE must be a multiple of 4.", zh = "分块每次拷贝四个浮点数，所以 TILE 必须是 4 的倍数。" }

[[rule]]
expression = "TILE * TILE / 4 <= 1024"
reason = { en = "A block holds at most 1024 threads, each with four elements of the tile.", zh = "一个线程块最多 1024 个线程，每个负责分块的四个元素。" }

[[rule]]
expression = "TILE * TILE / 4 >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[[break]]
name = "published_store"
label = { en = "The published store of A", zh = "发表时的 A 写入" }
look = { en = "Every row of the A tile lands in column 0, as in the published kernel. Lanes overwrite each other, the other columns stay unwritten, and C is wrong.", zh = "与公开发表的内核一样，A 分块的每一行都落在第 0 列：lane 互相覆盖，其余各列从未写入，C 是错的。" }
finding = ["shared_race", "uninitialised_shared"]
find = 'As[x][y] = a.x, As[x + 1][y] = a.y, As[x + 2][y] = a.z, As[x + 3][y] = a.w;'
replace = 'As[x][0] = a.x, As[x + 1][0] = a.y, As[x + 2][0] = a.z, As[x + 3][0] = a.w;'

[[break]]
name = "no_second_barrier"
label = { en = "No second barrier", zh = "去掉第二个屏障" }
look = { en = "A fast warp overwrites a tile that a slow warp still reads: the finding names the store, the read and both warps.", zh = "快的 warp 覆盖了慢的 warp 还在读的分块：检查结果指出写入、读取和两个 warp。" }
finding = "shared_race"
when = "K > TILE"
find = '        __syncthreads(); // everyone has read the tile: it may be overwritten'
replace = '        // no barrier: everyone has read the tile: it may be overwritten'

[launch]
block = ["TILE / 4", "TILE"]
grid = ["ceil_div(N, TILE)", "ceil_div(M, TILE)"]
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

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int TILE, int PREFETCH>
__global__ void __launch_bounds__(TILE * TILE / 4)
thread_column(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    alignas(16) __shared__ float As[TILE][TILE]; // [k][m]: transposed
    alignas(16) __shared__ float Bs[TILE][TILE]; // [k][n]

    const int row0 = blockIdx.y * TILE; // the block's tile of C starts here
    const int column0 = blockIdx.x * TILE;
    const int y = threadIdx.y;     // the thread's row of C, and of both copies
    const int x = threadIdx.x * 4; // and the first of its four columns

    float4 a, b; // this thread's share of the next tile
    const auto load = [&](int k0) {
        a = load4(A, M, K, row0 + y, k0 + x);
        b = load4(B, K, N, k0 + y, column0 + x);
    };

    float4 sum = {};
    if (PREFETCH) load(0);
    for (int k0 = 0; k0 < K; k0 += TILE) {
        if (!PREFETCH) load(k0);
        // A on its side: four neighbours along k go to four rows, all at column y. In the published kernel that y is missing:
        // every row of A lands on the first one, and the product is wrong. (The lanes of a warp store TILE * 4 words apart,
        // into one bank: TILE / 4 wavefronts each, once a tile.)
        As[x][y] = a.x, As[x + 1][y] = a.y, As[x + 2][y] = a.z, As[x + 3][y] = a.w;
        *reinterpret_cast<float4*>(&Bs[y][x]) = b;
        __syncthreads(); // the tile is complete

        if (PREFETCH && k0 + TILE < K) load(k0 + TILE); // on its way while this tile is multiplied
        for (int k = 0; k < TILE; ++k) {
            const float av = As[k][y]; // one word for all lanes of a row of threads
            const float4 bv = *reinterpret_cast<const float4*>(&Bs[k][x]);
            sum.x = fmaf(av, bv.x, sum.x), sum.y = fmaf(av, bv.y, sum.y);
            sum.z = fmaf(av, bv.z, sum.z), sum.w = fmaf(av, bv.w, sum.w);
        }
        __syncthreads(); // everyone has read the tile: it may be overwritten
    }

    const int row = row0 + y;
    if (row >= M) return;
    const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
    float* c = C + (size_t)row * N + column0 + x;
    for (int i = 0; i < 4 && column0 + x + i < N; ++i) // beta = 0: C is not read, as in BLAS
        c[i] = beta == 0 ? alpha * sums[i] : fmaf(beta, c[i], alpha * sums[i]);
}
