// One thread begins a bulk copy that a cuda::barrier counts by its bytes; all wait for both.
// grid 2 block 128 arch sm_90
// argument u32[1024] counting
// argument u32[256] zero
// finds nothing
#include <cuda/barrier>
#include <utility>
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned tile[512];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in + blockIdx.x * 512, sizeof tile, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    out[blockIdx.x * 128 + threadIdx.x] = tile[511 - threadIdx.x] + tile[threadIdx.x];
}
