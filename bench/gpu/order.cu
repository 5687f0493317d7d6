// Which of several ready warps of a sub-core goes first: the clocks of four warps that all have FFMAs to issue.
#include "measure.h"

namespace micro {

constexpr int LOOKS = 32;

/// Warps 0, 4, 8 and 12 share a sub-core; each looks at the clock behind every `Between` FFMAs.
template <int Between> __global__ void looks(uint32_t* clocks, uint32_t* sink, __grid_constant__ const Input in) {
    const int warp = threadIdx.x / 32;
    if (warp % 4) return;
    float x[8];
    for (int i = 0; i < 8; ++i) x[i] = word<float>(in, i);
    const float a = word<float>(in, 9);
    uint32_t seen[LOOKS];
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
#pragma unroll
        for (int look = 0; look < LOOKS; ++look) {
#pragma unroll
            for (int i = 0; i < Between; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 8]) : "f"(a));
            seen[look] = uint32_t(clock64());
        }
    }
    if (threadIdx.x % 32 == 0)
        for (int look = 0; look < LOOKS; ++look) clocks[warp / 4 * LOOKS + look] = seen[look];
    for (float one : x) use(sink, one);
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    constexpr int WARPS = 4;
    uint32_t* clocks = nullptr;
    need(cudaMalloc(&clocks, WARPS * LOOKS * 4));
    std::vector<double> runs, first[WARPS], last[WARPS];
    for (int run = 0; run < 15; ++run) {
        looks<16><<<1, 32 * 4 * WARPS>>>(clocks, bench.sink(), bench.input());
        std::vector<uint32_t> seen(WARPS * LOOKS);
        need(cudaMemcpy(seen.data(), clocks, seen.size() * 4, cudaMemcpyDeviceToHost));
        std::vector<std::pair<uint32_t, int>> all;
        for (int i = 0; i < WARPS * LOOKS; ++i) all.emplace_back(seen[i], i / LOOKS);
        std::sort(all.begin(), all.end());
        int changes = 1;
        for (size_t i = 1; i < all.size(); ++i) changes += all[i].second != all[i - 1].second;
        runs.push_back(double(all.size()) / changes);
        for (int warp = 0; warp < WARPS; ++warp) {
            first[warp].push_back(double(seen[warp * LOOKS] - all[0].first));
            last[warp].push_back(double(seen[warp * LOOKS + LOOKS - 1] - all[0].first));
        }
        if (run == 14)
            for (const auto& [clock, warp] : all) std::fprintf(stderr, "%u:%d ", clock - all[0].first, warp);
    }
    std::fprintf(stderr, "\n");
    report("order_looks_in_a_row", median(runs), "looks", "four warps of one sub-core issue 512 FFMAs each and look at the clock behind every 16: looks of one warp before another's");
    for (int warp = 0; warp < WARPS; ++warp) {
        const std::string name = "order_warp_" + std::to_string(4 * warp);
        report(name + "_first", median(first[warp]), "cycles", "its first look, after the first of all");
        report(name + "_last", median(last[warp]), "cycles", "its last look, after the first of all");
    }
}
