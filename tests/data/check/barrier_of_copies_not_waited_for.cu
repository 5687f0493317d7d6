// The threads arrive at the barrier that counts the copies, and meet at another one: the copies may still be under way.
// grid 1 block 32 arch sm_80
// argument u32[64] counting
// argument u32[32] zero
// finds unwaited_async_copy 18
// machine code of sm_90: before, mbarriers are words in which other instructions count
#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    const auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, tile, in, sizeof tile, bar);
    auto token = bar.arrive();
    block.sync();
    const unsigned sum = tile[63 - threadIdx.x] + tile[threadIdx.x];
    bar.wait(std::move(token));
    out[threadIdx.x] = sum;
}
