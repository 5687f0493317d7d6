/* gemmscope
family = "first_steps"
rung = 1
operation = "add_one"
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "Add one", zh = "加一" }
idea = { en = "The first kernel: one thread, one element of a matrix, plus one.", zh = "第一个内核：一个线程，矩阵的一个元素，加一。" }
look = { view = "map", en = "At M = N = 5, which threads have work.", zh = "M = N = 5 时，哪些线程有事可做。" }
story = { en = """
A kernel is what one thread does, and the launch says how many threads there are. Each finds its element from the block it is in and
its place in the block; no loop, no order. Begin with M = N = 5: one block of 16 x 16 covers the matrix. 25 of its 256 threads have
an element, and the bounds check ends the others, so most lanes of each warp idle. Then widen the block. With BX = 32 threads side
by side, a warp reads 128 consecutive bytes, four sectors. With BX = 1 its lanes go down a column, and each needs a sector of its
own. That is eight times as many bytes for the same work. Nothing here is reused, so no cache, tile or register helps. The time is
that of reading and writing every element once: memory bandwidth is the limit.
""", zh = """
内核写的是一个线程做的事，启动配置说明有多少线程。每个线程由所在的块和块内位置找到自己的元素；没有循环，也没有先后。先取
M = N = 5：一个 16 x 16 的块盖住整个矩阵，256 个线程中 25 个有元素，其余被边界检查排除，所以每个 warp 的 32 个 lane 大多闲着。再把块加宽：
BX = 32 时一个 warp 读连续的 128 字节，四个扇区；BX = 1 时各 lane 沿列向下，每个都要自己的扇区，同样的活要搬八倍的字节。
这里没有数据会再用到，缓存、分块、寄存器都帮不上忙：时间就是把每个元素读一遍写一遍的时间，上限是显存带宽。
""" }

[[parameter]]
name = "BX"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
initial = 16
label = { en = "threads along x", zh = "x 方向线程数" }
meaning = { en = "threads of a block along x: columns", zh = "线程块 x 方向的线程数：列" }

[[parameter]]
name = "BY"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
initial = 16
label = { en = "threads along y", zh = "y 方向线程数" }
meaning = { en = "threads of a block along y: rows", zh = "线程块 y 方向的线程数：行" }

[[rule]]
expression = "BX * BY <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[launch]
block = ["BX", "BY"]
grid = ["ceil_div(N, BX)", "ceil_div(M, BY)"]
*/

// C[M][N] = A[M][N] + 1.
template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY) add_one(int M, int N, const float* A, float* C) {
    const int column = blockIdx.x * BX + threadIdx.x;
    const int row = blockIdx.y * BY + threadIdx.y;
    if (row >= M || column >= N) return; // the last blocks reach over the edge

    const size_t element = (size_t)row * N + column; // row-major: neighbouring columns are neighbours in memory
    C[element] = A[element] + 1;
}
