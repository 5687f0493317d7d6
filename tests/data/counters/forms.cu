// Instructions of many kinds and widths, for the decoder of machine code; never launched.
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

extern "C" __global__ void forms(float* g, const float4* __restrict__ h, double* d, int n, unsigned long long* q) {
    __shared__ __align__(16) float s[2048];
    __shared__ double sd[64];
    float local[40];
    const int t = threadIdx.x;
    for (int i = 0; i < 40; ++i) local[i] = g[(i * 7 + t) % n];
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&s[t * 4])), "l"(h + t));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(&s[512 + t * 2])), "l"(h + t));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&s[1024 + t])), "l"(g + t));
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;");
#endif
    __syncthreads();

    // Atomics, generic addresses, local memory, doubles.
    atomicAdd(&s[(t * 3) & 127], 1.0f);
    atomicAdd(&g[t & 7], 2.0f);
    g[t & 15] += static_cast<float>(atomicMax(reinterpret_cast<int*>(&g[9]), n));
    atomicCAS(q, 1ull, 2ull);
    float* either = (n & 1) ? g : s;
    either[t] += local[(n + t) % 40];
    sd[t & 63] = d[t] * d[t + 1] + 1.0;
    __syncthreads();
    d[t] = sd[(t + 1) & 63] / d[2 * t];

    // Between lanes; divisions and roots, which call subroutines; narrow accesses.
    const unsigned votes = __ballot_sync(~0u, t > n);
    g[t] += __shfl_xor_sync(~0u, g[t + 1], 3) + __popc(votes) + __ldg(&g[t + 100]) / g[t + 200] + sqrtf(g[t + 3]) + __expf(g[t + 5]);
    reinterpret_cast<unsigned char*>(s)[t] = static_cast<unsigned char>(n);
    reinterpret_cast<short*>(s)[t + 600] = static_cast<short>(n);
    __syncthreads();
    g[t + 300] = reinterpret_cast<signed char*>(s)[t + 1] + reinterpret_cast<unsigned short*>(s)[t + 601];
    reinterpret_cast<unsigned char*>(g)[t + 9999] = static_cast<unsigned char>(n);
    reinterpret_cast<float2*>(g)[t + 500] = reinterpret_cast<float2*>(s)[t + 7];

    // A table of branches, and loops that are left from inside.
    switch (n & 7) {
    case 0: g[0] = 1; break;
    case 1: g[1] *= 3; break;
    case 2: g[2] = sinf(g[3]); break;
    case 3: g[3] = 5; break;
    case 4: g[4] /= 3; break;
    case 5: g[5] = 9; break;
    default: g[8] = 3;
    }
    for (int i = t; i < n; i += 3)
        if (g[i] > 3 && s[i & 511] < 2) break;

    // Matrices.
    unsigned a[4], b[2] = {static_cast<unsigned>(n), static_cast<unsigned>(t)};
    float c[4] = {};
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(shared_address(&s[t * 4])));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0] ^ a[2]), "r"(a[1] ^ a[3]), "r"(b[0] ^ b[1]));
    *reinterpret_cast<float4*>(&g[4096 + 4 * t]) = make_float4(c[0], c[1], c[2], c[3]);
    __threadfence();
    if (t == 0) *reinterpret_cast<volatile int*>(g + 77) = n;
    asm volatile("bar.arrive 1, 64;\n bar.sync 2, 64;");
    __nanosleep(10);
    if (n == 12345) __trap();
}
