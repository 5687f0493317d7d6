/* gemmscope
family = "races"
rung = 18
provenance = "this program"
operation = "add_one"
title = { en = "Named barriers", zh = "命名屏障" }
idea = { en = "One warp loads tiles, two warps finish them, and two numbered barriers synchronize them.", zh = "一个 warp 读入分块，两个 warp 完成它，用两个编号的屏障同步。" }
look = { view = "timeline", en = "Who arrives at barrier 1 and 2, and who waits there.", zh = "谁到达屏障 1 和 2，谁在那里等待。" }
story = { en = """
The third warp stores four tiles of 64 elements, one after the other, in the same words. The first two warps read them.
Barrier 1 signals that a tile is stored, barrier 2 that it has been read. Each counts the threads that arrive or wait.
Find the two lines that access the same words with nothing to order them.
""", zh = """
第三个 warp 把四个分块依次写入同样的 64 个字，前两个 warp 来读取。
屏障 1 表示分块已写好，屏障 2 表示已经读完；两者都统计到达和等待的线程。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "ahead"
label = { en = "C is wrong, then it hangs", zh = "C 出错，随后卡死" }
look = { en = "The wait at barrier 1 counts 64 threads: the two warps that read complete it without the warp that stores.", zh = "等待屏障 1 时只数 64 个线程：读取的两个 warp 自己就凑齐了，不必等写入的那个。" }
finding = ["shared_race", "divergent_barrier"]
find = 'bar.sync 1, 96;'
replace = 'bar.sync 1, 64;'

[launch]
block = ["96"]
grid = ["ceil_div(M * N, 256)"]
*/

// C[i] = A[i] + 1 over all M * N elements, four tiles of 64 to a block.
__global__ void named_barriers(int M, int N, const float* A, float* C) {
    __shared__ float s[64];
    const size_t count = (size_t)M * N;
    const int t = threadIdx.x;

    for (int tile = 0; tile < 4; ++tile) {
        const size_t first = (size_t)blockIdx.x * 256 + tile * 64;
        if (t >= 64) { // loads
            if (tile > 0) asm volatile("bar.sync 2, 96;" ::: "memory");
            for (int e = t - 64; e < 64; e += 32) s[e] = first + e < count ? A[first + e] : 0;
            asm volatile("bar.arrive 1, 96;" ::: "memory");
        } else { // finishes
            asm volatile("bar.sync 1, 96;" ::: "memory");
            if (first + t < count) C[first + t] = s[t] + 1;
            if (tile < 3) asm volatile("bar.arrive 2, 96;" ::: "memory");
        }
    }
}
