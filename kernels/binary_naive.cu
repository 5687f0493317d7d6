/* gemmscope
family = "binary"
rung = 3
operands = "b1"
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "Bits, naive", zh = "二值，朴素版" }
idea = { en = "32 products of +1 and -1 are one exclusive or; popc counts those that are -1.", zh = "32 个 +1 / -1 的乘积只需一次异或；popc 数出其中的 -1。" }
look = { view = "map", en = "One load brings 32 elements of k.", zh = "一次读取带来 k 方向的 32 个元素。" }
story = { en = """
An element is +1 or -1, a bit that is set for -1. The product of two is -1 where the bits differ. One xor multiplies 32 pairs, popc
counts those that differ, and a sum of K products is K - 2 popc(a ^ b). So A and B are 32 times smaller than floats, and a warp
instruction does 1024 multiply-adds. A step of k is a word: 32 elements of a row of A and of a column of B. Where K is no multiple
of 32, the remaining bits are 0 in A and in B. They never differ and are never counted. Popc is slow as instructions go, 16 lanes a
clock. TABLE = 1 does without it, as before there was the instruction. It looks the four bytes up in a table of 256 counts in shared
memory. Look at the banks: each lane goes where its data sends it, and most reads take two wavefronts.
""", zh = """
元素为 +1 或 -1，用一位表示，置位代表 -1。两数之积在位不同处为 -1：一次 xor 乘完 32 对，popc 数出不同的位，K 个乘积之和就是
K - 2 popc(a ^ b)。于是 A、B 比 float 小 32 倍，一条 warp 指令完成 1024 次乘加：k 方向一步就是一个字，即 A 的一行、B 的一列中的 32 个元素。K 不是
32 的倍数时，多余的位在 A 和 B 中都是 0，永远相同，也就从不计入。popc 在各种指令里算慢的，每时钟周期 16 个 lane。TABLE = 1 不用它，像没有这条指令的年代那样，
到共享内存里一张 256 项的表中查四个字节。看存储体：每个 lane 去哪里由数据决定，大多数读取要两个 wavefront。
""" }

[[parameter]]
name = "BX"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
initial = 32
label = { en = "threads along x", zh = "x 方向线程数" }
meaning = { en = "threads of a block along x: columns of C", zh = "线程块 x 方向的线程数：C 的列" }

[[parameter]]
name = "BY"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
initial = 8
label = { en = "threads along y", zh = "y 方向线程数" }
meaning = { en = "threads of a block along y: rows of C", zh = "线程块 y 方向的线程数：C 的行" }

[[parameter]]
name = "TABLE"
values = [0, 1]
initial = 0
label = { en = "bits counted by", zh = "计数方式" }
meaning = { en = "0: bits are counted by popc; 1: byte by byte, by a table in shared memory", zh = "0：用 popc 计数；1：逐字节查共享内存中的表" }
words = [{ en = "popc", zh = "popc" }, { en = "table", zh = "查表" }]

[[rule]]
expression = "BX * BY <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "BX * BY >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[launch]
block = ["BX", "BY"]
grid = ["ceil_div(N, BX)", "ceil_div(M, BY)"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], where A and B hold +1 and -1, 32 along k to a word: A[M][words], B[words][N].
template <int BX, int BY, int TABLE>
__global__ void __launch_bounds__(BX * BY)
binary_naive(int M, int N, int K, float alpha, const unsigned* A, const unsigned* B, float beta, float* C) {
    __shared__ unsigned char table[TABLE ? 256 : 1]; // bits that are set in each byte
    if (TABLE) {
        for (int byte = threadIdx.y * BX + threadIdx.x; byte < 256; byte += BX * BY) {
            int bits = 0;
            for (int rest = byte; rest != 0; rest &= rest - 1) ++bits; // the lowest set bit goes
            table[byte] = bits;
        }
        __syncthreads(); // the table is complete
    }
    const int row = blockIdx.y * BY + threadIdx.y;
    const int column = blockIdx.x * BX + threadIdx.x;
    if (row >= M || column >= N) return;

    const int words = (K + 31) / 32;
    const unsigned* a = A + (size_t)row * words; // a[w]:     one address for all lanes of the row of threads
    const unsigned* b = B + column;              // b[w * N]: neighbouring lanes read neighbouring words
    int unequal = 0;                             // pairs of which one is -1: their products are -1
    for (int w = 0; w < words; ++w) {
        const unsigned differ = a[w] ^ b[(size_t)w * N];
        if (TABLE) unequal += table[differ & 255] + table[differ >> 8 & 255] + table[differ >> 16 & 255] + table[differ >> 24];
        else unequal += __popc(differ);
    }

    const float sum = K - 2 * unequal; // exact: FP32 holds every integer up to 2^24
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
}
