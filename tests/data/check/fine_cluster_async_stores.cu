// Each block stores words to its neighbour asynchronously; the neighbour's mbarrier counts them.
// grid 4 block 64
// argument u32[256] zero
// finds nothing
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ unsigned of_rank(unsigned address, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned long long full;
    __shared__ unsigned word[64];
    const unsigned t = threadIdx.x, other = 1 - blockIdx.x % 2, bar = shared_address(&full);
    word[t] = 0;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar) : "memory");
    }
    meet();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(of_rank(shared_address(word + t), other)), "r"(blockIdx.x * 64 + t), "r"(of_rank(bar, other)) : "memory");
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(bar) : "memory");
    out[blockIdx.x * 64 + t] = word[63 - t];
    meet();
}
