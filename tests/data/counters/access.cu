// One access to shared memory by one warp, of a kind chosen at run time; lane t at byte offset[t], not at all where it is negative.
extern "C" __global__ void access(const int* offset, float* out, int kind) {
    __shared__ __align__(16) float s[12288];
    const int o = offset[threadIdx.x];
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s)) + (o < 0 ? 0 : o);
    float v[4] = {1, 2, 3, 4};
    if (o >= 0) {
        if (kind == 4) asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v[0]) : "r"(at));
        if (kind == 8) asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v[0]), "=f"(v[1]) : "r"(at));
        if (kind == 16) asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "r"(at));
        if (kind == -4) asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v[0]) : "memory");
        if (kind == -8) asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(v[0]), "f"(v[1]) : "memory");
        if (kind == -16) asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]) : "memory");
    }
    out[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
