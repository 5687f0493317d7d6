/* gemmscope
family = "races"
rung = 4
provenance = "this program"
title = { en = "Threads outside C", zh = "C 之外的线程" }
idea = { en = "A tiled product whose blocks extend beyond the edge of C.", zh = "分块相乘，线程块会越过 C 的边界。" }
look = { view = "map", en = "At the edge, threads without an element of C still copy elements of A and B.", zh = "在边界处，没有 C 元素可算的线程仍要搬 A、B 的元素。" }
story = { en = """
Blocks of 16 x 16 threads multiply tiles of A and B. At the edge of C some threads have no element to compute.
Each thread still has an element of both tiles to copy for the others.
Find the line that reads words that no thread has stored.
""", zh = """
16 x 16 个线程的线程块把 A、B 的分块相乘。在 C 的边界，有些线程没有元素可算。
可是每个线程仍要替别人从两个分块中各拷贝一个元素。
请找出哪一行读取了没有线程写过的字。
""" }

[[break]]
name = "edge"
label = { en = "Right at 256, wrong at 250", zh = "256 时正确，250 时出错" }
look = { en = "Threads outside C return before they have copied their share of the tiles.", zh = "C 之外的线程还没有拷贝自己那一份就返回了。" }
finding = "uninitialised_shared"
when = "M % 16 != 0 || N % 16 != 0"
find = '''

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[y][x] = row < M && k0 + x < K ? A[(size_t)row * K + k0 + x] : 0;
        Bs[y][x] = k0 + y < K && column < N ? B[(size_t)(k0 + y) * N + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum = fmaf(As[y][k], Bs[k][x], sum);
        __syncthreads();
    }
    if (row >= M || column >= N) return;
'''
replace = '''
    if (row >= M || column >= N) return;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[y][x] = row < M && k0 + x < K ? A[(size_t)row * K + k0 + x] : 0;
        Bs[y][x] = k0 + y < K && column < N ? B[(size_t)(k0 + y) * N + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum = fmaf(As[y][k], Bs[k][x], sum);
        __syncthreads();
    }
'''

[launch]
block = ["16", "16"]
grid = ["ceil_div(N, 16)", "ceil_div(M, 16)"]
*/

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
__global__ void leave_early(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float As[16][16], Bs[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[y][x] = row < M && k0 + x < K ? A[(size_t)row * K + k0 + x] : 0;
        Bs[y][x] = k0 + y < K && column < N ? B[(size_t)(k0 + y) * N + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum = fmaf(As[y][k], Bs[k][x], sum);
        __syncthreads();
    }
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    *c = beta == 0 ? alpha * sum : fmaf(beta, *c, alpha * sum);
}
