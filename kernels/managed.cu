/* gemmscope
family = "other_ways"
rung = 4
provenance = "《GPU上的矩阵乘法的设计与实现》, 计算机系统应用 20 (2011)"
managed = "PAGES"
title = { en = "Managed memory", zh = "统一内存" }
idea = { en = "One address for CPU and GPU: pages come when a thread touches them, or before, when they are asked for.", zh = "CPU 和 GPU 用同一个地址：线程碰到哪一页，哪一页才搬来；也可以事先请它搬来。" }
look = { view = "blocks", en = "When each block ran, with pages that move on the first touch and with prefetched ones.", zh = "页面首次访问时搬移与事先预取，各线程块的运行时间。" }
story = { en = """
With cudaMallocManaged host code fills A and B and starts the kernel without copying anything. The pages still have to move. With
PAGES = 0 they move at first touch. A load that finds its page missing waits until the driver, woken by the fault, has brought it
over. Its neighbours come along if the driver guesses well. Warps stand still meanwhile, and the way takes longer than a copy would.
With PAGES = 1 host code calls cudaMemPrefetchAsync on A, B and C first. The same bytes move in one go, as fast as a copy from
pinned memory. The kernel then finds everything in place. With PAGES = 2 the pages are there before the clock starts. What is left
is the kernel itself, as fast as on memory from cudaMalloc. Measured at 4096 on an H200: 16.7, 6.3 and 3.3 ms, so 134 MB came at 10
GB/s by first touch and at 44 prefetched. Moving grows as N^2, arithmetic as N^3: at 8192 it is 85, 37 and 26 ms. The engine counts
the same for all three, as the kernel does not change; only a GPU can tell them apart. C's way back to the host is not timed.
""", zh = """
用 cudaMallocManaged 分配，主机代码写好 A、B 就启动内核，什么也不拷贝。但页还是要搬的。PAGES = 0 时首次触碰才搬：读取发现
页不在，就得等驱动被缺页唤醒、把它搬来；驱动猜得好，会连邻近的页一起搬。这期间 warp 停着，
总共比一次拷贝更慢。PAGES = 1 时主机先对 A、B、C 调用 cudaMemPrefetchAsync：
同样多的字节一次搬完，与从锁页内存拷贝一样快，内核启动后什么都在。
PAGES = 2 时，页在计时之前就已在 GPU 上：剩下的就是内核本身，与 cudaMalloc 的内存一样快。
H200 上 4096 时实测 16.7、6.3、3.3 毫秒：134 MB 首次触碰时每秒搬 10 GB，预取每秒 44 GB。搬运按 N^2 增长，运算按 N^3：8192 时是 85、37、26 毫秒。
引擎对三者的计数相同，因为内核没有变；只有 GPU 能分出它们。
C 搬回主机的时间不计。
""" }

[[parameter]]
name = "BM"
values = [64, 128]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [64, 128]
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [8, 16]
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile in shared memory", zh = "共享内存里每个分块的 k 长度" }

[[parameter]]
name = "PAGES"
host = true
values = [0, 1, 2]
initial = 1
label = { en = "pages", zh = "页的位置" }
meaning = { en = "how pages reach the GPU: 0 at first touch, 1 prefetched, 2 already there", zh = "页怎样到 GPU：0 首次触碰，1 预取，2 已在那里" }
words = [{ en = "touch", zh = "首次访问" }, { en = "prefetch", zh = "预取" }, { en = "there", zh = "已就位" }]

[[rule]]
expression = "((BM == 64) || (BM == 128)) && ((BN == 64) || (BN == 128)) && ((BK == 8) || (BK == 16))"
reason = { en = "Threads share the loads of a tile evenly only with these.", zh = "只有这些取值能让各线程平分一个分块的读取。" }

[launch]
block = ["BM * BN / 64", "1"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
dynamic_shared = "0"
*/

// Four neighbouring elements of a row of `matrix`[rows][columns], zeros for those outside. Rows start at multiples of
// 16 bytes only if `columns` is a multiple of 4; then `column`, a multiple of 4 too, has its three neighbours inside.
__device__ __forceinline__ float4 load4(const float* matrix, int rows, int columns, int row, int column) {
    const int inside = row < rows ? columns - column : 0; // so many elements from here on, perhaps none
    const float* p = matrix + (size_t)row * columns + column;
    if (inside > 0 && columns % 4 == 0) return *reinterpret_cast<const float4*>(p);
    return make_float4(inside > 0 ? p[0] : 0, inside > 1 ? p[1] : 0, inside > 2 ? p[2] : 0, inside > 3 ? p[3] : 0);
}

