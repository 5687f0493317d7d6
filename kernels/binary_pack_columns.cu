/* gemmscope
family = "binary"
rung = 2
operation = "pack_columns"
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "Bits, packing columns", zh = "二值，按列打包" }
idea = { en = "32 floats of a column become a word: each thread walks down its own column, and the warp's reads coalesce by themselves.", zh = "一列中 32 个浮点数合成一个字：每个线程沿自己的列往下走，warp 的读取自然合并。" }
look = { view = "sectors", en = "4 sectors a read, without a vote.", zh = "不用投票，每次读 4 个扇区。" }
story = { en = """
B is packed along its columns, where a product walks along k in it. The same loop that was careless along rows is right here. A
thread makes a word of 32 elements of its column. At each step the lanes of a warp stand side by side in one row: 128 bytes, four
sectors, all of them used. No vote is needed, and the words that neighbouring lanes store are neighbours, too. So it is not the loop
that is good or bad but how the lanes lie in memory at one moment. Compare with packing rows at BALLOT = 0, step by step, in the
view of the sectors. Where M is no multiple of 32, the last words of each column keep 0 in the bits that are left over.
""", zh = """
B 沿列打包，因为乘法在 B 中沿 k 走的正是列。按行打包时粗心的那个循环，放在这里就对了：一个线程用自己那列的 32 个元素造一个字，
每一步 warp 的各 lane 并排站在同一行，128 字节，四个扇区，全都用上。不需要投票，相邻 lane 写出的字也相邻。所以好坏不在循环，
而在同一时刻各 lane 在内存中怎样排列。在扇区视图里逐步对照 BALLOT = 0 的按行打包。M 不是 32 的倍数时，每列最后一个字里多余的位都是 0。
""" }

[[parameter]]
name = "THREADS"
values = [32, 64, 128, 256, 512, 1024]
initial = 256
label = { en = "threads per block", zh = "每块线程数" }
meaning = { en = "threads of a block, each with a word", zh = "每个线程块的线程数，一个线程一个字" }

[[rule]]
expression = "THREADS % 32 == 0"
reason = { en = "Threads come in warps of 32; part of a warp would leave lanes idle.", zh = "线程以 32 个一组的 warp 为单位；不足一个 warp 会让 lane 闲置。" }

[launch]
block = ["THREADS"]
grid = ["ceil_div(ceil_div(M, 32) * N, THREADS)"]
*/

// C[words][N] = the signs of A[M][N], bit i of a word for element i of its 32 from the top: 1 where that is negative.
template <int THREADS>
__global__ void __launch_bounds__(THREADS) binary_pack_columns(int M, int N, const float* A, unsigned* C) {
    const int words = (M + 31) / 32; // of a column
    const size_t word = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (word >= (size_t)words * N) return;

    const size_t first = word / N * 32; // row
    const float* a = A + first * N + word % N; // a[i * N]: neighbouring lanes read neighbouring columns
    unsigned bits = 0;
    for (int i = 0; i < 32; ++i)
        if (first + i < M) bits |= (unsigned)(a[(size_t)i * N] < 0) << i;
    C[word] = bits;
}
