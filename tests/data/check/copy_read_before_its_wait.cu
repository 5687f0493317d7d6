// The wait is left out: the barrier alone does not make the copy arrive.
// grid 1 block 32 arch sm_80
// argument u32[32] counting
// argument u32[32] zero
// finds unwaited_async_copy 10 warning
// finds unwaited_async_copy 13
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[32];
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(s + threadIdx.x));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
