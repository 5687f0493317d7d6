/* gemmscope
family = "binary"
rung = 4
operands = "b1"
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "Bits, a row of A in shared memory", zh = "二值，A 的一行放进共享内存" }
idea = { en = "The block's row of A waits in shared memory; but packed it is short, and the cache had held it anyway.", zh = "线程块的那一行 A 放进共享内存；但压缩后它很短，缓存本来就放得下。" }
look = { view = "numbers", en = "Half as many loads, a fifth fewer sectors.", zh = "读取减半，扇区少五分之一。" }
story = { en = """
A block computes one row of C, and all its threads read the same row of A, again for every THREADS columns. Here it is copied to
shared memory first, a piece of PIECE words at a time. Reads of it are broadcasts: one word for all lanes. With floats that was
worth a step of its own. Packed, a row of 4096 elements is 128 words, four lines of the cache: what stays away is not traffic but
the wait for it. B is read as before, every word of it once for each row of C, and that is most of the traffic. Compare the sectors
with those of the naive kernel, and then see what a tile of both does.
""", zh = """
一个线程块算 C 的一行，所有线程读同一行 A，每 THREADS 列再读一遍。这里先把它拷贝到共享内存，每次 PIECE 个字，读取时是广播：所有 lane 读同一个字。
对 float 来说这值得单独走一步；压缩之后，4096 个元素的一行只有 128 个字，即四条缓存行：省下的不是流量，而是等待。B 的读法不变，C 的每一行都要把 B 的
每个字读一遍，流量大半在此。先与朴素版比一比扇区数，再看两个矩阵都分块会怎样。
""" }

[[parameter]]
name = "THREADS"
values = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]
initial = 128
label = { en = "threads per block", zh = "每块线程数" }
meaning = { en = "threads of a block, side by side along the row of C", zh = "每个线程块的线程数，沿 C 的一行并排" }

[[parameter]]
name = "PIECE"
values = [8, 16, 32, 64, 128, 256, 512, 1024]
initial = 256
label = { en = "piece of the row", zh = "行的小段" }
meaning = { en = "words of the row of A in shared memory at a time, 32 elements each", zh = "共享内存里每次放 A 的多少个字，每字 32 个元素" }

[[rule]]
expression = "(PIECE >= 1) && (PIECE * 4 <= 49152)"
reason = { en = "The piece of A must fit in 48 KB of shared memory.", zh = "那一段 A 必须放得进 48 KB 共享内存。" }

[[rule]]
expression = "THREADS % 32 == 0"
reason = { en = "Threads come in warps of 32; part of a warp would leave lanes idle.", zh = "线程以 32 个一组的 warp 为单位；不足一个 warp 会让 lane 闲置。" }

[[rule]]
expression = "(THREADS >= 32) && (THREADS <= 1024)"
reason = { en = "A block holds one warp (32 threads) to 1024 threads.", zh = "一个线程块容纳一个 warp（32 个线程）到 1024 个线程。" }

[launch]
block = ["THREADS"]
grid = ["M"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], where A and B hold +1 and -1, 32 along k to a word: A[M][words], B[words][N].
template <int THREADS, int PIECE>
__global__ void __launch_bounds__(THREADS)
binary_row_in_shared(int M, int N, int K, float alpha, const unsigned* A, const unsigned* B, float beta, float* C) {
    __shared__ unsigned As[PIECE];
    const int words = (K + 31) / 32;
    const unsigned* a = A + (size_t)blockIdx.x * words; // the block's row of A
    float* c = C + (size_t)blockIdx.x * N;              // and of C

    // THREADS columns at a time, and all of k for them. A barrier must be reached by all threads of the block: those whose
    // column lies outside go on copying and only leave out the sum.
    for (int column0 = 0; column0 < N; column0 += THREADS) {
        const int column = column0 + threadIdx.x;
        int unequal = 0; // pairs of which one is -1: their products are -1
        for (int w0 = 0; w0 < words; w0 += PIECE) {
            const int length = min(PIECE, words - w0);
            for (int w = threadIdx.x; w < length; w += THREADS) As[w] = a[w0 + w];
            __syncthreads(); // the piece is complete
            if (column < N)
                for (int w = 0; w < length; ++w) unequal += __popc(As[w] ^ B[(size_t)(w0 + w) * N + column]);
            __syncthreads(); // everyone has read the piece: it may be overwritten
        }
        if (column >= N) continue;
        const float sum = K - 2 * unequal; // exact: FP32 holds every integer up to 2^24
        c[column] = beta == 0 ? alpha * sum : fmaf(beta, c[column], alpha * sum); // beta = 0: C is not read, as in BLAS
    }
}