// Four neighbouring sums become elements of C. As in BLAS, C is not read when beta is 0: it may hold anything, NaN
// included.
__device__ __forceinline__ void finish4(float* C, int M, int N, int row, int column, float alpha, const float* sum, float beta) {
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    if (N % 4 == 0) {
        float4 v = make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]);
        if (beta != 0) {
            const float4 old = *reinterpret_cast<const float4*>(c);
            v.x = fmaf(beta, old.x, v.x), v.y = fmaf(beta, old.y, v.y);
            v.z = fmaf(beta, old.z, v.z), v.w = fmaf(beta, old.w, v.w);
        }
        *reinterpret_cast<float4*>(c) = v;
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (column + j < N) c[j] = beta == 0 ? alpha * sum[j] : fmaf(beta, c[j], alpha * sum[j]);
    }
}

// The eight values of one k that a thread needs of a tile's row of WIDTH: two reads of 16 bytes, half the row apart, so that
// threads side by side read side by side.
template <int WIDTH>
__device__ __forceinline__ void read8(float* to, const float* row, int at) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const float4 v = *reinterpret_cast<const float4*>(row + half * (WIDTH / 2) + at);
        to[4 * half] = v.x, to[4 * half + 1] = v.y, to[4 * half + 2] = v.z, to[4 * half + 3] = v.w;
    }
}

// This thread's share of a tile of `matrix`, four floats at a time, on its way through registers. The tile's top left
// corner is (row0, column0); it is ROWS x COLUMNS, and all threads have as many groups of four.
template <int ROWS, int COLUMNS, int THREADS>
struct Share {
    static constexpr int EACH = ROWS * COLUMNS / 4 / THREADS;
    float4 v[EACH];

    // Calls f(i, row, column of the tile) for each group of this thread.
    template <class F>
    __device__ __forceinline__ static void each(F f) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int group = threadIdx.x + i * THREADS;
            f(i, group / (COLUMNS / 4), group % (COLUMNS / 4) * 4);
        }
    }

    __device__ __forceinline__ void fetch(const float* matrix, int rows, int columns, int row0, int column0) {
        each([&](int i, int r, int c) { v[i] = load4(matrix, rows, columns, row0 + r, column0 + c); });
    }
};

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major. A thread computes 8 x 8 elements, in quarters of
// 4 x 4. Nothing here says where the pages of A, B and C are: an address is the same on both sides, and a load that finds its
// page missing waits until it has come.
template <int BM, int BN, int BK>
__global__ void __launch_bounds__(BM * BN / 64, 2)
managed(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    constexpr int THREADS = BM * BN / 64, WARPS_ACROSS = BN / 64;
    constexpr int PAD = 4; // so that the transposed stores of a warp spread over the banks; 16-byte reads stay aligned
    alignas(16) __shared__ float As[2][BK][BM + PAD]; // [buffer][k][m]: transposed
    alignas(16) __shared__ float Bs[2][BK][BN];       // [buffer][k][n]

    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    // A warp covers 4 x 8 thread tiles in zigzag: lanes 0 1 2 3 are (0,0) (1,0) (0,1) (1,1), so that a lane shares its reads of A
    // and of B with its neighbours and one wavefront serves twice as many.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int m = (warp / WARPS_ACROSS * 4 + lane / 16 * 2 + lane % 2) * 4; // of the first quarter, in the block's tile
    const int n = (warp % WARPS_ACROSS * 8 + lane / 2 % 8) * 4;

    Share<BM, BK, THREADS> next_a;
    Share<BK, BN, THREADS> next_b;
    const auto fetch = [&](int k0) { // global memory to registers: issued here, waited for at the first use
        next_a.fetch(A, M, K, row0, k0);
        next_b.fetch(B, K, N, k0, column0);
    };
    const auto put = [&](int buffer) { // registers to shared memory, A transposed
        next_a.each([&](int i, int r, int k) {
            const float4 v = next_a.v[i];
            As[buffer][k][r] = v.x, As[buffer][k + 1][r] = v.y, As[buffer][k + 2][r] = v.z, As[buffer][k + 3][r] = v.w;
        });
        next_b.each([&](int i, int k, int c) { *reinterpret_cast<float4*>(&Bs[buffer][k][c]) = next_b.v[i]; });
    };

    fetch(0); // the first tile has nothing to hide behind
    put(0);
    __syncthreads();

    float sum[8][8] = {}; // stays in registers: every index below is known when it is compiled
    int buffer = 0;       // the one that holds the current tile
    for (int k0 = 0; k0 < K; k0 += BK) {
        const bool more = k0 + BK < K; // the same for all threads, so that the barrier below is reached by all
        if (more) fetch(k0 + BK);
        // Sixteen values feed 64 FMAs. Unrolled, so that the reads of the next k are under way while this one is multiplied.
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[8], b[8];
            read8<BM>(a, As[buffer][k], m);
            read8<BN>(b, Bs[buffer][k], n);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
        if (more) {
            buffer ^= 1; // the other buffer was last read before the previous barrier
            put(buffer);
            __syncthreads(); // the next tile is complete
        }
    }

#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            finish4(C, M, N, row0 + i / 4 * (BM / 2) + m + i % 4, column0 + half * (BN / 2) + n, alpha, &sum[i][4 * half], beta);
}
