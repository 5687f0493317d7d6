// Functions that are not marked: some that kernels call (nvcc takes constexpr ones), some that only the host calls.
// trace: --grid 1 --block 32 --arg in:f32[256] --arg out:f32[32]
// expect: block_sum 0 1 8
#include <iostream>
#include <memory>
#include <type_traits>

enum class Layout { row, column };
constexpr int padded(int n, Layout layout = Layout::row) { return layout == Layout::row ? n : n + 1; }
constexpr int per_thread = padded(8);
template <class T> constexpr T zero() { return T{}; }
template <class T> using bare = std::remove_cv_t<T>;

struct Options {
  std::string name = "default";
  std::unique_ptr<float[]> host;
  bool verbose() const { return !name.empty(); }
};

std::ostream& operator<<(std::ostream& out, const Options& o) { return out << o.name; }

static_assert(sizeof(float) == 4, "unexpected float");

__global__ void row_sums(const float* in, float* out) {
  bare<const float> sum = zero<float>();
  for (int i = 0; i < per_thread; ++i) sum += in[threadIdx.x * padded(per_thread) + i];
  out[threadIdx.x] = sum;
}

auto report = [](const Options& o) { std::cout << o << '\n'; };

int main() {
  Options options;
  if (options.verbose()) report(options);
  row_sums<<<1, 32>>>(nullptr, nullptr);
}
