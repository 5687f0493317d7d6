// Two copies of one group go to the same words: nothing says which lands last. The second pair is of two groups, and nobody has waited for the
// first one: they end in order, but may write in any.
// grid 1 block 32 arch sm_80
// argument u32[128] counting
// argument u32[64] zero
// finds unwaited_async_copy 16
// finds unwaited_async_copy 20
__device__ void copy(unsigned* to, const unsigned* from) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned one[32], two[32];
    copy(&one[threadIdx.x], in + threadIdx.x);
    copy(&one[threadIdx.x], in + 32 + threadIdx.x);
    commit();
    copy(&two[threadIdx.x], in + 64 + threadIdx.x);
    commit();
    copy(&two[threadIdx.x], in + 96 + threadIdx.x);
    commit();
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    out[threadIdx.x] = one[31 - threadIdx.x];
    out[32 + threadIdx.x] = two[31 - threadIdx.x];
}
