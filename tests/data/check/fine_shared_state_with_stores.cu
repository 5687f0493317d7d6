// Producers store plainly between acquire and commit; a pipeline orders that, too.
// grid 1 block 64 arch sm_80
// argument u32[256] counting
// argument u32[32] zero
// finds nothing
// machine code of sm_90: before, mbarriers are words in which other instructions count
#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[2][32], factor[2];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const bool produces = threadIdx.x >= 32;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    unsigned sum = 0;
    for (int t = 0; t < 8; ++t) {
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[t % 2][threadIdx.x - 32], in + t * 32 + threadIdx.x - 32, 4, pipe);
            if (threadIdx.x == 32) factor[t % 2] = t;
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += tile[t % 2][31 - threadIdx.x] * factor[t % 2];
            pipe.consumer_release();
        }
    }
    if (!produces) out[threadIdx.x] = sum;
}
