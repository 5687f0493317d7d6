/* gemmscope
family = "binary"
rung = 1
operation = "pack_rows"
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "Bits, packing rows", zh = "二值，按行打包" }
idea = { en = "32 floats of a row become a word of their signs: a ballot asks all lanes of a warp at once.", zh = "一行中 32 个浮点数的符号合成一个字：ballot 一次问遍整个 warp 的 lane。" }
look = { view = "sectors", en = "32 sectors a read with one thread per word, 4 with a vote of the warp.", zh = "一个线程造一个字时每次读 32 个扇区，warp 投票时 4 个。" }
story = { en = """
Before matrices of +1 and -1 can be multiplied as bits, floats must become bits: A along its rows, where a product walks along k. A
word is 32 elements of a row. With BALLOT = 0 a thread makes a word: it reads 32 floats one after the other. That looks tidy and is
not. At each of the 32 steps the lanes of a warp stand 128 bytes apart. So every read takes 32 sectors and uses an eighth of what it
fetches. The cache saves it, if the rest of the sectors is still there at the next steps. With BALLOT = 1 a warp makes a word. Lane
i reads element i: 128 bytes in a row, four sectors. The vote gives every lane a word whose bit i is lane i's answer. Lane 0 stores
it. Behind the last element of a row the bits are 0: products rely on that.
""", zh = """
+1 / -1 的矩阵要按位相乘，先得把浮点数变成位：A 沿行打包，因为乘法正是沿 k 走。一个字是一行中的 32 个元素。BALLOT = 0 时一个线程造一个字，
逐个读 32 个浮点数。看着整齐，其实不然：32 步中的每一步，warp 的各 lane 相隔 128 字节，每次读取要 32 个扇区，取来的只用八分之一；
靠的是缓存——但愿扇区的其余部分到下一步还在。BALLOT = 1 时一个 warp 造一个字：lane i 读第 i 个元素，连续 128 字节，四个扇区；投票让每个 lane
都得到一个字，第 i 位就是 lane i 的回答，由 lane 0 写出。行末之后的位都是 0：乘法依赖这一点。
""" }

[[parameter]]
name = "THREADS"
values = [32, 64, 128, 256, 512, 1024]
initial = 256
label = { en = "threads per block", zh = "每块线程数" }
meaning = { en = "threads of a block", zh = "每个线程块的线程数" }

[[parameter]]
name = "BALLOT"
values = [0, 1]
initial = 1
label = { en = "word by", zh = "造字方式" }
meaning = { en = "1: a warp makes a word by a vote; 0: a thread makes a word, element by element", zh = "1：一个 warp 用投票造一个字；0：一个线程逐个元素造一个字" }
words = [{ en = "thread", zh = "线程" }, { en = "warp vote", zh = "warp 投票" }]

[[rule]]
expression = "THREADS % 32 == 0"
reason = { en = "A vote asks whole warps of 32 threads.", zh = "投票以 32 个线程的完整 warp 为单位。" }

[launch]
block = ["THREADS"]
grid = ["ceil_div(M * ceil_div(N, 32), BALLOT == 1 ? THREADS / 32 : THREADS)"]
*/

// C[M][words] = the signs of A[M][N], bit i of a word for element i of its 32: 1 where that is negative.
template <int THREADS, int BALLOT>
__global__ void __launch_bounds__(THREADS) binary_pack_rows(int M, int N, const float* A, unsigned* C) {
    const int words = (N + 31) / 32; // of a row
    const size_t thread = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t word = BALLOT ? thread / 32 : thread;
    if (word >= (size_t)M * words) return; // with BALLOT a warp goes as one: its lanes have the same word

    const size_t row = word / words;
    const int first = word % words * 32; // column
    const float* a = A + row * N + first;
    if (BALLOT) {
        const int lane = threadIdx.x % 32;
        const bool negative = first + lane < N && a[lane] < 0; // all 32 lanes come to the vote, those over the edge with a 0
        const unsigned bits = __ballot_sync(~0u, negative);
        if (lane == 0) C[word] = bits;
    } else {
        unsigned bits = 0;
        for (int i = 0; i < 32; ++i)
            if (first + i < N) bits |= (unsigned)(a[i] < 0) << i;
        C[word] = bits;
    }
}
