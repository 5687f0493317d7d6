// Cooperative groups: a block's sum by tiles of 32 threads.
// trace: --grid 3 --block 128 --arg in:f32[384] --arg out:f32[3]
// expect: block_sum 0 1 128
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace cg = cooperative_groups;

namespace {
inline void check(cudaError_t code, const std::string& what) {
  if (code != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(code));
}
} // namespace

__global__ void reduce(const float* in, float* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  __shared__ float partial[32];
  float value = in[block.group_index().x * block.size() + block.thread_rank()];
  value = cg::reduce(tile, value, cg::plus<float>());
  if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = value;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    float sum = tile.thread_rank() < tile.meta_group_size() ? partial[tile.thread_rank()] : 0.0f;
    sum = cg::reduce(tile, sum, cg::plus<float>());
    if (tile.thread_rank() == 0) out[blockIdx.x] = sum;
  }
}

int main() {
  float *in = nullptr, *out = nullptr;
  check(cudaMalloc(&in, 384 * sizeof(float)), "input");
  check(cudaMalloc(&out, 3 * sizeof(float)), "output");
  void* args[] = {&in, &out};
  check(cudaLaunchCooperativeKernel((void*)reduce, dim3(3), dim3(128), args), "launch");
}
