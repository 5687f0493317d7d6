// Blocks arrive at the barrier of the cluster, do something of their own and wait then. Each reads what the other wrote before it arrived.
// grid 2 block 64
// argument u32[128] zero
// finds nothing
__device__ void arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ void wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned word[64], own[64];
    const unsigned t = threadIdx.x;
    word[t] = blockIdx.x * 64 + t;
    arrive();
    own[t] = t;
    __syncthreads();
    const unsigned mine = own[63 - t];
    wait();
    unsigned address, value;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(word + t))), "r"(1 - blockIdx.x));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    arrive();
    wait();
    out[blockIdx.x * 64 + t] = value + mine;
}
