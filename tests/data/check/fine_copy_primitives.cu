// The C interface of CUDA: pipelines of a thread, and an mbarrier that waits for copies.
// grid 1 block 64 arch sm_80
// argument u32[512] counting
// argument u32[64] zero
// finds nothing
// machine code of sm_90: before, mbarriers are words in which other instructions count
#include <cuda_pipeline.h>
#include <cuda_awbarrier_primitives.h>
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[2][64];
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0) __mbarrier_init(&bar, 64);
    __syncthreads();
    unsigned sum = 0;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], in + threadIdx.x, 4);
    __pipeline_commit();
    for (int t = 0; t < 4; ++t) {
        if (t < 3) __pipeline_memcpy_async(&tile[(t + 1) % 2][threadIdx.x], in + (t + 1) * 64 + threadIdx.x, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[t % 2][63 - threadIdx.x];
        __syncthreads();
    }
    __pipeline_memcpy_async(&tile[0][threadIdx.x], in + 256 + threadIdx.x, 4);
    __pipeline_arrive_on(&bar);
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token)) {}
    out[threadIdx.x] = sum + tile[0][63 - threadIdx.x];
}
