/* gemmscope
family = "other_ways"
rung = 2
provenance = "this program"
title = { en = "Matrix times vector", zh = "矩阵乘向量" }
idea = { en = "A warp per row of A: with one column of B every element of A is used once, and memory alone decides the speed.", zh = "每个 warp 负责 A 的一行：B 只有一列时，A 的每个元素只用一次，速度全由内存决定。" }
look = { view = "plot", en = "The roofline: it stands at the left end, under the slanted roof.", zh = "屋顶线图：它在最左端，斜线之下。" }
story = { en = """
Set N to 1: B and C are vectors now, and each element of A, 4 bytes, serves two operations. A tile cannot help, since there is
nothing to reuse. What helps is to keep memory busy. The lanes of a warp read neighbouring pieces of 16 bytes of their row, 512
bytes with one instruction. Their 32 sums become one by five shuffles, each adding the sum of a lane half as far away. On the
roofline it stands at the left, with half an operation a byte. That is far below the arithmetic peak and yet close to its roof, the
slanted one. More columns work, too: the row is read again for each, as if there were that many vectors.
""", zh = """
把 N 设为 1：B 和 C 成了向量，A 的每个元素 4 字节只供两次运算。分块帮不上忙，因为没有可以重复使用的数据。有用的是让内存一直忙：一个 warp 的各
lane 读同一行里相邻的 16 字节，一条指令 512 字节；32 个部分和再经五次 shuffle 变成一个，每次加上距离减半的那个 lane 的和。在屋顶线图上它在左侧，
每字节半次运算，离算力峰值很远，却贴近自己的屋顶：那条斜线。列数多于一也可以：每列把这一行再读一遍，就像有这么多个向量。
""" }

[[parameter]]
name = "ROWS"
values = [1, 2, 4, 8, 16, 32]
initial = 4
label = { en = "rows per block", zh = "每块行数" }
meaning = { en = "rows of C per block, a warp each", zh = "每个线程块的 C 行数，每行一个 warp" }

[[rule]]
expression = "(ROWS >= 1) && (ROWS <= 32)"
reason = { en = "A block holds at most 1024 threads: 32 warps, a row each.", zh = "一个线程块最多 1024 个线程：32 个 warp，每个一行。" }

[launch]
block = ["32", "ROWS"]
grid = ["ceil_div(M, ROWS)", "1"]
dynamic_shared = "0"
*/

// The sum of all lanes' `value`, in lane 0.
__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major; made for N = 1.
template <int ROWS>
__global__ void __launch_bounds__(32 * ROWS)
matrix_vector(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    const int lane = threadIdx.x;
    const int row = blockIdx.x * ROWS + threadIdx.y;
    if (row >= M) return; // a whole warp leaves: its lanes share the row

    const float* a = A + (size_t)row * K;
    for (int column = 0; column < N; ++column) {
        float sum = 0;
        if (N == 1 && K % 4 == 0) { // rows of A and all of B start at multiples of 16 bytes, and B's elements are neighbours
            for (int k = lane * 4; k < K; k += 128) {
                const float4 av = *reinterpret_cast<const float4*>(a + k), bv = *reinterpret_cast<const float4*>(B + k);
                sum = fmaf(av.x, bv.x, sum), sum = fmaf(av.y, bv.y, sum);
                sum = fmaf(av.z, bv.z, sum), sum = fmaf(av.w, bv.w, sum);
            }
        } else {
            for (int k = lane; k < K; k += 32) sum = fmaf(a[k], B[(size_t)k * N + column], sum);
        }
        sum = sum_of_warp(sum);
        float* c = C + (size_t)row * N + column;
        if (lane == 0) *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum); // beta = 0: C is not read, as in BLAS
    }
}
