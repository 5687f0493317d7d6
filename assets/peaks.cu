// What a GPU can do at most, measured: multiply-adds of floats or doubles with nothing else in the way, a
// copy that is only memory traffic, and reads that a cache answers. `gemmscope device` compiles them for the GPU at hand and runs them.

// FMAS multiply-adds a turn in 16 independent chains: the next FMA of a chain waits some cycles for the one before,
// and with 16 chains there is always another to issue. Nothing leaves the registers. x = x * 0.5 + 1 goes to 2, so
// no value overflows or becomes denormal.
template <class T, int FMAS>
__global__ void fma_peak(T* out, int turns) {
    constexpr int chains = 16;
    T x[chains], factor = T(0.5) + turns * T(1e-30); // not known to the compiler
    for (int i = 0; i < chains; ++i) x[i] = threadIdx.x + i;
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int i = 0; i < FMAS; ++i) x[i % chains] = x[i % chains] * factor + T(1);
    }
    T sum = 0;
    for (int i = 0; i < chains; ++i) sum += x[i];
    if (sum == T(-1)) *out = sum; // never; but the compiler cannot know, so all must be computed
}

// 16 bytes a thread and step, neighbours beside neighbours, four loads under way at once.
__global__ void copy_peak(const float4* from, float4* to, size_t count) {
    const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < count; i += 4 * stride) {
        const float4 a = from[i], b = from[i + stride], c = from[i + 2 * stride], d = from[i + 3 * stride];
        to[i] = a, to[i + stride] = b, to[i + 2 * stride] = c, to[i + 3 * stride] = d;
    }
    for (; i < count; i += stride) to[i] = from[i];
}

enum class Cache { l1, l2 };

// A buffer that the cache holds, read again and again, 16 bytes a thread and step, four loads under way at once. `count` is
// a power of two. "cg" passes L1 by, and from turn to turn a multiprocessor reads what another one has read before.
template <Cache CACHE>
__global__ void read_peak(const float4* from, size_t count, int turns, float* out) {
    constexpr int loads = 4;
    const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int turn = 0; turn < turns; ++turn) {
        float4 x[loads];
#pragma unroll
        for (int j = 0; j < loads; ++j, i += stride) {
            const float4* const at = from + (i & (count - 1));
            x[j] = CACHE == Cache::l1 ? __ldca(at) : __ldcg(at);
        }
#pragma unroll
        for (int j = 0; j < loads; ++j) sum += (x[j].x + x[j].y) + (x[j].z + x[j].w);
    }
    if (sum == -1.0f) *out = sum; // as in fma_peak
}
