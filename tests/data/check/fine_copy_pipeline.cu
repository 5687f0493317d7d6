// Four stages of asynchronous copies, waited for by group.
// grid 1 block 64 arch sm_80
// argument u32[512] counting
// argument u32[64] zero
// finds nothing
__device__ void copy(unsigned* to, const unsigned* from) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[4][64];
    const int t = threadIdx.x;
    for (int i = 0; i < 3; ++i) {
        copy(&s[i][t], in + i * 64 + t);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    unsigned sum = 0;
    for (int i = 0; i < 8; ++i) {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        if (i + 3 < 8) copy(&s[(i + 3) % 4][t], in + (i + 3) * 64 + t);
        asm volatile("cp.async.commit_group;" ::: "memory");
        sum += s[i % 4][63 - t];
    }
    out[t] = sum;
}
