// The L1 cache: latency and rate of loads that hit it, by what the lanes of a warp read, and its size beside shared memory.
#include "measure.h"

namespace micro {

/// Loads that give the address of the next: each place holds its own address, twice where 16 bytes are loaded.
template <int Chains, int Words> struct GlobalChase {
    uint32_t at[Chains], high;
    uint64_t both[Chains], sum = 0;
    __device__ explicit GlobalChase(const Input& in) {
        uint32_t* place = in.memory + in.lanes[threadIdx.x % 32] / 4;
        const uint64_t address = reinterpret_cast<uint64_t>(place);
        for (int i = 0; i < Words; ++i) place[i] = uint32_t(i % 2 ? address >> 32 : address);
        __syncthreads();
        for (int i = 0; i < Chains; ++i) at[i] = uint32_t(address), both[i] = address;
        high = uint32_t(address >> 32);
    }
    __device__ void step(int u) {
        if constexpr (Words == 1)
            asm volatile("{.reg .b64 a; mov.b64 a, {%0, %1}; ld.global.u32 %0, [a];}" : "+r"(at[u % Chains]) : "r"(high));
        if constexpr (Words == 2) asm volatile("ld.global.u64 %0, [%0];" : "+l"(both[u % Chains]));
        if constexpr (Words == 4) {
            uint64_t other;
            asm volatile("ld.global.v2.u64 {%0, %1}, [%0];" : "+l"(both[u % Chains]), "=l"(other));
            sum ^= other; // else only half would be loaded
        }
    }
    __device__ void keep(uint32_t* sink) {
        for (int i = 0; i < Chains; ++i) use(sink, at[i]), use(sink, both[i]);
        use(sink, sum);
    }
};

template <int Words> void pattern(Bench& bench, const std::string& name, const std::string& says) {
    const std::string width = std::to_string(32 * Words), title = "ldg_" + width + "_" + name;
    const std::string what = "LDG." + width + " that hits L1, " + says;
    report(title + "_latency", bench.cycles<GlobalChase<1, Words>, 32>({1, 1}), "cycles", "one warp, each gives the address of the next: " + what);
    report(title + "_interval_1_warp", bench.cycles<GlobalChase<8, Words>, 32>({1, 1}), "cycles", "eight independent chains of one warp: " + what);
    report(title + "_interval_4_warps", bench.cycles<GlobalChase<8, Words>, 32>({1, 4}) / 4, "cycles", "eight chains of each of four warps, cycles of the SM each instruction: " + what);
    report(title + "_interval_16_warps", bench.cycles<GlobalChase<8, Words>, 32>({4, 4}) / 16, "cycles", "eight chains of each of 16 warps, cycles of the SM each instruction: " + what);
}

/// The latency that is left when many warps ask at once: each load gives the address of the warp's next.
void under_load(Bench& bench, const std::string& name, const std::string& says) {
    for (int each : {1, 2, 4, 8}) {
        const std::string warps = std::to_string(4 * each) + "_warps";
        report("ldg_32_" + name + "_latency_" + warps, bench.cycles<GlobalChase<1, 1>, 32>({each, 4}), "cycles",
               std::to_string(4 * each) + " warps at once, of each a load gives the address of the next: LDG.32 that hits L1, " + says);
        report("ldg_32_" + name + "_latency_8_chains_" + warps, bench.cycles<GlobalChase<8, 1>, 32>({each, 4}) * 8, "cycles",
               std::to_string(4 * each) + " warps at once, of each eight such chains: LDG.32 that hits L1, " + says);
    }
}

/// The inner loop of a product without shared memory: for each FFMA a word that all lanes share and one of each lane, four of both at once;
/// ptxas mixes those of several steps.
template <int Lines> struct NaiveProduct {
    static constexpr int AT_ONCE = 4;
    const uint32_t *row, *column;
    uint64_t zero;
    float sum;
    __device__ explicit NaiveProduct(const Input& in)
        : row(in.memory + threadIdx.x / 32 * 64 + threadIdx.x % Lines * 32), column(in.memory + 8192 + threadIdx.x % 32), zero(in.argument),
          sum(word<float>(in, 0)) {}
    __device__ void step(int u) {
        float a[AT_ONCE], b[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(a[i]) : "l"(row + (u * AT_ONCE + i) % 32));
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(b[i]) : "l"(column + (u * AT_ONCE + i) % 32 * 32));
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a[i]), "f"(b[i]));
        asm volatile("add.u64 %0, %0, %2; add.u64 %1, %1, %2;" : "+l"(row), "+l"(column) : "l"(zero)); // else ptxas would load nothing twice
    }
    __device__ void keep(uint32_t* sink) { use(sink, sum); }
};
template <int Lines> void naive_products(Bench& bench) {
    for (int each : {1, 2, 4, 8})
        report("ldg_naive_product_" + std::to_string(Lines) + "_lines_" + std::to_string(4 * each) + "_warps",
               bench.cycles<NaiveProduct<Lines>, 16>({each, 4}) / (4 * NaiveProduct<Lines>::AT_ONCE * each), "cycles",
               std::to_string(4 * each) + " warps: for each FFMA an LDG of " + (Lines == 1 ? "one word" : "a word of each of " + std::to_string(Lines) + " lines") +
                   " and one of a line, which hit L1: cycles of the SM each FFMA");
}

