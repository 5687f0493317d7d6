/* gemmscope
family = "first_steps"
rung = 4
provenance = "《512核显卡算计1024个数累加的加速比是多少?》"
title = { en = "A row per block, A in shared memory", zh = "每块一行，A 放进共享内存" }
idea = { en = "The block's row of A waits in shared memory, so only B still comes from global memory.", zh = "线程块的那一行 A 放进共享内存，只有 B 还要从全局内存读。" }
look = { view = "numbers", en = "Global loads are halved, and reads of A are fused four by four.", zh = "全局读取减半，读 A 每四次合成一次。" }
story = { en = """
All threads of the block read the same row of A again for every column they compute. Here they copy it once, a piece of PIECE
elements at a time, and read it from shared memory. That is one word for all lanes, a broadcast without conflicts. Half of the
global loads are gone, though the cache served them well: one address for a whole warp. And yet an H200 is twice as fast with it,
5.6 instead of 2.8 TFLOPS at 4096. What limited the kernel before was not how far the words of A came but how many loads stood
beside each FMA. ptxas fuses the reads of shared memory that take their place four by four. Look at the share of FMA and at the
widths in the numbers. B still comes anew for every row; the next step is a tile of both.
""", zh = """
线程块的所有线程每算一列都要把同一行 A 再读一遍。这里每次拷贝 PIECE 个元素到共享内存，只拷贝一遍，再从那里读：所有 lane 读同一个字，是广播，
没有冲突。全局读取少了一半，虽然那些读取本由缓存供给，一个 warp 只读一个地址。但 H200 上还是快了一倍：4096 时从 2.8 到 5.6 TFLOPS。原来的瓶颈不在
A 的数据来自多远，而在每条 FMA 旁边有几次读取；换成的共享内存读取又被汇编器四个四个地合并。看数字面板里 FMA 的占比和访问宽度。B 仍然每行重新读一遍；
下一步是两个矩阵都分块。
""" }

[[parameter]]
name = "THREADS"
values = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]
initial = 128
label = { en = "threads per block", zh = "每块线程数" }
meaning = { en = "threads of a block, side by side along the row of C", zh = "每个线程块的线程数，沿 C 的一行并排" }

[[parameter]]
name = "PIECE"
values = [32, 64, 128, 256, 512, 1024, 2048, 4096]
initial = 1024
label = { en = "piece of the row", zh = "行的小段" }
meaning = { en = "elements of the row of A in shared memory at a time", zh = "共享内存里每次放多少个 A 的元素" }

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
block = ["THREADS", "1"]
grid = ["M", "1"]
dynamic_shared = "0"
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int THREADS, int PIECE>
__global__ void __launch_bounds__(THREADS)
row_in_shared(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float As[PIECE];
    const float* a = A + (size_t)blockIdx.x * K; // the block's row of A
    float* c = C + (size_t)blockIdx.x * N;       // and of C

    // THREADS columns at a time, and all of k for them. A barrier must be reached by all threads of the block: those whose
    // column lies outside go on copying and only leave out the sum.
    for (int column0 = 0; column0 < N; column0 += THREADS) {
        const int column = column0 + threadIdx.x;
        float sum = 0;
        for (int k0 = 0; k0 < K; k0 += PIECE) {
            const int length = min(PIECE, K - k0);
            for (int k = threadIdx.x; k < length; k += THREADS) As[k] = a[k0 + k];
            __syncthreads(); // the piece is complete
            if (column < N)
                for (int k = 0; k < length; ++k) sum = fmaf(As[k], B[(size_t)(k0 + k) * N + column], sum);
            __syncthreads(); // everyone has read the piece: it may be overwritten
        }
        if (column < N) c[column] = beta == 0 ? alpha * sum : fmaf(beta, c[column], alpha * sum); // beta = 0: C is not read, as in BLAS
    }
}
