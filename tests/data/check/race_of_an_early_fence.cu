// The fence stands before the store that it is to publish to the other warp.
// grid 1 block 64
// argument u32[2] zero
// finds shared_race 17
#include <cuda/atomic>
__global__ void k(unsigned* out) {
    __shared__ unsigned data, flag;
    if (threadIdx.x == 0) data = flag = 0;
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> said(flag);
    if (threadIdx.x == 0) {
        __threadfence_block();
        data = 7;
        said.store(1, cuda::std::memory_order_relaxed);
    } else if (threadIdx.x == 32) {
        while (said.load(cuda::std::memory_order_acquire) == 0) {}
        out[0] = data;
    }
}
