/* gemmscope
family = "ladder"
rung = 3
provenance = "seed 003 v3"
title = { en = "Shared-memory tile", zh = "共享内存分块" }
idea = { en = "Square tiles of A and B wait in shared memory; a careless thread map makes every read of A a bank conflict.", zh = "A、B 的方块先放进共享内存；但线程映射随意，使每次读 A 都发生存储体冲突。" }
story = { en = """
A block copies a TILE x TILE square of A and of B into shared memory, so each element comes from global memory once per
block instead of TILE times. The copies coalesce. But the thread map lets the lanes run down the rows of C: they read a
column of the A tile, whose rows are TILE words long. With TILE = 32 all 32 words lie in one bank and one read takes 32
wavefronts, so this rung can be slower than no shared memory at all. Look at the banks before you look at the clock.
""", zh = """
线程块把 A 和 B 各一个 TILE x TILE 的方块复制到共享内存，每个元素每块只从全局内存读一次，而不是 TILE 次，复制时访存也是合并的。
但这里的线程映射让 lane 沿 C 的各行向下排：它们读 A 方块的一列，而方块每行长 TILE 个字。TILE = 32 时 32 个字都落在同一个存储体，
一次读取要 32 个 wavefront，可能比不用共享内存还慢。先看存储体，再看时间。
""" }

[[parameter]]
name = "TILE"
values = [8, 16, 32]
initial = 32
meaning = { en = "rows and columns of C per block, and elements of k per tile", zh = "每个线程块的 C 行数与列数，也是每个分块的 k 长度" }

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
