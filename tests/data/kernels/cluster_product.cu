/* gemmscope
title = "Split-K by a cluster, for the tests"
arch = "sm_90"

[[parameter]]
name = "SPLITS"
values = [1, 2, 4, 8]

[launch]
block = [64]
grid = ["SPLITS * ceil_div(N, 16)", "ceil_div(M, 16)"]
*/
// Each block of a cluster multiplies a part of k; 16 x 16 of C, 4 elements a thread. Then each adds up its share of the sums, in the
// order of the ranks, from the shared memory of all.
using uint = unsigned;

__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ float4 sums_of(const float* own, uint rank) {
    float4 v;
    uint there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(static_cast<uint>(__cvta_generic_to_shared(own))), "r"(rank));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(there) : "memory");
    return v;
}

template <int SPLITS>
__global__ __cluster_dims__(SPLITS, 1, 1) __launch_bounds__(64) void cluster_product(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float4 sums[64];
    const int t = threadIdx.x, row = blockIdx.y * 16 + t / 4, column = blockIdx.x / SPLITS * 16 + t % 4 * 4;
    const int rank = blockIdx.x % SPLITS, share = (K + SPLITS - 1) / SPLITS, first = rank * share, end = min(K, first + share);
    float c[4] = {};
    for (int k = first; k < end; ++k)
        for (int n = 0; n < 4; ++n)
            if (row < M && column + n < N) c[n] = fmaf(A[static_cast<size_t>(row) * K + k], B[static_cast<size_t>(k) * N + column + n], c[n]);
    sums[t] = make_float4(c[0], c[1], c[2], c[3]);
    meet();
    if (t % SPLITS == rank) {
        float all[4] = {};
        for (uint other = 0; other < SPLITS; ++other) {
            const float4 v = sums_of(reinterpret_cast<const float*>(&sums[t]), other);
            all[0] += v.x, all[1] += v.y, all[2] += v.z, all[3] += v.w;
        }
        for (int n = 0; n < 4; ++n) {
            if (row >= M || column + n >= N) continue;
            float& out = C[static_cast<size_t>(row) * N + column + n];
            out = beta == 0 ? alpha * all[n] : fmaf(alpha, all[n], beta * out);
        }
    }
    meet();
}
