// The copy may land while another warp still reads what it replaces: its start is not behind the barrier.
// grid 1 block 64 arch sm_80
// argument u32[128] counting
// argument u32[64] zero
// finds unwaited_async_copy 12
// finds shared_race 12
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    unsigned sum = s[63 - t];
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(s + t));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + 64 + t) : "memory");
    __syncthreads();
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[t] = sum + s[63 - t];
}
