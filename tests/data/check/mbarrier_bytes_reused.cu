// The bytes of an mbarrier become data without mbarrier.inval: the GPU keeps the barrier's state elsewhere
// and may write it over them.
// grid 1 block 64 arch sm_90
// argument u32[64] zero
// finds mbarrier_misuse 20
__global__ void k(unsigned* out) {
    __shared__ alignas(8) unsigned s[64];
    const int t = threadIdx.x;
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(s));
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(barrier) : "memory");
    __syncthreads();
    asm volatile("{\n\t"
                 ".reg .b64 state; .reg .pred done;\n\t"
                 "mbarrier.arrive.shared.b64 state, [%0];\n"
                 "again: mbarrier.try_wait.shared.b64 done, [%0], state;\n\t"
                 "@!done bra again;\n\t"
                 "}" ::"r"(barrier)
                 : "memory");
    __syncthreads();
    s[t] = t;
    __syncthreads();
    out[t] = s[63 - t];
}
