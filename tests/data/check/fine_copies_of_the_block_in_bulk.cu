// The block copies tiles together in bulk copies, one barrier for each buffer; a second barrier says when a tile has been read.
// grid 2 block 96 arch sm_90
// argument u32[2048] counting
// argument u32[192] zero
// finds nothing
#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned tile[2][256];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar[2];
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x < 2) init(&bar[threadIdx.x], 96);
    block.sync();
    const unsigned* from = in + blockIdx.x * 1024;
    cuda::memcpy_async(block, tile[0], from, cuda::aligned_size_t<16>(sizeof tile[0]), bar[0]);
    unsigned sum = 0;
    for (int t = 0; t < 4; ++t) {
        if (t < 3) cuda::memcpy_async(block, tile[(t + 1) % 2], from + (t + 1) * 256, cuda::aligned_size_t<16>(sizeof tile[0]), bar[(t + 1) % 2]);
        bar[t % 2].arrive_and_wait();
        sum += tile[t % 2][255 - threadIdx.x] + tile[t % 2][threadIdx.x];
        block.sync();
    }
    out[blockIdx.x * 96 + threadIdx.x] = sum;
}
