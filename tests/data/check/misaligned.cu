// Four words are read at once from an address that is a multiple of four bytes only.
// grid 1 block 8
// argument f32[64] zero
// argument f32[32] zero
// finds misaligned 7
__global__ void k(const float* in, float* out) {
    const float4 v = *reinterpret_cast<const float4*>(in + 1 + threadIdx.x * 4);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
