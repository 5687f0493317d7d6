/* gemmscope
title = "mma.sync of bf16, for the tests"
operands = "bf16"
arch = "sm_90"

[[parameter]]
name = "MAPPED"
values = [0, 1]
initial = 1

[[tensor_map]]
of = "A"
box = [32, 16]
swizzle = 32

[launch]
block = [128]
grid = ["ceil_div(N, 32)", "ceil_div(M, 32)"]
*/
// Four warps, each 16 x 16 of C, 16 deep. A's tile lies as its box does, swizzled; it comes as one where A has a map, else
// element by element.
using uint = unsigned;
using bf16 = unsigned short;

struct alignas(64) TensorMap {
    unsigned char bytes[128];
};

__device__ uint shared_address(const void* p) { return static_cast<uint>(__cvta_generic_to_shared(p)); }

// Bytes from the tile's beginning to the element of A.
__device__ uint place_in_a(int row, int column) {
    const uint at = 2 * (row * 16 + column);
    return at ^ (at >> 3 & 16);
}

__device__ void wait(uint barrier, uint parity) {
    asm volatile("{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ void load_box(uint to, const TensorMap& map, int column, int row, uint barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(column), "r"(row),
                 "r"(barrier)
                 : "memory");
}

template <int MAPPED>
__global__ __launch_bounds__(128) void mma_bf16(int M, int N, int K, float alpha, const bf16* A, const bf16* B, float beta, float* C,
                                                const __grid_constant__ TensorMap map_a) {
    __shared__ __align__(256) unsigned char tile_a[32 * 16 * 2];
    __shared__ __align__(16) bf16 tile_b[16][32 + 8];
    __shared__ __align__(8) unsigned long long arrived;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row0 = blockIdx.y * 32, column0 = blockIdx.x * 32;
    const int warp_row = warp / 2 * 16, warp_column = warp % 2 * 16;
    const bool mapped = MAPPED && K % 8 == 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    float c[2][4] = {};
    for (int k = 0; k < K; k += 16) {
        __syncthreads();
        if (mapped && threadIdx.x == 0) load_box(shared_address(tile_a), map_a, k, row0, shared_address(&arrived));
        for (int i = threadIdx.x; i < 32 * 16; i += 128) {
            const int row = i / 16, column = i % 16, row_b = i / 32, column_b = i % 32;
            if (!mapped)
                *reinterpret_cast<bf16*>(tile_a + place_in_a(row, column)) =
                    row0 + row < M && k + column < K ? A[static_cast<size_t>(row0 + row) * K + k + column] : bf16(0);
            tile_b[row_b][column_b] = k + row_b < K && column0 + column_b < N ? B[static_cast<size_t>(k + row_b) * N + column0 + column_b] : bf16(0);
        }
        __syncthreads();
        if (mapped) wait(shared_address(&arrived), k / 16 & 1);
        uint a[4], b[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                     : "r"(shared_address(tile_a) + place_in_a(warp_row + lane % 16, lane / 16 * 8))
                     : "memory");
        for (int n = 0; n < 2; ++n) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                         : "=r"(b[0]), "=r"(b[1])
                         : "r"(shared_address(&tile_b[lane % 16][warp_column + n * 8]))
                         : "memory");
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(c[n][0]), "+f"(c[n][1]), "+f"(c[n][2]), "+f"(c[n][3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        }
    }
    for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 4; ++i) {
            const int row = row0 + warp_row + lane / 4 + i / 2 * 8, column = column0 + warp_column + n * 8 + lane % 4 * 2 + i % 2;
            if (row >= M || column >= N) continue;
            float& out = C[static_cast<size_t>(row) * N + column];
            out = beta == 0 ? alpha * c[n][i] : fmaf(alpha, c[n][i], beta * out);
        }
}
