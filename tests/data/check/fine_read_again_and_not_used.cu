// The rows of a tile are read one ahead, and after the last one the first one again: a copy may overwrite that while it is read, but
// nobody uses the value.
// grid 1 block 160 arch sm_90
// argument u32[2048] counting
// argument u32[128] zero
// finds nothing
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int stages = 2, tiles = 4, rows = 4;
__device__ __forceinline__ unsigned read(const unsigned* at) {
    unsigned v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(at)) : "memory");
    return v;
}
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned ring[stages][rows][128];
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
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[stage], in + tile * rows * 128, sizeof ring[0], &full[stage]);
        }
        return;
    }
    unsigned sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % stages;
        wait(full[stage], tile / stages % 2);
        unsigned value = read(&ring[stage][0][threadIdx.x]);
#pragma unroll 1
        for (int row = 0; row < rows; ++row) {
            const unsigned next = read(&ring[stage][(row + 1) % rows][threadIdx.x]);
            asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(value) : "memory");
            value = next;
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&empty[stage]);
    }
    out[threadIdx.x] = sum;
}
