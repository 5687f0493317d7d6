// Macros that stand for CUDA's words, conditionals around functions, raw strings with braces and preprocessor lines.
// trace: --entry lib::affine<float> --grid 1 --block 64 --arg in:f32[64] --arg out:f32[64] --arg i32=64 --arg f32=3
// expect: scale 0 1 3
#include <cstdio>
#include <map>
#include <string>

#if defined(__CUDACC__)
#define LIB_DEVICE __device__ __forceinline__
#define LIB_KERNEL __global__
#else
#define LIB_DEVICE
#define LIB_KERNEL
#endif
#define LIB_HOST_DEVICE __host__ LIB_DEVICE

static const char* shader = R"glsl(
#version 330
void main() { } }} // not ours
)glsl";

namespace lib {

/* a comment with a brace { and a "quote */
std::map<std::string, int> registry; // what's registered

LIB_HOST_DEVICE float multiply(float a, float b) { return a * b; }

#ifdef LIB_VERBOSE
void describe(int level) {
  if (level > 0) {
#else
void describe() {
  {
#endif
    std::printf("%s has %zu { kernels\n", shader, registry.size());
  }
}

template <class T>
LIB_KERNEL void affine(const T* in, T* out, int n, T factor) {
  const int i = threadIdx.x;
  if (i < n) out[i] = multiply(in[i], factor);
}

template <class T>
void launch(const std::string& name, const T* in, T* out, int n) {
  const auto bytes = 1'000'000ull;
  affine<T><<<1, n>>>(in, out, n, T('\'' + bytes));
  ++registry[name];
}
template void launch<float>(const std::string&, const float*, float*, int);

} // namespace lib
