// Four consumer warps read the last 8 x 8 matrices of a tile, say that they have read and only then use them; a producer warp refills the
// ring. The first ones are used before. Both values lie in registers that the loop moves around.
// grid 1 block 160 arch sm_90
// argument u32[2048] counting
// argument u32[128] zero
// finds unfinished_read 43
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int stages = 2, tiles = 4, words = 512;
__device__ __forceinline__ uint4 read_matrices(const unsigned* at) {
    uint4 v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"((unsigned)__cvta_generic_to_shared(at)) : "memory");
    return v;
}
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned ring[stages][words];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&empty[s], 4);
    __syncthreads();
    const auto wait = [](uint64_t& barrier, int phase) {
        while (!ptx::mbarrier_try_wait_parity(&barrier, phase)) {}
    };
    if (threadIdx.x >= 128) {
        for (int tile = 0; threadIdx.x == 128 && tile < tiles; ++tile) {
            const int stage = tile % stages;
            wait(empty[stage], tile / stages % 2 ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[stage], sizeof ring[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[stage], in + tile * words, sizeof ring[0], &full[stage]);
        }
        return;
    }
    unsigned sum = 0;
    uint4 last = {};
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        wait(full[tile % stages], tile / stages % 2);
        const uint4 first = read_matrices(&ring[tile % stages][lane * 4]);
        asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(first.z) : "memory");
        asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(last.w) : "memory");
        last = read_matrices(&ring[tile % stages][words / 2 + lane * 4]);
        __syncwarp();
        if (lane == 0) ptx::mbarrier_arrive(&empty[tile % stages]);
    }
    out[threadIdx.x] = sum + last.x;
}
