// The only kernel stands in an unnamed namespace, where nothing else would compile it.
// trace: --grid 1 --block 32 --arg in:f32[32] --arg out:f32[32]
// expect: copy 0 1
#include <gtest/gtest.h>
#include "no_such_utilities.h"

namespace {

__global__ void copy(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }

class CopyTest : public ::testing::Test {
protected:
  void SetUp() override { cudaMalloc(&in_, 128); }
  float* in_ = nullptr;
};

TEST_F(CopyTest, Works) {
  copy<<<1, 32>>>(in_, in_);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

} // namespace
