// Copies go to the same words one after the other, each waited for before the next; and twice the same bytes at once, which no order changes.
// grid 1 block 32 arch sm_80
// argument u32[96] counting
// argument u32[96] zero
// finds nothing
__device__ void copy(unsigned* to, const unsigned* from) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[32];
    for (int t = 0; t < 3; ++t) {
        copy(&s[threadIdx.x], in + t * 32 + threadIdx.x);
        copy(&s[threadIdx.x], in + t * 32 + threadIdx.x);
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncwarp();
        out[t * 32 + threadIdx.x] = s[31 - threadIdx.x];
        __syncwarp();
    }
}
