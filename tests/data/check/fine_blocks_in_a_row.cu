// Each block waits for the one before, adds to what that one has stored, and tells the next: plain stores, one after the other.
// grid 4 block 32
// argument u32[5] zero
// argument u32[32] zero
// finds nothing
#include <cuda/atomic>
__global__ void k(unsigned* turn, unsigned* total) {
    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> mine(turn[blockIdx.x]);
        while (blockIdx.x > 0 && mine.load(cuda::std::memory_order_acquire) == 0) {}
    }
    __syncthreads();
    total[threadIdx.x] += blockIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(turn[blockIdx.x + 1]);
        next.store(1, cuda::std::memory_order_release);
    }
}
