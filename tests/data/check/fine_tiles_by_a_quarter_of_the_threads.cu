// A quarter of the threads copies four elements each; a cuda::barrier counts the copies, and tells when all have read the tiles.
// grid 1 block 16,16
// argument f32[1024] counting
// argument f32[1024] counting
// argument f32[256] zero
// argument i32 64
// finds nothing
#include <cuda/barrier>
constexpr int side = 16;
__global__ void k(const float* a, const float* b, float* c, int depth) {
    __shared__ alignas(16) float as[side][side], bs[side][side];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    const int x = threadIdx.x, y = threadIdx.y;
    if (x == 0 && y == 0) init(&bar, blockDim.x * blockDim.y);
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < depth; k += side) {
        if (x * 4 < side) {
            float4* const to_a = reinterpret_cast<float4*>(&as[y][x * 4]);
            float4* const to_b = reinterpret_cast<float4*>(&bs[y][x * 4]);
            cuda::memcpy_async(to_a, reinterpret_cast<const float4*>(&a[y * depth + k + x * 4]), sizeof(float4), bar);
            cuda::memcpy_async(to_b, reinterpret_cast<const float4*>(&b[(k + y) * side + x * 4]), sizeof(float4), bar);
        }
        bar.arrive_and_wait();
#pragma unroll
        for (int i = 0; i < side; ++i) sum += as[y][i] * bs[i][x];
        bar.arrive_and_wait();
    }
    c[y * side + x] = sum;
}
