// The consumers wait for no stage: they read what is still on its way, or has not been begun.
// grid 1 block 96 arch sm_80
// argument u32[384] counting
// argument u32[64] zero
// finds shared_race 28
// finds unwaited_async_copy 20 warning
// finds unwaited_async_copy 28
// machine code of sm_90: before, mbarriers are words in which other instructions count
#include <cooperative_groups.h>
#include <cuda/pipeline>
constexpr int stages = 2, tiles = 2, width = 64;
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned tile[stages][width];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const auto block = cooperative_groups::this_thread_block();
    const bool copies = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    if (copies) {
        for (int t = 0; t < tiles; ++t) {
            for (int n = threadIdx.x; n < width; n += 32) cuda::memcpy_async(&tile[t % stages][n], in + t * width + n, sizeof(unsigned), pipe);
            pipe.producer_commit();
        }
        return;
    }
    unsigned sum = 0;
    const int me = threadIdx.x - 32;
    for (int t = 0; t < tiles; ++t) {
        sum += tile[t % stages][width - 1 - me];
        pipe.consumer_release();
    }
    out[me] = sum;
}
