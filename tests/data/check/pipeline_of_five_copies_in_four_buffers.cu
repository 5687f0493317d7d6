// Five copies are under way in four buffers: the fifth goes where the first one goes, and lands while that buffer is read.
// grid 1 block 64 arch sm_80
// argument u32[640] counting
// argument u32[64] zero
// finds unwaited_async_copy 16
// finds unwaited_async_copy 21
#include <cuda/pipeline>
constexpr int stages = 4, tiles = 10, width = 64;
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[stages][width];
    auto pipe = cuda::make_pipeline();
    unsigned sum = 0;
    for (int t = 0, next = 0; t < tiles; ++t) {
        for (; next < tiles && next < t + stages + 1; ++next) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[next % stages][threadIdx.x], in + next * width + threadIdx.x, sizeof(unsigned), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        sum += tile[t % stages][width - 1 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
