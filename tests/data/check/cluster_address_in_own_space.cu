// An address of another block's shared memory, loaded from by an instruction that reaches the own block's only.
// grid 2 block 32
// argument u32[64] zero
// finds out_of_bounds 12
__device__ void meet() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned word[32];
    word[threadIdx.x] = threadIdx.x;
    meet();
    unsigned address, value;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(word + threadIdx.x))), "r"(1 - blockIdx.x)); asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    meet();
    out[blockIdx.x * 32 + threadIdx.x] = value;
}
