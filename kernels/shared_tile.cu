/* gemmscope
family = "ladder"
rung = 4
provenance = "blog post of 13 December 2019 (namespace wuk) v3"
title = { en = "Shared-memory tile, lanes down rows", zh = "共享内存分块，lane 沿行向下" }
idea = { en = "The same tiles, but the lanes of a warp run down the rows of C: every read of A becomes a 32-way bank conflict.", zh = "同样的分块，但一个 warp 的 lane 沿 C 的行向下排：每次读 A 都成了 32 路存储体冲突。" }
look = { view = "banks", en = "A read of A is a TILE-way bank conflict: TILE wavefronts.", zh = "读 A 是 TILE 路存储体冲突：TILE 个 wavefront。" }
story = { en = """
This is the rung before with two indices exchanged, and it shows what goes wrong. The lanes of a warp run down the rows of C: they
read a column of the A tile, whose rows are TILE words long. With TILE = 32 all 32 words lie in one bank, a 32-way bank conflict:
one read in the PTX takes 32 wavefronts. ptxas fuses the reads of four neighbouring k into one of 16 bytes, and that takes 32, too.
So this rung can be slower than no shared memory at all. Look at the banks before you look at the clock. The stores of C suffer from
the same map: 32 sectors where the rung before needs 4. Padding is one cure, as in "Shared-memory tile, padded" beside the ladder.
The other is the map of the rung before, on which the ladder goes on.
""", zh = """
这一级只是把上一级的两个下标对调，用来说明会出什么问题。一个 warp 的 lane 沿 C 的行向下排：它们读 A 方块的一列，而方块每行长 TILE 个字。
TILE = 32 时 32 个字都落在同一个存储体，这是 32 路存储体冲突：PTX 里的一次读取要 32 个 wavefront。ptxas 把相邻四个 k 的读取合成一次
16 字节读取，那一次也要 32 个。所以这一级可能比不用共享内存还慢。先看存储体，再看时间。写出 C 也受同样的映射之累：上一级 4 个扇区，
这里 32 个。填充是一种解法，见阶梯旁支的“共享内存分块，加填充”；另一种就是上一级的映射，阶梯由此继续。
""" }

[[parameter]]
name = "TILE"
values = [8, 16, 32]
initial = 32
label = { en = "tile edge", zh = "分块边长" }
meaning = { en = "rows and columns of C per block, and elements of k per tile", zh = "每个线程块的 C 行数与列数，也是每个分块的 k 长度" }

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

[[break]]
name = "no_first_barrier"
label = { en = "No first barrier", zh = "去掉第一个屏障" }
look = { en = "A warp multiplies before the others have stored their part of the tile.", zh = "有的 warp 在别人写完分块之前就开始计算。" }
finding = "shared_race"
find = '        __syncthreads(); // the tile is complete'
replace = '        // no barrier: the tile is complete'

[[break]]
name = "half_a_map"
label = { en = "Half of the map exchanged", zh = "线程映射只改一半" }
look = { en = "The product uses the coalesced map, the store still the other: C comes out transposed inside each tile.", zh = "乘法用了合并的映射，写出仍用原来的：C 在每个分块内被转置。" }
finding = "wrong_result"
find = 'fmaf(As[x][k], Bs[k][y], sum)'
replace = 'fmaf(As[y][k], Bs[k][x], sum)'

[[break]]
name = "no_guard"
label = { en = "No bounds check", zh = "去掉边界检查" }
look = { en = "Threads beyond the edge of C store outside the array: the finding names the lane and the address.", zh = "C 边界之外的线程写到了数组外面：检查结果指出 lane 和地址。" }
finding = ["out_of_bounds", "global_race"]
when = "M % TILE != 0 || N % TILE != 0"
find = '    if (row >= M || column >= N) return;'
replace = '    // no bounds check'

[launch]
block = ["TILE", "TILE"]
grid = ["ceil_div(N, TILE)", "ceil_div(M, TILE)"]
dynamic_shared = "0"
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int TILE>
__global__ void __launch_bounds__(TILE * TILE)
shared_tile(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float As[TILE][TILE]; // [m][k]
    __shared__ float Bs[TILE][TILE]; // [k][n]

    const int row0 = blockIdx.y * TILE; // the block's tile of C starts here
    const int column0 = blockIdx.x * TILE;
    const int x = threadIdx.x;          // the fastest index: 0..TILE-1 along the lanes
    const int y = threadIdx.y;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        // Copy, lanes along rows of A and of B: coalesced, and neighbouring banks. Zeros stand in for what lies
        // outside the matrices: they add nothing to the sums.
        As[y][x] = row0 + y < M && k0 + x < K ? A[(size_t)(row0 + y) * K + k0 + x] : 0;
        Bs[y][x] = k0 + y < K && column0 + x < N ? B[(size_t)(k0 + y) * N + column0 + x] : 0;
        __syncthreads(); // the tile is complete

        // Multiply, lanes down the rows of C. As[x][k]: lanes TILE words apart, with TILE = 32 all in one bank.
        // Bs[k][y]: one word for all lanes that share y, a broadcast.
        // (The GPU's assembler fuses four neighbouring reads of As into one of 16 bytes where it can: machine code needs
        // fewer wavefronts than this source, and still far more than it should.)
        for (int k = 0; k < TILE; ++k) sum = fmaf(As[x][k], Bs[k][y], sum);
        __syncthreads(); // everyone has read the tile: it may be overwritten
    }

    // The same map makes the stores of C run down rows: one sector for each lane, but only once per thread.
    const int row = row0 + x;
    const int column = column0 + y;
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
}
