// Two warps take turns at the tiles of a ring of three, and each comes to every other phase of a stage. A barrier after each tile tells it that the
// phase between has ended.
// grid 1 block 96 arch sm_90
// argument u32[1024] counting
// argument u32[32] zero
// finds nothing
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int stages = 3, tiles = 16, words = 64;
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned ring[stages][words];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&empty[s], 32);
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        for (int tile = 0; lane == 0 && tile < tiles; ++tile) {
            const int s = tile % stages;
            while (!ptx::mbarrier_try_wait_parity(&empty[s], tile / stages % 2 ^ 1)) {}
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof ring[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[s], in + tile * words, sizeof ring[0], &full[s]);
        }
        return;
    }
    unsigned sum = 0;
    for (int tile = warp - 1; tile < tiles; tile += 2) {
        const int s = tile % stages;
        while (!ptx::mbarrier_try_wait_parity(&full[s], tile / stages % 2)) {}
        sum += ring[s][lane] + ring[s][lane + 32];
        ptx::mbarrier_arrive(&empty[s]);
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    atomicAdd(&out[lane], sum);
}
