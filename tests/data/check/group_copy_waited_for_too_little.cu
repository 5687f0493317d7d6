// wait_prior<1> lets the second tile stay under way, and it is read.
// grid 1 block 64 arch sm_80
// argument u32[256] counting
// argument u32[64] zero
// finds unwaited_async_copy 14 warning
// finds unwaited_async_copy 18
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned tile[2][128];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile[0], in, sizeof tile[0]);
    cg::memcpy_async(block, tile[1], in + 128, sizeof tile[1]);
    cg::wait_prior<1>(block);
    unsigned sum = tile[0][127 - threadIdx.x] + tile[0][threadIdx.x];
    cg::wait_prior<1>(block);
    sum += tile[1][127 - threadIdx.x] + tile[1][threadIdx.x];
    out[threadIdx.x] = sum;
}
