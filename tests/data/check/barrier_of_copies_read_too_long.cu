// Nobody says when a tile has been read: the next one is copied over it.
// grid 1 block 64 arch sm_80
// argument u32[512] counting
// argument u32[64] zero
// finds shared_race 20
// machine code of sm_90: before, mbarriers are words in which other instructions count
#include <cooperative_groups.h>
#include <cuda/barrier>
constexpr int tiles = 4, width = 128;
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned tile[width];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    const auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    unsigned sum = 0;
    for (int t = 0; t < tiles; ++t) {
        cuda::memcpy_async(block, tile, in + t * width, sizeof tile, bar);
        bar.arrive_and_wait();
        sum += tile[width - 1 - threadIdx.x] + tile[threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
