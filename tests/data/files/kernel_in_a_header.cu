// A program whose kernel stands in a header: what is wrong with it is told at the header's line.
// trace: --grid 2 --block 32 --arg in:f32[40] --arg out:f32[40]
// expect: finding out_of_bounds 6 header_kernel.cuh
#include <cstdio>
#include "header_kernel.cuh"

void run(const float* in, float* out) {
  copy_all<<<2, 32>>>(in, out);
  printf("%d\n", cudaGetLastError());
}
