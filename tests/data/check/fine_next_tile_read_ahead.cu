// A producer warp and four consumers, which read the first row of the next tile before they say that they have read this one, as CUTLASS
// does: the value that is still under way then is of the other tile. The last tile's is read again and never used.
// grid 1 block 160 arch sm_90
// argument u32[2048] counting
// argument u32[128] zero
// finds nothing
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int stages = 2, tiles = 8, rows = 2;
__device__ __forceinline__ unsigned read(const unsigned* at) {
    unsigned v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(at)) : "memory");
    return v;
}
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned ring[stages][rows][128];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&empty[s], 128);
    __syncthreads();
    const auto wait = [](uint64_t& barrier, int phase) {
        while (!ptx::mbarrier_try_wait_parity(&barrier, phase)) {}
    };
    if (threadIdx.x >= 128) {
        for (int tile = 0; threadIdx.x == 128 && tile < tiles; ++tile) {
            const int stage = tile % stages;
            wait(empty[stage], tile / stages % 2 ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[stage], sizeof ring[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[stage], in + tile * rows * 128, sizeof ring[0], &full[stage]);
        }
        return;
    }
    unsigned sum = 0;
    wait(full[0], 0);
    unsigned first = read(&ring[0][0][threadIdx.x]);
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % stages, next = tile + 1 < tiles ? tile + 1 : tile;
        asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(first) : "memory");
        const unsigned last = read(&ring[stage][1][threadIdx.x]);
        asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(last) : "memory");
        wait(full[next % stages], next / stages % 2);
        first = read(&ring[next % stages][0][threadIdx.x]);
        ptx::mbarrier_arrive(&empty[stage]);
    }
    out[threadIdx.x] = sum;
}
