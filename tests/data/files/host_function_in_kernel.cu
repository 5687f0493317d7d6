// A kernel that calls a function of the host. What cannot be compiled, and why.
// trace: --grid 1 --block 32 --arg out:f32[32]
// expect: refused host_function_in_kernel.cu:8: "namespace "std" has no member"
#include <vector>

float average(float x) {
  // the reason stands in the next line
  std::vector<float> values(3, x);
  return values[0];
}

__global__ void k(float* out) { out[threadIdx.x] = average(1.0f); }

int main() { k<<<1, 32>>>(nullptr); }
