/* gemmscope
title = "mma.sync of TF32, for the tests"
operands = "tf32"
arch = "sm_80"

[[parameter]]
name = "ROUNDED"
values = [0, 1]

[launch]
block = [128]
grid = ["ceil_div(N, 32)", "ceil_div(M, 32)"]
*/
// Four warps, each 16 x 16 of C, 8 deep. Operands are rounded to TF32, or handed over as they are, which cuts them off.
using uint = unsigned;

template <int ROUNDED>
__device__ uint tf32(float value) {
    uint bits = __float_as_uint(value);
    if (ROUNDED) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
}

template <int ROUNDED>
__global__ __launch_bounds__(128) void mma_tf32(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float tile_a[32][8 + 4], tile_b[8][32 + 8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row0 = blockIdx.y * 32, column0 = blockIdx.x * 32;
    const int warp_row = warp / 2 * 16, warp_column = warp % 2 * 16, group = lane / 4, in_group = lane % 4;
    float c[2][4] = {};
    for (int k = 0; k < K; k += 8) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * 8; i += 128) {
            const int row = i / 8, column = i % 8, row_b = i / 32, column_b = i % 32;
            tile_a[row][column] = row0 + row < M && k + column < K ? A[static_cast<size_t>(row0 + row) * K + k + column] : 0;
            tile_b[row_b][column_b] = k + row_b < K && column0 + column_b < N ? B[static_cast<size_t>(k + row_b) * N + column0 + column_b] : 0;
        }
        __syncthreads();
        uint a[4];
        for (int i = 0; i < 4; ++i) a[i] = tf32<ROUNDED>(tile_a[warp_row + group + i % 2 * 8][in_group + i / 2 * 4]);
        for (int n = 0; n < 2; ++n) {
            const uint b0 = tf32<ROUNDED>(tile_b[in_group][warp_column + n * 8 + group]), b1 = tf32<ROUNDED>(tile_b[in_group + 4][warp_column + n * 8 + group]);
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(c[n][0]), "+f"(c[n][1]), "+f"(c[n][2]), "+f"(c[n][3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
        }
    }
    for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 4; ++i) {
            const int row = row0 + warp_row + group + i / 2 * 8, column = column0 + warp_column + n * 8 + in_group * 2 + i % 2;
            if (row >= M || column >= N) continue;
            float& out = C[static_cast<size_t>(row) * N + column];
            out = beta == 0 ? alpha * c[n][i] : fmaf(alpha, c[n][i], beta * out);
        }
}
