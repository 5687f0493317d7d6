/* gemmscope
title = "Tensor maps, for the tests"
arch = "sm_90a"

[[parameter]]
name = "BK"
values = [8, 16, 32]
initial = 32

[[parameter]]
name = "SWIZZLE"
values = [0, 1]
initial = 1

[[parameter]]
name = "STAGES"
values = [1, 2, 3]
initial = 2

[[parameter]]
name = "CLUSTER"
values = [1, 2]
initial = 1

[[tensor_map]]
of = "A"
box = ["64 / CLUSTER", "BK"]
swizzle = "SWIZZLE ? 4 * BK : 0"

[[tensor_map]]
of = "B"
box = ["BK", "64"]

[[tensor_map]]
of = "C"
box = ["64", "32"]
swizzle = "SWIZZLE ? 128 : 0"

[launch]
block = [384]
grid = ["CLUSTER * ceil_div(N, 64 * CLUSTER)", "ceil_div(M, 64)"]
dynamic_shared = "4 * (64 * 64 + 2 * 64 * BK * STAGES) + 16 * STAGES"
*/
// Boxes of A and B come through a ring of buffers that a producer's warpgroup fills and two others empty; C leaves as boxes, too,
// where beta is 0. The blocks of a cluster need the same boxes of A: each copies its share of the rows to all. Matrices whose rows are no multiple of 16 bytes have no maps and are read element by element.
using uint = unsigned;

struct alignas(64) TensorMap {
    unsigned char bytes[128];
};

__device__ uint shared_address(const void* p) { return static_cast<uint>(__cvta_generic_to_shared(p)); }

__device__ void wait(uint barrier, uint parity) {
    asm volatile("{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ void arrive(uint barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }

__device__ void arrive_in(uint barrier, uint block) {
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier), "r"(block) : "memory");
}

__device__ void meet_cluster() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__device__ void load_box(uint to, const TensorMap& map, int column, int row, uint barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(column), "r"(row),
                 "r"(barrier)
                 : "memory");
}

__device__ void load_box_to_two(uint to, const TensorMap& map, int column, int row, uint barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(&map),
                 "r"(column), "r"(row), "r"(barrier), "h"(static_cast<unsigned short>(3))
                 : "memory");
}

__device__ void store_box(const TensorMap& map, int column, int row, uint from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(column), "r"(row), "r"(from) : "memory");
}

__device__ bool elected() {
    uint p;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(p));
    return p;
}

// The float in `row` and `column` of a box with rows of WIDTH floats.
template <int WIDTH, bool SWIZZLED>
__device__ float& element(unsigned char* box, int row, int column) {
    uint at = shared_address(box) + 4 * (row * WIDTH + column);
    const uint straight = at;
    if (SWIZZLED) at ^= at >> 3 & (4 * WIDTH - 16);
    return *reinterpret_cast<float*>(box + 4 * (row * WIDTH + column) + static_cast<int>(at - straight));
}

template <int BK, int SWIZZLE, int STAGES, int CLUSTER>
__global__ __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(384, 1) void tensor_maps(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C,
                                                      const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
                                                      const __grid_constant__ TensorMap map_c) {
    extern __shared__ __align__(1024) unsigned char shared[];
    constexpr int box_bytes = 64 * BK * 4;
    unsigned char *tile_c = shared, *tiles_a = tile_c + 64 * 64 * 4, *tiles_b = tiles_a + STAGES * box_bytes;
    const uint full = shared_address(tiles_b + STAGES * box_bytes), empty = full + 8 * STAGES;
    const int thread = threadIdx.x, group = thread / 128, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64, steps = (K + BK - 1) / BK;
    const bool mapped = K % 4 == 0 && N % 4 == 0;
    if (thread == 0) {
        for (int s = 0; s < STAGES; ++s) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * s) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty + 8 * s), "r"(8 * CLUSTER) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        if (mapped) asm volatile("prefetch.tensormap [%0];" ::"l"(&map_a) : "memory");
    }
    meet_cluster();
    float sum[16] = {};
    const int column = thread % 64, first_row = thread / 64 * 16;
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (mapped && thread / 32 == 8 && elected()) {
            for (int k = 0; k < steps; ++k) {
                const int s = k % STAGES;
                if (k >= STAGES) wait(empty + 8 * s, (k / STAGES - 1) & 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full + 8 * s), "r"(2 * box_bytes) : "memory");
                const int rank = blockIdx.x % CLUSTER, rows = 64 / CLUSTER;
                const uint to = shared_address(tiles_a) + s * box_bytes + rank * rows * BK * 4;
                if (CLUSTER == 1) load_box(to, map_a, k * BK, row0, full + 8 * s);
                else load_box_to_two(to, map_a, k * BK, row0 + rank * rows, full + 8 * s);
                load_box(shared_address(tiles_b) + s * box_bytes, map_b, column0, k * BK, full + 8 * s);
            }
        }
        __syncwarp();
        meet_cluster();
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int k = 0; mapped && k < steps; ++k) {
        const int s = k % STAGES;
        wait(full + 8 * s, k / STAGES & 1);
        for (int i = 0; i < BK; ++i)
            for (int r = 0; r < 16; ++r)
                sum[r] = fmaf(element<BK, SWIZZLE != 0>(tiles_a + s * box_bytes, first_row + r, i), element<64, false>(tiles_b + s * box_bytes, i, column), sum[r]);
        __syncwarp();
        if (CLUSTER == 1 && thread % 32 == 0) arrive(empty + 8 * s);
        if (CLUSTER > 1 && thread % 32 < CLUSTER) arrive_in(empty + 8 * s, thread % 32);
    }
    meet_cluster();
    for (int k = 0; !mapped && k < K; ++k)
        for (int r = 0; r < 16; ++r)
            if (row0 + first_row + r < M && column0 + column < N)
                sum[r] = fmaf(A[static_cast<size_t>(row0 + first_row + r) * K + k], B[static_cast<size_t>(k) * N + column0 + column], sum[r]);
    if (mapped && beta == 0) {
        for (int r = 0; r < 16; ++r) element<32, SWIZZLE != 0>(tile_c + column / 32 * 64 * 32 * 4, first_row + r, column % 32) = alpha * sum[r];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync 1, 256;" ::: "memory");
        if (thread == 0) {
            store_box(map_c, column0, row0, shared_address(tile_c));
            store_box(map_c, column0 + 32, row0, shared_address(tile_c) + 64 * 32 * 4);
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
        }
        return;
    }
    for (int r = 0; r < 16; ++r) {
        if (row0 + first_row + r >= M || column0 + column >= N) continue;
        float& c = C[static_cast<size_t>(row0 + first_row + r) * N + column0 + column];
        c = beta == 0 ? alpha * sum[r] : fmaf(alpha, sum[r], beta * c);
    }
}
