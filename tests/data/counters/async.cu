// Two buffers filled by asynchronous copies of 16 bytes; n is a multiple of 32.
extern "C" __global__ void async_copies(const float* A, const float* B, float* C, int n) {
    __shared__ __align__(16) float s[2][2][32 * 32];
    const int t = threadIdx.x, row = t / 8, quad = t % 8 * 4;
    const auto copy = [&](int buffer, int k0) {
        const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(&s[buffer][0][row * 32 + quad]));
        const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&s[buffer][1][row * 32 + quad]));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a), "l"(A + (blockIdx.y * 32 + row) * n + k0 + quad));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(b), "l"(B + (k0 + row) * n + blockIdx.x * 32 + quad));
        asm volatile("cp.async.commit_group;");
    };
    float sum[4] = {};
    copy(0, 0);
    for (int k0 = 0; k0 < n; k0 += 32) {
        const int now = k0 / 32 & 1;
        if (k0 + 32 < n) {
            copy(now ^ 1, k0 + 32);
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            for (int j = 0; j < 4; ++j) sum[j] += s[now][0][row * 32 + k] * s[now][1][k * 32 + quad + j];
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) C[(blockIdx.y * 32 + row) * n + blockIdx.x * 32 + quad + j] = sum[j];
}
