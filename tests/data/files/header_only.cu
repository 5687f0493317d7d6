// Kernel templates in a header beside the file, with host code in both.
// trace: --entry gemm::tiled<64,64,8,4,4> --grid 2,1 --block 256 --arg i32=64 --arg i32=128 --arg i32=32 --arg in:f32[64x32] --arg in:f32[32x128] --arg out:f32[64x128]
// expect: gemm 64 128 32 3 4 5
#include "header_only.cuh"
#include <chrono>
#include <random>

static std::vector<float> random_values(size_t n) {
  static std::mt19937 engine{std::random_device{}()};
  std::normal_distribution<float> normal;
  std::vector<float> v(n);
  for (auto& x : v) x = normal(engine);
  return v;
}

int main() {
  using clock = std::chrono::high_resolution_clock;
  auto start = clock::now();
  auto c = gemm::run(random_values(256 * 256), random_values(256 * 256), 256, 256, 256);
  printf("%f s\n", std::chrono::duration<double>(clock::now() - start).count());
}
