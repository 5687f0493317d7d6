// Each thread arrives by the end of its copies: .noinc counts it as one of the expected arrivals.
// grid 1 block 64 arch sm_80
// argument u32[512] counting
// argument u32[64] zero
// finds nothing
// machine code of sm_90: before, mbarriers are words in which other instructions count
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[64];
    __shared__ unsigned long long bar;
    const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&bar)), at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(b) : "memory");
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b) : "memory");
    int done;
    do asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
    while (!done);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
