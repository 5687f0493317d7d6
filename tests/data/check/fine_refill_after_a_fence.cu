// Four warps share a ring of two tiles, which one lane of the first refills. Each uses the last row only after it has said that it has
// read: fence.proxy.async makes it wait for the value before.
// grid 1 block 128 arch sm_90
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
    const auto fetch = [&](int tile) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[tile % stages], sizeof ring[0]);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[tile % stages], in + tile * rows * 128, sizeof ring[0], &full[tile % stages]);
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&empty[s], 4);
        for (int s = 0; s < stages; ++s) fetch(s);
    }
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % stages, phase = tile / stages % 2;
        while (!ptx::mbarrier_try_wait_parity(&full[stage], phase)) {}
        const unsigned first = read(&ring[stage][0][threadIdx.x]);
        sum += first * 3;
        const unsigned last = read(&ring[stage][1][threadIdx.x]);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&empty[stage]);
        if (threadIdx.x == 0 && tile + stages < tiles) {
            while (!ptx::mbarrier_try_wait_parity(&empty[stage], phase)) {}
            fetch(tile + stages);
        }
        __syncwarp();
        asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(last) : "memory");
    }
    out[threadIdx.x] = sum;
}