/// Independent loads that hit, one behind another, by the clock around them: how many a warp issues before it has to wait.
template <int Loads> __global__ void __launch_bounds__(512) burst(Span* spans, uint32_t* sink, __grid_constant__ const Input in, int subcores) {
    const int warp = threadIdx.x / 32;
    if (warp % 4 >= subcores) return;
    const uint32_t* from = in.memory + in.lanes[threadIdx.x % 32] / 4;
    long long begin = 0, end = 0;
    uint32_t x[Loads];
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
        begin = clock_behind_barrier(in.words);
#pragma unroll
        for (int i = 0; i < Loads; ++i) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x[i]) : "l"(from + i * 128) : "memory"); // not twice the same: ptxas would leave it out
        end = clock64();
#pragma unroll
        for (int i = 0; i < Loads; ++i) use(sink, x[i]);
    }
    if (threadIdx.x % 32 == 0) spans[warp] = {begin, end};
}
template <int Loads> void burst_of(Bench& bench, Warps warps, const std::string& says, const std::string& how) {
    report("ldg_32_burst_" + std::to_string(Loads) + "_" + says, bench.once(burst<Loads>, warps), "cycles",
           "clock before the first and behind the last of " + std::to_string(Loads) + " independent LDG.32 of each warp that hit L1, " + how);
}
void bursts(Bench& bench, Warps warps, const std::string& says, const std::string& how) {
    burst_of<1>(bench, warps, says, how);
    burst_of<2>(bench, warps, says, how);
    burst_of<4>(bench, warps, says, how);
    burst_of<6>(bench, warps, says, how);
    burst_of<8>(bench, warps, says, how);
    burst_of<12>(bench, warps, says, how);
    burst_of<16>(bench, warps, says, how);
    burst_of<24>(bench, warps, says, how);
    burst_of<32>(bench, warps, says, how);
}

/// One lane follows `lines` cache lines in a ring, again and again; what the last turn took.
__global__ void ring(Span* spans, uint32_t* sink, uint32_t* memory, int lines, int stride) {
    for (int i = threadIdx.x; i < lines; i += blockDim.x) memory[i * stride] = ((i + 1) % lines) * stride;
    __syncthreads();
    if (threadIdx.x) return;
    uint32_t at = 0;
    long long begin = 0, end = 0;
    for (int turn = 0; turn < 3; ++turn) {
        begin = clock64();
        for (int i = 0; i < lines; ++i) asm volatile("ld.global.u32 %0, [%1];" : "=r"(at) : "l"(memory + at));
        end = clock64();
    }
    *spans = {begin, end};
    use(sink, at);
}

