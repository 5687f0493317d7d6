// Each block stores two rows of words to its neighbour, a barrier for each. Its warp 0 waits for the second row, then warp 1 for the first.
// grid 2 block 64
// argument u32[128] zero
// finds nothing
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ unsigned of_rank(unsigned address, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned long long full[2];
    __shared__ unsigned word[2][32];
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, other = 1 - blockIdx.x;
    if (t < 2) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(shared_address(full + t)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(shared_address(full + t)) : "memory");
    }
    meet();
    if (warp == 0)
        for (unsigned row = 0; row < 2; ++row)
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(of_rank(shared_address(&word[row][lane]), other)),
                         "r"(row * 100 + lane), "r"(of_rank(shared_address(full + row), other)) : "memory");
    const unsigned row = 1 - warp;
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(shared_address(full + row)) : "memory");
    out[blockIdx.x * 64 + row * 32 + lane] = word[row][31 - lane];
    meet();
}
