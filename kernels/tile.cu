/* gemmscope
family = "ladder"
rung = 3
provenance = "the tile of the CUDA C++ Programming Guide, Shared Memory"
title = { en = "Shared-memory tile", zh = "共享内存分块" }
idea = { en = "A block stages square tiles of A and B in shared memory, so each element is read from global memory once per block.", zh = "线程块先把 A、B 的方块放进共享内存：每个元素每个线程块只从全局内存读一次，而不是每个线程读一次。" }
look = { view = "banks", en = "Reads of A are broadcasts, reads of B meet 32 banks: one wavefront each.", zh = "读 A 是广播，读 B 落在 32 个存储体：各一个 wavefront。" }
story = { en = """
The naive kernel reads every element of A and B again for each thread that needs it. Here a block of TILE x TILE threads copies a
TILE x TILE square of A and of B into shared memory. Every thread copies one element of each, and both copies coalesce. Then each
thread runs along its row of one tile and down its column of the other. Each copied element serves TILE threads, so global traffic
falls by a factor of TILE. The lanes of a warp lie along a row of C, as on the rung before. They read one word of A together, a
broadcast, and 32 neighbouring words of B, one in each bank: no bank conflict. Two barriers hold it together: no thread multiplies
before the tile is complete, and none overwrites it before everyone has read it. What is left: each FMA still needs two values from
shared memory.
""", zh = """
朴素版里，每个线程都把所需的 A、B 元素重新读一遍。这里 TILE x TILE 个线程组成的线程块先把 A 和 B 各一个 TILE x TILE 的方块拷贝到共享内存；
每个线程各拷贝一个元素，两次拷贝都是合并访问。随后每个线程沿一个方块的行、另一个方块的列相乘累加，全局内存的流量降为 1/TILE。
一个 warp 的 lane 与上一级一样沿 C 的一行排列：读 A 时同读一个字（广播），读 B 时读 32 个相邻的字，各在一个存储体，没有冲突。
两次屏障缺一不可：分块没有到齐之前不能计算，所有线程读完之前不能覆盖。剩下的问题：每条 FMA 仍要从共享内存取两个值。
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
//
//                 +--TILE--+
//                 |   Bs   | TILE     The block's tile of C is the product of a band of tiles of A and a band of tiles of B.
//                 +--------+          Per pair of tiles a thread copies one element of each; then it multiplies its row of
//      +--TILE--+ +--------+          As with its column of Bs: TILE FMAs between two barriers, and each copied element
//      |   As   | |   C    | TILE     serves TILE threads.
//      +--------+ +--------+
template <int TILE>
__global__ void __launch_bounds__(TILE * TILE)
tile(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float As[TILE][TILE]; // [m][k]
    __shared__ float Bs[TILE][TILE]; // [k][n]

    const int x = threadIdx.x; // the fastest index: lanes along the columns of C
    const int y = threadIdx.y;
    const int row = blockIdx.y * TILE + y; // the thread's element of C
    const int column = blockIdx.x * TILE + x;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        // Copy, lanes along rows of A and of B: coalesced, and neighbouring banks. Zeros stand in for what lies
        // outside the matrices: they add nothing to the sums.
        As[y][x] = row < M && k0 + x < K ? A[(size_t)row * K + k0 + x] : 0;
        Bs[y][x] = k0 + y < K && column < N ? B[(size_t)(k0 + y) * N + column] : 0;
        __syncthreads(); // the tile is complete

        // As[y][k]: one word for all lanes that share y, a broadcast. Bs[k][x]: neighbouring lanes, neighbouring banks.
        for (int k = 0; k < TILE; ++k) sum = fmaf(As[y][k], Bs[k][x], sum);
        __syncthreads(); // everyone has read the tile: it may be overwritten
    }

    // No return before the last barrier: threads outside C have copied for the others.
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
}
