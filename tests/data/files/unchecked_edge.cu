// A program whose kernel is wrong: no guard at the edge. It compiles, and the finding names its line.
// trace: --grid 2 --block 32 --arg in:f32[40] --arg out:f32[40]
// expect: finding out_of_bounds 9
#include <cstdio>
#include <string>

__global__ void copy(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

int main() {
  std::string greeting = "n = 40";
  printf("%s\n", greeting.c_str());
  copy<<<2, 32>>>(nullptr, nullptr);
}
