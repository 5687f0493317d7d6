#pragma once
// What the microbenchmarks share: how a body of instructions is timed by the clock of one SM, and a result as a line of JSON.
//
// A body is a struct with a constructor from Input, `step(u)` (the instructions of one step, u known at compile time) and
// `keep(sink)`, which uses what the steps computed. It is unrolled twice, to n and to 2n steps: the difference of the two
// times has neither the loop nor what stands around it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace micro {

inline void need(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

/// The median of repeated runs, and the range that they covered.
struct Measured {
    double value = 0, spread = 0;
};

inline Measured median(std::vector<double> runs) {
    std::sort(runs.begin(), runs.end());
    return {runs[runs.size() / 2], runs.back() - runs.front()};
}

inline Measured operator/(Measured m, double by) { return {m.value / by, m.spread / by}; }
inline Measured operator*(Measured m, double by) { return {m.value * by, m.spread * by}; }

inline void report(const std::string& name, Measured m, const char* unit, const std::string& how) {
    std::printf("{\"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\", \"spread\": %.3g, \"how\": \"%s\"}\n",
                name.c_str(), m.value, unit, m.spread, how.c_str());
    std::fflush(stdout);
}

/// What bodies read: values that the compiler cannot know, and memory to work in.
struct Input {
    const uint32_t* words; ///< 4096 of them, floats near one
    uint32_t* memory;      ///< MEMORY_BYTES, zeros
    uint32_t argument;
    uint32_t lanes[32]; ///< bytes from the first address of a warp's access to each lane's
};
constexpr size_t MEMORY_BYTES = size_t(64) << 20;

/// The warps that run: `each` on each of the first `subcores` sub-cores (warp w is on sub-core w mod 4).
struct Warps {
    int each = 1, subcores = 1;
    int all() const { return each * subcores; }
};

struct Span {
    long long begin, end;
};

/// Where dynamic shared memory begins: the first KB is the system's.
__device__ inline uint32_t shared_base() {
    extern __shared__ uint32_t dynamic[];
    return uint32_t(__cvta_generic_to_shared(dynamic));
}

__device__ inline float as_float(uint32_t bits) { return __uint_as_float(bits); }

template <class T>
__device__ T word(const Input& in, int i) {
    uint32_t bits = in.words[(threadIdx.x + 32 * i) % 4096];
    if constexpr (sizeof(T) == 8) {
        uint64_t wide = (uint64_t(bits) << 32) | in.words[(threadIdx.x + 7 * i) % 4096];
        T result;
        memcpy(&result, &wide, 8);
        return result;
    } else {
        T result;
        memcpy(&result, &bits, 4);
        return result;
    }
}

template <class T>
__device__ void use(uint32_t* sink, T value) {
    if constexpr (sizeof(T) == 8) {
        uint64_t bits;
        memcpy(&bits, &value, 8);
        if ((bits ^ (bits >> 32)) == 0x123456789abcull) *sink = 1;
    } else {
        uint32_t bits;
        memcpy(&bits, &value, 4);
        if (bits == 0x12345678u) *sink = 1;
    }
}

/// The clock, once all warps have met. BAR does not stop a warp at once: a look at the clock just behind it would still be
/// before. So it waits for a load, which a barrier holds back; `gate` is not zero.
__device__ inline long long clock_behind_barrier(const uint32_t* gate) {
    __syncthreads();
    long long now = 0;
    asm volatile("{.reg .pred p; .reg .u32 x; ld.volatile.u32 x, [%1]; setp.ne.u32 p, x, 0; @p mov.u64 %0, %%clock64;}"
                 : "+l"(now)
                 : "l"(gate)
                 : "memory");
    return now;
}

template <class Body, int Steps>
__global__ void __launch_bounds__(1024)
    timed(Span* spans, uint32_t* sink, __grid_constant__ const Input in, int subcores, int loops) {
    const int warp = threadIdx.x / 32;
    if (warp % 4 >= subcores) return;
    Body body(in);
    long long begin = 0, end = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) { // the first fills the caches
        begin = clock_behind_barrier(in.words);
#pragma unroll 1
        for (int loop = 0; loop < loops; ++loop) {
#pragma unroll
            for (int u = 0; u < Steps; ++u) body.step(u);
        }
        end = clock64();
    }
    if (threadIdx.x % 32 == 0) spans[warp] = {begin, end};
    body.keep(sink);
}

/// The device's side of all bodies.
class Bench {
public:
    Bench() {
        std::vector<uint32_t> words(4096);
        uint32_t state = 1;
        for (uint32_t& word : words) {
            state = state * 1664525u + 1013904223u;
            word = 0x3f700000u + (state >> 12); // 0.94 to 1.06
        }
        uint32_t* copy = nullptr;
        need(cudaMalloc(&copy, words.size() * 4));
        need(cudaMemcpy(copy, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
        need(cudaMalloc(&in_.memory, MEMORY_BYTES));
        need(cudaMemset(in_.memory, 0, MEMORY_BYTES));
        need(cudaMalloc(&spans_, 32 * sizeof(Span)));
        need(cudaMalloc(&sink_, 4));
        in_.words = copy;
    }

    /// Cycles of one step, of which every warp executes the same number.
    template <class Body, int Steps>
    Measured cycles(Warps warps, uint32_t argument = 0, int shared_bytes = 0, int loops = 32) {
        std::vector<double> runs;
        for (int run = 0; run < 9; ++run) {
            const double twice = span(timed<Body, 2 * Steps>, warps, argument, shared_bytes, loops);
            const double once = span(timed<Body, Steps>, warps, argument, shared_bytes, loops);
            runs.push_back((twice - once) / (double(loops) * Steps));
        }
        return median(runs);
    }

    /// Cycles that a kernel itself took between two looks at the clock, from the first warp's first to the last warp's last.
    template <class Kernel>
    Measured once(Kernel kernel, Warps warps, int shared_bytes = 0) {
        std::vector<double> runs;
        need(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
        for (int run = 0; run < 15; ++run) {
            kernel<<<1, 128 * warps.each, shared_bytes>>>(spans_, sink_, in_, warps.subcores);
            runs.push_back(spanned(warps));
        }
        return median(runs);
    }

    /// Where the lanes of an access are, in bytes.
    template <class Place>
    void lanes(Place place) {
        for (uint32_t lane = 0; lane < 32; ++lane) in_.lanes[lane] = place(lane);
    }

    Input& input() { return in_; }
    uint32_t* sink() { return sink_; }
    Span* spans() { return spans_; }

private:
    template <class Kernel>
    double span(Kernel kernel, Warps warps, uint32_t argument, int shared_bytes, int loops) {
        need(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
        in_.argument = argument;
        kernel<<<1, 128 * warps.each, shared_bytes>>>(spans_, sink_, in_, warps.subcores, loops);
        return spanned(warps);
    }

    /// From the first warp's begin to the last one's end.
    double spanned(Warps warps) {
        need(cudaGetLastError());
        std::vector<Span> spans(4 * warps.each);
        need(cudaMemcpy(spans.data(), spans_, spans.size() * sizeof(Span), cudaMemcpyDeviceToHost));
        long long begin = INT64_MAX, end = 0;
        for (int warp = 0; warp < 4 * warps.each; ++warp) {
            if (warp % 4 >= warps.subcores) continue;
            begin = std::min(begin, spans[warp].begin);
            end = std::max(end, spans[warp].end);
        }
        return double(end - begin);
    }

    Input in_{};
    Span* spans_ = nullptr;
    uint32_t* sink_ = nullptr;
};

} // namespace micro
