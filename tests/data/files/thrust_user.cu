// Host code with thrust's containers and algorithms around a kernel of one's own.
// trace: --grid 2 --block 128 --arg in:f32[256] --arg out:f32[256] --arg i32=256 --arg f32=2
// expect: scale 0 1 3
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <algorithm>
#include <numeric>
#include <random>

__global__ void scale(const float* __restrict__ in, float* __restrict__ out, int n, float factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * factor;
}

thrust::device_vector<float> make_input(std::size_t n) {
  thrust::host_vector<float> h(n);
  std::mt19937 generator(42);
  std::uniform_real_distribution<float> distribution(-1.0f, 1.0f);
  std::generate(h.begin(), h.end(), [&] { return distribution(generator); });
  return h;
}

struct saxpy_functor {
  const float a;
  saxpy_functor(float _a) : a(_a) {}
  __host__ __device__ float operator()(const float& x, const float& y) const { return a * x + y; }
};

int main() {
  auto in = make_input(1 << 20);
  thrust::device_vector<float> out(in.size());
  scale<<<256, 256>>>(thrust::raw_pointer_cast(in.data()), out.data().get(), static_cast<int>(in.size()), 2.0f);
  thrust::transform(in.begin(), in.end(), out.begin(), out.begin(), saxpy_functor(2.0f));
  return thrust::reduce(out.begin(), out.end()) > 0 ? 0 : 1;
}
