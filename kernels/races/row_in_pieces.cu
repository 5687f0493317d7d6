/* gemmscope
family = "races"
rung = 2
provenance = "this program"
title = { en = "A row in pieces", zh = "分段的一行" }
idea = { en = "A block multiplies a row of A, 32 elements at a time, by 128 columns of B.", zh = "线程块把 A 的一行每次取 32 个元素，与 B 的 128 列相乘。" }
look = { view = "timeline", en = "One warp stores a piece, four warps load it.", zh = "一个 warp 写入一段，四个 warp 读取。" }
story = { en = """
Each thread computes one element of a row of C. The first warp stages 32 elements of the row of A; all four warps multiply them.
The next iteration overwrites the same words with the next 32 elements.
Find the two lines that access the same words with nothing to order them.
""", zh = """
每个线程算 C 一行里的一个元素。第一个 warp 把 A 这一行的 32 个元素放进共享内存，四个 warp 都用它们相乘累加。
下一次迭代用接下来的 32 个元素覆盖同样的字。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "late_warps"
label = { en = "Sums of the later warps are wrong", zh = "后面几个 warp 的和不对" }
look = { en = "The second barrier is missing: the first warp stores the next piece while others still multiply this one.", zh = "缺了第二个屏障：第一个 warp 写入下一段时，别的 warp 还在用这一段相乘。" }
finding = "shared_race"
when = "K > 32"
find = '''
        __syncthreads();
    }
    if (column < N)'''
replace = '''
    }

    if (column < N)'''

[[break]]
name = "mixed_pieces"
label = { en = "Some sums use the piece before", zh = "有些和用到了上一段的元素" }
look = { en = "The first barrier is missing: three warps multiply before the first one has stored the piece.", zh = "缺了第一个屏障：第一个 warp 还没有写好这一段，另外三个 warp 就开始相乘。" }
finding = "shared_race"
find = '''
        __syncthreads();
        if (column < N)'''
replace = '''

        if (column < N)'''

[launch]
block = ["128"]
grid = ["ceil_div(N, 128)", "M"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major: a block for 128 elements of a row.
__global__ void row_in_pieces(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float piece[32];
    const int t = threadIdx.x, row = blockIdx.y, column = blockIdx.x * 128 + t;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
        if (t < 32 && k0 + t < K) piece[t] = A[(size_t)row * K + k0 + t];
        __syncthreads();
        if (column < N)
            for (int k = 0; k < min(32, K - k0); ++k) sum = fmaf(piece[k], B[(size_t)(k0 + k) * N + column], sum);
        __syncthreads();
    }
    if (column < N) {
        float* c = C + (size_t)row * N + column;
        *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum);
    }
}
