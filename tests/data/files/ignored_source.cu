// Inline PTX whose copies ignore their source under a predicate: there shared memory becomes zero.
// trace: --block 64 --arg in:f32[64] --arg out:f32[64]
// expect: copy 0 1
__global__ void ignored_source(const float* in, float* out) {
  __shared__ float s[64];
  const int i = threadIdx.x, odd = i % 2;
  s[i] = 1;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(s + i));
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p; }" ::"r"(to), "l"(in + i), "r"(odd));
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[i] = odd ? in[i] + s[i] : s[i];
}
