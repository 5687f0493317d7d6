// A warpgroup multiplies the tiles of a ring, which a producer warp refills. It gives back each tile when it has waited for all products but
// the last one, which reads that tile: the wait leaves one group too many.
// grid 1 block 160 arch sm_90a
// argument u32[5120] counting
// argument f32[1024] zero
// finds unfinished_read 47
// machine code finds unfinished_read 0: ptxas says no line of the product
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int stages = 3, tiles = 8, a_words = 64 * 8, words = a_words + 16 * 8;

__device__ unsigned long long descriptor(const unsigned* tile) { // rows of 32 bytes, swizzled over as many
    return (static_cast<unsigned long long>(__cvta_generic_to_shared(tile)) >> 4) | 16ull << 32 | 3ull << 62;
}
__device__ void wait(uint64_t& barrier, int phase) {
    while (!ptx::mbarrier_try_wait_parity(&barrier, phase)) {}
}

__global__ void k(const unsigned* in, float* out) {
    __shared__ alignas(256) unsigned ring[stages][words];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&empty[s], 4);
    __syncthreads();
    if (threadIdx.x >= 128) {
        for (int tile = 0; threadIdx.x == 128 && tile < tiles; ++tile) {
            const int s = tile % stages;
            wait(empty[s], tile / stages % 2 ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof ring[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[s], in + tile * words, sizeof ring[0], &full[s]);
        }
        return;
    }
    const auto release = [&](int tile) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&empty[tile % stages]);
    };
    float d[8];
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        const unsigned* const a = ring[tile % stages];
        wait(full[tile % stages], tile / stages % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %10, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1;\n}"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                     : "l"(descriptor(a)), "l"(descriptor(a + a_words)), "r"(tile));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        release(tile);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int r = 0; r < 8; ++r) out[threadIdx.x * 8 + r] = d[r];
}
