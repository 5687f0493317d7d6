/* gemmscope
family = "other_ways"
rung = 3
provenance = "《GPU上的矩阵乘法的设计与实现》, 计算机系统应用 20 (2011)"
title = { en = "Larger than the GPU's memory", zh = "大于显存的矩阵" }
idea = { en = "A, B and C stay in host memory; pieces of them are copied in while the piece before is multiplied.", zh = "A、B、C 都留在主机内存里；计算这一片时，下一片正在拷入。" }
look = { view = "stream", en = "Copies hide behind the arithmetic with TILE = 8192, not with 4096 or one buffer.", zh = "TILE = 8192 时拷贝被计算掩盖，4096 或单缓冲时不行。" }
story = { en = """
C is computed tile after tile. A square tile of edge T is a sum of products of pieces: T x DEPTH of A and DEPTH x T of B. While the
GPU multiplies one pair of pieces, its copy engine brings the next pair into another buffer. A third stream takes the tile before
back to the host. They are three rows of the Stream view, at work at the same time. Copies cost 8 T bytes for each step of k, the
arithmetic 2 T^2 operations, so T / 4 operations a byte. At 55 GB/s over PCIe 5.0 x16 and 51 TFLOPS in FP32 both take equally long
where T / 4 = 51e12 / 55e9. A tile of about 3,700 hides its copies, whatever the size of the matrices. A smaller one makes the
arithmetic wait. Measured, it needs more. At 32768 an H200 copied short rows of so wide matrices at 25 to 28 GB/s. Tiles of 4096
made it wait for four tenths of the time, tiles of 8192 for less than a hundredth. With BUFFERS = 1 nothing overlaps. The kernel
itself knows nothing of this. It is a plain product with two buffers in shared memory, the same idea one level down. It adds each
piece's product to the tile with beta = 1.
""", zh = """
C 逐块计算。边长为 T 的方块，是 A 的 T x DEPTH 片与 B 的 DEPTH x T 片的乘积之和。GPU 计算一对片时，拷贝引擎把下一对搬进另一个缓冲，第三个流
把上一块结果送回主机：这就是“流式”视图里同时工作的三行。每走一步 k，要拷入 8 T 字节，要做 2 T^2 次运算，即每字节 T / 4 次运算。PCIe 5.0 x16
每秒 55 GB、FP32 每秒 51 T 次运算时，两者在 T / 4 = 51e12 / 55e9 处相等：边长约 3700 的方块就能把拷贝完全藏在运算后面，与矩阵多大无关。
方块再小，运算就得等数据。实测还要更大：32768 时，H200 从这样宽的矩阵里拷贝短行只有每秒 25 到 28 GB，4096 的方块让运算有四成时间在等，8192 的不到百分之一。BUFFERS = 1 时二者毫无重叠。内核本身对此一无所知：它是一个普通的乘法，在共享内存里用两个缓冲（同样的想法，低一层），
每一片的乘积以 beta = 1 累加到块上。
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
name = "TILE"
host = true
values = [512, 1024, 2048, 3072, 4096, 6144, 8192, 16384]
initial = 8192
label = { en = "edge of a host tile", zh = "主机分块边长" }
meaning = { en = "rows and columns of C that the GPU computes at a time", zh = "GPU 一次计算的 C 方块边长" }

[[parameter]]
name = "DEPTH"
host = true
values = [256, 512, 1024, 2048, 4096]
initial = 1024
label = { en = "depth of a piece", zh = "小段深度" }
meaning = { en = "elements of k that are copied in at a time", zh = "每次拷入的 k 长度" }

[[parameter]]
name = "BUFFERS"
host = true
values = [1, 2, 3, 4]
initial = 2
label = { en = "buffers", zh = "缓冲个数" }
meaning = { en = "pieces of A and B on the GPU at a time", zh = "GPU 上同时存放的 A、B 片数" }

[[parameter]]
name = "CAP_MB"
host = true
values = [500, 1000, 2000, 4000, 8000, 16000]
initial = 4000
label = { en = "memory cap", zh = "显存上限" }
meaning = { en = "most memory used on the GPU, in megabytes", zh = "最多占用的显存，以 MB 计" }

[[rule]]
expression = "((BM == 64) || (BM == 128)) && ((BN == 64) || (BN == 128)) && ((BK == 8) || (BK == 16))"
reason = { en = "Threads share the loads of a tile evenly only with these.", zh = "只有这些取值能让各线程平分一个分块的读取。" }

[[rule]]
expression = "(TILE % BM == 0) && (TILE % BN == 0)"
reason = { en = "A tile of C is whole blocks; threads of a cut one would compute nothing.", zh = "C 的方块由完整的线程块组成；被切断的线程块里有线程无事可做。" }

[[rule]]
expression = "DEPTH % BK == 0"
reason = { en = "A piece is whole tiles of shared memory, and its rows start at multiples of 16 bytes.", zh = "一片由完整的共享内存分块组成，而且每行都从 16 字节的倍数开始。" }

[[rule]]
expression = "8 * BUFFERS * TILE * DEPTH + 4 * min(BUFFERS, 2) * TILE * TILE <= 1000000 * CAP_MB"
reason = { en = "The pieces of A and B and one or two tiles of C, 4 bytes an element, fit under the cap.", zh = "A、B 的各片加上一两块 C，每元素 4 字节，要放得进上限。" }

[launch]
block = ["BM * BN / 64", "1"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
dynamic_shared = "0"

# Where nothing was recorded, a plan assumes what copies reach over PCIe 5.0 x16, and double_buffer at 8192 on an H200.
[stream]
tile = ["TILE", "TILE"]
depth = "DEPTH"
buffers = "BUFFERS"
cap_mb = "CAP_MB"
copy_gb_s = 55
gflops = 45000
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
// included. The pieces of a tile after its first come with beta = 1 and find the sums so far there.
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

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major: of one tile of C and one piece of A and B, which lie
// packed in the GPU's memory, or of whole matrices. A thread computes 8 x 8 elements, in quarters of 4 x 4.
template <int BM, int BN, int BK>
__global__ void __launch_bounds__(BM * BN / 64, 2)
out_of_core(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
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
