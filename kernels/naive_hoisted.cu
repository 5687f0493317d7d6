/* gemmscope
family = "side_steps"
rung = 1
provenance = "blog post of 13 December 2019 (namespace wuk) v2"
title = { en = "Naive, pointers by hand", zh = "朴素版，手工推进指针" }
idea = { en = "Two pointers walk along the row of A and down the column of B, and the loop counts in fours. No index arithmetic is left.", zh = "两个指针分别沿 A 的行、B 的列推进，循环每次走四步：下标运算一点不剩。" }
look = { view = "source", en = "The PTX of the loop: today's compiler hoists the same by itself.", zh = "循环的 PTX：如今的编译器自己就会这样提取。" }
story = { en = """
The document behind this kernel counted PTX: of 58 instructions in its naive loop 5 were FMAs. Pointers moved by hand and four steps
of k for one test of the end made that 4 of 24, and the kernel faster. Compare it with Naive, coalesced: today's compiler does all
this by itself. With NVRTC 13.0 its loop has 4 FMAs among 21 instructions of PTX, this one 4 among 22. ptxas unrolls the compiler's
loop further, while this one stays as written: on an H200 it makes 5.0 TFLOPS at 4096, the plain one 5.9. Open the PTX tab and
count: arithmetic on indices is worth knowing, but measure before you do the compiler's work.
""", zh = """
本内核出自的文档数过 PTX：它的朴素循环 58 条指令里只有 5 条 FMA；手工推进指针、每四步 k 才判断一次结束，变成 24 条里 4 条，内核也更快了。
与“朴素版，合并访问”对比：今天的编译器自己就会这么做。用 NVRTC 13.0，它的循环每 21 条 PTX 有 4 条 FMA，这里是 22 条有 4 条；ptxas 还会
把编译器的循环继续展开，而这里保持原样：H200 上 4096 时它是 5.0 TFLOPS，朴素版是 5.9。打开 PTX 标签页数一数：下标运算值得懂，但替编译器干活之前先测量。
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

[[rule]]
expression = "BX * BY <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "BX * BY >= 32"
reason = { en = "A block smaller than a warp (32 threads) leaves lanes idle.", zh = "线程块小于一个 warp（32 个线程）会让 lane 闲置。" }

[launch]
block = ["BX", "BY"]
grid = ["ceil_div(N, BX)", "ceil_div(M, BY)"]
dynamic_shared = "0"
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY)
naive_hoisted(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    const int row = blockIdx.y * BY + threadIdx.y;
    const int column = blockIdx.x * BX + threadIdx.x;
    if (row >= M || column >= N) return;

    // What does not change in the loop is worked out before it: where the two walks begin, how long a step down B is.
    const float* a = A + (size_t)row * K;
    const float* b = B + column;
    const size_t down = N;
    float sum = 0;

    // Four steps of k for one test of the end. The offsets of a are constants and cost nothing; b takes four additions.
#pragma unroll 1
    for (int fours = K / 4; fours > 0; --fours) {
        sum = fmaf(a[0], b[0], sum);
        b += down;
        sum = fmaf(a[1], b[0], sum);
        b += down;
        sum = fmaf(a[2], b[0], sum);
        b += down;
        sum = fmaf(a[3], b[0], sum);
        b += down;
        a += 4;
    }
#pragma unroll 1
    for (int rest = K % 4; rest > 0; --rest) { // where K is no multiple of four
        sum = fmaf(*a++, *b, sum);
        b += down;
    }

    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
}
