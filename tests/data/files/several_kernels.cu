// Kernels to choose from.
// trace: --grid 1 --block 32 --arg out:f32[32]
// expect: refused several_kernels.cu: "choose one with --entry: first, tools::second, third<int N, class T>"
#include <cstring>
#include <functional>

__global__ void first(float* out) { out[threadIdx.x] = 1; }
namespace tools {
__global__ void second(float* out) { out[threadIdx.x] = 2; }
}
template <int N, class T> __global__ void third(T* out) { out[threadIdx.x] = N; }

int main() {
  std::function<void(float*)> run = [](float* p) { third<3><<<1, 32>>>(p); };
  run(nullptr);
}
