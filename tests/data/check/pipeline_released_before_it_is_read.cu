// Consumers release a stage and read it afterwards: the producers may copy the next tile there.
// grid 2 block 160 arch sm_80
// argument u32[4096] counting
// argument u32[256] zero
// finds shared_race 19
// machine code of sm_90: before, mbarriers are words in which other instructions count
#include <cooperative_groups.h>
#include <cuda/pipeline>
constexpr int stages = 4, tiles = 9, width = 128;
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned tile[stages][width];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, size_t{32});
    unsigned sum = 0;
    for (int t = 0; t < tiles; ++t) {
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[t % stages][threadIdx.x * 4], in + t * width + threadIdx.x * 4, cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            pipe.consumer_release();
            sum += tile[t % stages][159 - threadIdx.x];
        }
    }
    if (!produces) out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}
