// Waits at the barrier of the cluster without having arrived, and arrives twice without a wait between.
// grid 2 block 32
// argument u32[64] zero
// finds divergent_barrier 7
// finds divergent_barrier 9
__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
}
