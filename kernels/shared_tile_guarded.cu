/* gemmscope
family = "side_steps"
rung = 2
provenance = "blog post of 13 December 2019 (namespace wuk) kernels 1 and 3"
title = { en = "Shared-memory tile, guards compared", zh = "共享内存分块，边界检查的三种做法" }
idea = { en = "Three ways to keep a tile inside the matrices: test every element, move the last block back, or let only blocks at the edge test.", zh = "让分块不越出矩阵的三种办法：逐元素判断、把最后一块移回来、只让边缘的块判断。" }
look = { view = "numbers", en = "Instructions at 256 with each GUARD; sectors at 129 x 130 x 131.", zh = "256 时每种 GUARD 的指令数；129 x 130 x 131 时的扇区数。" }
story = { en = """
Matrices are rarely whole numbers of tiles. GUARD 0 tests every element that is copied. That is always right, and every tile of
every block pays for it: at 256 x 256 x 256 some 7 % of all instructions. GUARD 2 asks once a block whether its tile lies inside;
only blocks at the edge test elements. GUARD 1 has no blocks at the edge at all. The last one moves back until it fits, and computes
again what its neighbour computes: see the extra sectors at 129 x 130 x 131. It must not write that part again: with beta other than
0 an element would get beta times a C that is already new. The document behind this kernel allowed beta = 0 only. Take out the line
before the store, and the check names the two blocks that write one element.
""", zh = """
矩阵很少正好是整数个分块。GUARD 0 判断每个要拷贝的元素：总是正确，但每个块的每个分块都要付出代价，256 x 256 x 256 时约占全部指令的 7%。
GUARD 2 每块只问一次分块是否在矩阵内，只有边缘的块逐元素判断。GUARD 1 没有边缘块：最后一块往回移到刚好放得下，把邻块算的又算一遍
（看 129 x 130 x 131 时多出的扇区）。那部分不能再写一次：beta 不为 0 时，会把 beta 乘到已经更新过的 C 上；原文档因此只允许 beta = 0。
删掉存储前的那一行，检查会指出写同一元素的两个线程块。
""" }

[[parameter]]
name = "TILE"
values = [8, 16, 32]
initial = 32
label = { en = "tile edge", zh = "分块边长" }
meaning = { en = "rows and columns of C per block, and elements of k per tile", zh = "每个线程块的 C 行数与列数，也是每个分块的 k 长度" }

[[parameter]]
name = "GUARD"
values = [0, 1, 2]
initial = 0
label = { en = "bounds check", zh = "边界检查" }
meaning = { en = "0: every element is tested, 1: the block moves back inside, 2: only blocks at the edge test", zh = "0：每个元素都判断，1：线程块移回矩阵内，2：只有边缘的块判断" }
words = [{ en = "each", zh = "逐个" }, { en = "shift", zh = "移回" }, { en = "edge", zh = "仅边缘" }]

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

// One tile of A and of B into shared memory, a thread an element of each. GUARDED: zeros stand in for what lies outside.
template <int TILE, bool GUARDED>
__device__ __forceinline__ void copy(float (&As)[TILE][TILE], float (&Bs)[TILE][TILE], const float* A, const float* B,
                                     int M, int N, int K, int row0, int column0, int k0) {
    const int x = threadIdx.x, y = threadIdx.y;
    const bool a = !GUARDED || (row0 + y < M && k0 + x < K);
    const bool b = !GUARDED || (k0 + y < K && column0 + x < N);
    As[y][x] = a ? A[(size_t)(row0 + y) * K + k0 + x] : 0;
    Bs[y][x] = b ? B[(size_t)(k0 + y) * N + column0 + x] : 0;
}

// What the block adds to a sum from tile k0, by the careless map of Shared-memory tile: lanes run down the rows of C.
template <int TILE>
__device__ __forceinline__ float multiply(const float (&As)[TILE][TILE], const float (&Bs)[TILE][TILE], float sum) {
    for (int k = 0; k < TILE; ++k) sum = fmaf(As[threadIdx.x][k], Bs[k][threadIdx.y], sum);
    return sum;
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int TILE, int GUARD>
__global__ void __launch_bounds__(TILE * TILE)
shared_tile_guarded(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float As[TILE][TILE]; // [m][k]
    __shared__ float Bs[TILE][TILE]; // [k][n]

    const int first_row = blockIdx.y * TILE; // of the block's own part of C
    const int first_column = blockIdx.x * TILE;
    // GUARD 1: the last block of a row or column starts where its tile just ends inside. Part of it then belongs to its
    // neighbour, too, and is computed twice. A matrix smaller than a tile has no such place.
    const bool fits = M >= TILE && N >= TILE;
    const int row0 = GUARD == 1 && fits ? min(first_row, M - TILE) : first_row;
    const int column0 = GUARD == 1 && fits ? min(first_column, N - TILE) : first_column;
    // The same for all threads of a block, so the branches below cost one test a tile and no lane waits for another.
    const bool inside = row0 + TILE <= M && column0 + TILE <= N;

    float sum = 0;
    int k0 = 0;
    if (GUARD != 0 && inside) {
        for (; k0 + TILE <= K; k0 += TILE) { // whole tiles: nothing to test
            copy<TILE, false>(As, Bs, A, B, M, N, K, row0, column0, k0);
            __syncthreads(); // the tile is complete
            sum = multiply<TILE>(As, Bs, sum);
            __syncthreads(); // everyone has read the tile: it may be overwritten
        }
    }
    for (; k0 < K; k0 += TILE) { // what is left of k; moved back, it would be added twice
        copy<TILE, true>(As, Bs, A, B, M, N, K, row0, column0, k0);
        __syncthreads();
        sum = multiply<TILE>(As, Bs, sum);
        __syncthreads();
    }

    const int row = row0 + threadIdx.x; // the same map
    const int column = column0 + threadIdx.y;
    if (row >= M || column >= N) return;
    // A moved block leaves what is its neighbour's alone. Without this line both write it: the same value while beta is 0;
    // with another beta whoever comes second adds beta times a C that is no longer the old one.
    if (row < first_row || column < first_column) return;
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
}
