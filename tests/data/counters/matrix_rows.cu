// ldmatrix and stmatrix in all their widths: the rows of a matrix `stride` bytes apart, the matrices `apart`. With x1 and x2 the other lanes'
// addresses must not count. With stride 0 all rows are one, which only loads may have.
__device__ unsigned load1(unsigned at) {
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at) : "memory");
    return a;
}
__device__ unsigned load2(unsigned at) {
    unsigned a, b;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory");
    return a ^ 3 * b;
}
__device__ unsigned load4(unsigned at) {
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
    return a ^ 3 * b ^ 5 * c ^ 7 * d;
}
__device__ unsigned load1_transposed(unsigned at) {
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at) : "memory");
    return a;
}
__device__ unsigned load2_transposed(unsigned at) {
    unsigned a, b;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory");
    return a ^ 3 * b;
}

extern "C" __global__ void matrix_rows(const unsigned* in, unsigned* out, int stride, int apart) {
    __shared__ __align__(16) unsigned s[2048];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 2048; i += 32) s[i] = in[i];
    __syncthreads();
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s)) + t % 8 * stride + t / 8 * apart;
    unsigned all = load1(at) ^ load2(at) ^ load4(at) ^ load1_transposed(at) ^ load2_transposed(at);
#if __CUDA_ARCH__ >= 900
    if (stride != 0 && apart != 0) {
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(all) : "memory");
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(all), "r"(t) : "memory");
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(all), "r"(t), "r"(all), "r"(t) : "memory");
        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(all), "r"(t) : "memory");
        __syncthreads();
        for (unsigned i = t; i < 2048; i += 32) all += s[i];
    }
#endif
    out[t] = all;
}