/// The largest footprint of a ring whose loads all hit, at most 5 % slower than those of a small one, with a preferred carve-out.
void size_of_l1(Bench& bench, int carveout_kb) {
    int largest = 0, half = 0;
    const int dynamic = carveout_kb <= 1 ? 0 : (carveout_kb - 1) << 10; // one KB of each block is the system's
    need(cudaFuncSetAttribute(ring, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic));
    need(cudaFuncSetAttribute(ring, cudaFuncAttributePreferredSharedMemoryCarveout, carveout_kb * 100 / 228));
    double small = 0;
    for (int kb = 4; kb <= 256; kb += 4) {
        const int lines = kb * 8;
        std::vector<double> runs;
        for (int run = 0; run < 3; ++run) {
            ring<<<1, 128, dynamic>>>(bench.spans(), bench.sink(), bench.input().memory, lines, 32);
            Span span{};
            need(cudaMemcpy(&span, bench.spans(), sizeof span, cudaMemcpyDeviceToHost));
            runs.push_back(double(span.end - span.begin) / lines);
        }
        const double each = median(runs).value;
        if (kb == 4) small = each;
        if (each < 1.05 * small) largest = kb;
        if (each < 2 * small) half = kb;
    }
    const std::string name = "l1_kb_with_carveout_" + std::to_string(carveout_kb) + "_kb";
    report(name, {double(largest), 4}, "KB", "largest ring of lines of which all hit, by latency at most 5 % above that of 4 KB");
    report(name + "_twice_as_slow", {double(half), 4}, "KB", "largest ring whose mean latency is below twice that of 4 KB");
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    for (uint32_t stride : {0u, 4u, 8u, 16u, 32u, 64u, 128u, 256u, 512u, 4096u}) {
        bench.lanes([stride](uint32_t lane) { return lane * stride; });
        pattern<1>(bench, "stride_" + std::to_string(stride), "lanes " + std::to_string(stride) + " bytes apart");
    }
    for (uint32_t lines = 2; lines <= 16; lines *= 2) {
        bench.lanes([lines](uint32_t lane) { return lane / (32 / lines) * 128 + lane % (32 / lines) * 4; });
        pattern<1>(bench, std::to_string(lines) + "_lines", std::to_string(lines) + " lines, one sector or what is left of each");
    }
    for (uint32_t sectors = 1; sectors <= 4; sectors *= 2) {
        bench.lanes([sectors](uint32_t lane) { return lane / 4 * 128 + lane % sectors * 32; });
        pattern<1>(bench, "8_lines_" + std::to_string(sectors) + "_sectors", "eight lines, of each " + std::to_string(sectors) + " sectors");
    }
    for (uint32_t stride : {0u, 8u, 16u, 128u}) {
        bench.lanes([stride](uint32_t lane) { return lane * stride; });
        pattern<2>(bench, "stride_" + std::to_string(stride), "lanes " + std::to_string(stride) + " bytes apart");
    }
    for (uint32_t stride : {0u, 16u, 32u, 128u}) {
        bench.lanes([stride](uint32_t lane) { return lane * stride; });
        pattern<4>(bench, "stride_" + std::to_string(stride), "lanes " + std::to_string(stride) + " bytes apart");
    }
    for (uint32_t stride : {4u, 128u}) {
        bench.lanes([stride](uint32_t lane) { return lane * stride; });
        const std::string says = "stride_" + std::to_string(stride), how = "lanes " + std::to_string(stride) + " bytes apart; ";
        bursts(bench, {1, 1}, says + "_1_warp", how + "one warp");
        bursts(bench, {4, 1}, says + "_4_warps_one_subcore", how + "four warps of one sub-core, from the first one's to the last one's");
        bursts(bench, {1, 4}, says + "_4_warps", how + "a warp of each sub-core, from the first one's to the last one's");
    }
    for (uint32_t lines : {1u, 2u, 4u, 8u, 32u}) {
        bench.lanes([lines](uint32_t lane) { return lane / (32 / lines) * 128 + lane % (32 / lines) * 4; });
        under_load(bench, std::to_string(lines) + "_lines", lines == 1 ? "one line" : std::to_string(lines) + " lines");
    }
    naive_products<1>(bench);
    naive_products<2>(bench);
    naive_products<4>(bench);
    for (int kb : {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}) size_of_l1(bench, kb);
}
