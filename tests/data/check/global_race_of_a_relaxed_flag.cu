// The flag is stored and read without release and acquire: who sees it need not see the zero.
// grid 2 block 32
// argument u32[2] zero
// finds global_race 10
#include <cuda/atomic>
__global__ void k(unsigned* sum) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(sum[1]);
    if (blockIdx.x == 0) {
        sum[0] = 0;
        flag.store(1, cuda::std::memory_order_relaxed);
    } else {
        while (flag.load(cuda::std::memory_order_relaxed) == 0) {}
    }
    atomicAdd(sum, blockIdx.x + 1);
}
