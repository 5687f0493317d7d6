// wait_group 1 lets the group that is read stay under way.
// grid 1 block 32 arch sm_80
// argument u32[64] counting
// argument u32[32] zero
// finds unwaited_async_copy 17
__device__ void copy(unsigned* to, const unsigned* from) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[2][32];
    copy(&s[0][threadIdx.x], in + threadIdx.x);
    copy(&s[1][threadIdx.x], in + 32 + threadIdx.x);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    const unsigned sum = s[0][31 - threadIdx.x] + s[1][31 - threadIdx.x];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = sum + s[1][threadIdx.x];
}
