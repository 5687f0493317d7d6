// Fetching: code larger than the instruction caches, branches, and constants.
#include "measure.h"

namespace micro {

#define FFMA_8                                                                                                         \
    "fma.rn.f32 %0, %0, %8, %8; fma.rn.f32 %1, %1, %8, %8; fma.rn.f32 %2, %2, %8, %8; fma.rn.f32 %3, %3, %8, %8;"      \
    "fma.rn.f32 %4, %4, %8, %8; fma.rn.f32 %5, %5, %8, %8; fma.rn.f32 %6, %6, %8, %8; fma.rn.f32 %7, %7, %8, %8;"
#define TIMES_8(text) text text text text text text text text
#define FFMA_KB TIMES_8(FFMA_8)
#define FFMA_64_KB TIMES_8(TIMES_8(FFMA_KB))
#define EIGHT(x) "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]), "+f"(x[7])

/// 64 FFMAs are one KB of machine code. Recursive, because nvcc does not unroll loops as long as these.
template <int Kb> __device__ __forceinline__ void ffmas(float (&x)[8], float a) {
    if constexpr (Kb >= 64) {
        asm volatile(FFMA_64_KB : EIGHT(x) : "f"(a));
        ffmas<Kb - 64>(x, a);
    } else if constexpr (Kb > 0) {
        asm volatile(FFMA_KB : EIGHT(x) : "f"(a));
        ffmas<Kb - 1>(x, a);
    }
}

/// A loop of `Kb` KB, whose turns before the last two fill the caches.
template <int Kb>
__global__ void __launch_bounds__(1024) straight(Span* spans, uint32_t* sink, __grid_constant__ const Input in, int subcores) {
    const int warp = threadIdx.x / 32;
    if (warp % 4 >= subcores) return;
    float x[8];
    for (int i = 0; i < 8; ++i) x[i] = word<float>(in, i);
    const float a = word<float>(in, 9);
    long long begin = 0, end = 0;
    constexpr int TURNS = Kb >= 64 ? 2 : 128 / Kb;
#pragma unroll 1
    for (int turn = -2; turn < TURNS; ++turn) {
        if (turn == 0) begin = clock_behind_barrier(in.words);
        ffmas<Kb>(x, a);
    }
    end = clock64();
    if (threadIdx.x % 32 == 0) spans[warp] = {begin, end};
    for (float one : x) use(sink, one);
}
template <int Kb> void straight_of(Bench& bench) {
    constexpr int TURNS = Kb >= 64 ? 2 : 128 / Kb;
    const struct { Warps warps; const char* says; const char* how; } all[] = {
        {{1, 1}, "1_warp_one_subcore", "one warp on one sub-core"}, {{2, 1}, "2_warps_one_subcore", "two warps on one sub-core"},
        {{4, 1}, "4_warps_one_subcore", "four warps on one sub-core"}, {{8, 1}, "8_warps_one_subcore", "eight warps on one sub-core"},
        {{1, 4}, "1_warp_all_subcores", "one warp on each of the four sub-cores"}, {{2, 4}, "2_warps_all_subcores", "two warps on each of the four sub-cores"},
        {{4, 4}, "4_warps_all_subcores", "four warps on each of the four sub-cores"}, {{8, 4}, "8_warps_all_subcores", "eight warps on each of the four sub-cores"}};
    for (const auto& [warps, says, how] : all)
        report("code_" + std::to_string(Kb) + "_kb_" + says, bench.once(straight<Kb>, warps) / (64.0 * Kb * TURNS * warps.each), "cycles",
               "a loop of " + std::to_string(Kb) + " KB of FFMAs, the third turn and later, " + how + ": cycles each instruction of a sub-core");
}

/// `Kb` KB that are executed once, by `blockDim.x / 32` warps of each block.
template <int Kb> __global__ void __launch_bounds__(1024) once_through(Span* spans, uint32_t* sink, __grid_constant__ const Input in) {
    float x[8];
    for (int i = 0; i < 8; ++i) x[i] = word<float>(in, i);
    const float a = word<float>(in, 9);
    const long long begin = clock_behind_barrier(in.words);
    ffmas<Kb>(x, a);
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = {begin, end};
    for (float one : x) use(sink, one);
}
/// With other code in the instruction caches of all SMs, and this code in L2.
template <int Kb> void once_through_of(Bench& bench, int blocks, int warps, const std::string& says, const std::string& how) {
    constexpr int ALONE = 120 << 10; // of shared memory: one block on each SM
    need(cudaFuncSetAttribute(straight<512>, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    need(cudaFuncSetAttribute(once_through<Kb>, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    std::vector<double> runs;
    for (int run = 0; run < 15; ++run) {
        straight<512><<<blocks, 128, ALONE>>>(bench.spans(), bench.sink(), bench.input(), 4);
        once_through<Kb><<<blocks, 32 * warps, ALONE>>>(bench.spans(), bench.sink(), bench.input());
        need(cudaGetLastError());
        std::vector<Span> spans(warps);
        need(cudaMemcpy(spans.data(), bench.spans(), warps * sizeof(Span), cudaMemcpyDeviceToHost));
        long long begin = INT64_MAX, end = 0;
        for (const Span& span : spans) begin = std::min(begin, span.begin), end = std::max(end, span.end);
        runs.push_back(double(end - begin) / (8 * Kb));
    }
    report("code_once_" + std::to_string(Kb) + "_kb_" + says, median(runs), "cycles",
           std::to_string(Kb) + " KB of FFMAs, executed once with other code in the instruction caches and this in L2, " + how + ": cycles each 128 bytes");
}
template <int Kb> void once_through_of(Bench& bench) {
    once_through_of<Kb>(bench, 1, 1, "1_warp", "one warp of one SM");
    once_through_of<Kb>(bench, 1, 8, "8_warps", "two warps on each sub-core of one SM");
    once_through_of<Kb>(bench, 132, 1, "1_warp_of_all_sms", "one warp of each of 132 SMs");
    once_through_of<Kb>(bench, 132, 8, "8_warps_of_all_sms", "eight warps of each of 132 SMs");
}

/// The same, of 256 KB, with a look at the clock behind each part of 16 KB.
constexpr int PARTS = 16;
__global__ void parts_once(Span* spans, uint32_t* sink, __grid_constant__ const Input in) {
    float x[8];
    for (int i = 0; i < 8; ++i) x[i] = word<float>(in, i);
    const float a = word<float>(in, 9);
    long long times[PARTS + 1];
    times[0] = clock_behind_barrier(in.words);
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        ffmas<16>(x, a);
        times[part + 1] = clock64();
    }
    for (int part = 0; part < PARTS; ++part)
        if (threadIdx.x == 0) spans[part] = {times[part], times[part + 1]};
    for (float one : x) use(sink, one);
}
void parts_once_of(Bench& bench) {
    std::vector<double> first(PARTS), later[PARTS];
    for (int run = 0; run < 9; ++run) {
        straight<512><<<1, 128>>>(bench.spans(), bench.sink(), bench.input(), 4);
        parts_once<<<1, 32>>>(bench.spans(), bench.sink(), bench.input());
        need(cudaGetLastError());
        Span spans[PARTS];
        need(cudaMemcpy(spans, bench.spans(), sizeof spans, cudaMemcpyDeviceToHost));
        for (int part = 0; part < PARTS; ++part) {
            const double each = double(spans[part].end - spans[part].begin) / 128;
            if (run == 0) first[part] = each;
            else later[part].push_back(each);
        }
    }
    const std::string how = "16 KB of 256 KB of FFMAs, executed once by one warp of one SM: cycles each 128 bytes, ";
    for (int part = 0; part < PARTS; ++part) {
        const std::string name = "code_once_from_" + std::to_string(16 * part) + "_kb", where = "the " + std::to_string(part + 1) + ". ";
        report(name, median(later[part]), "cycles", where + how + "with other code in the instruction caches and this in L2");
        report(name + "_first_launch", {first[part], 0}, "cycles", where + how + "the first launch of the program");
    }
}

/// `Count` FFMAs of a chain each, then the branch back: what a turn takes beyond them.
template <int Count> __global__ void small_loop(Span* spans, uint32_t* sink, __grid_constant__ const Input in, int subcores) {
    const int warp = threadIdx.x / 32;
    if (warp % 4 >= subcores) return;
    float x[8];
    for (int i = 0; i < 8; ++i) x[i] = word<float>(in, i);
    const float a = word<float>(in, 9);
    const int turns = 1024 + in.argument;
    const long long begin = clock_behind_barrier(in.words);
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int i = 0; i < Count; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 8]) : "f"(a));
    }
    const long long end = clock64();
    if (threadIdx.x % 32 == 0) spans[warp] = {begin, end};
    for (float one : x) use(sink, one);
}
template <int Count> void small_loop_of(Bench& bench) {
    const std::string how = "a loop of " + std::to_string(Count) + " independent FFMAs, the counter and comparison among the first of them, and the branch back: cycles each turn, ";
    const std::string name = "loop_of_" + std::to_string(Count) + "_ffma";
    report(name + "_1_warp", bench.once(small_loop<Count>, {1, 1}) / 1024, "cycles", how + "one warp");
    report(name + "_4_warps", bench.once(small_loop<Count>, {4, 1}) / 1024, "cycles", how + "four warps on one sub-core, a turn of all four");
}

__constant__ uint32_t places[16384]; ///< each word holds the offset of the next in a ring

/// Indexed loads of constants, each of which gives the index of the next.
__global__ void constants(Span* spans, uint32_t* sink, uint32_t first, int steps, int lines, bool by_lane) {
    uint32_t at = first + (by_lane ? threadIdx.x % 2 * 4 : 0);
    long long begin = 0, end = 0;
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
        begin = clock64();
#pragma unroll 1
        for (int i = 0; i < steps; i += 8)
#pragma unroll
            for (int j = 0; j < 8; ++j) at = *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(places) + at);
        end = clock64();
        if (at == 1) begin = 0;
    }
    if (threadIdx.x == 0) spans[0] = {begin, end};
    use(sink, at);
}
void constants_of(Bench& bench, int bytes, int apart, bool by_lane, const std::string& name, const std::string& how) {
    std::vector<uint32_t> ring(16384, 0);
    for (int at = 0; at < bytes; at += apart)
        for (int word = 0; word < 2; ++word) ring[at / 4 + word] = (at + apart) % bytes + word * 4;
    need(cudaMemcpyToSymbol(places, ring.data(), ring.size() * 4));
    const int steps = std::max(64, (bytes / apart + 7) / 8 * 8);
    std::vector<double> runs;
    for (int run = 0; run < 9; ++run) {
        constants<<<1, 32>>>(bench.spans(), bench.sink(), 0, steps, 0, by_lane);
        Span span{};
        need(cudaMemcpy(&span, bench.spans(), sizeof span, cudaMemcpyDeviceToHost));
        runs.push_back(double(span.end - span.begin) / steps);
    }
    report(name, median(runs), "cycles", how);
}

/// As many parameters as a launch may have: constants that no cache holds when it begins.
struct Parameters {
    float x[1008];
};
constexpr int TOUCHES = 12; ///< each in a part of 256 bytes of its own, then again, and another word beside it

/// An FADD of a parameter that nobody has read before, by the clock around it, again, and of others in the same 64, 128 and 256 bytes.
template <bool Constant> __global__ void touches(Span* spans, uint32_t* sink, __grid_constant__ const Parameters parameters) {
    float x = float(threadIdx.x);
    uint32_t times[5][TOUCHES];
#pragma unroll
    for (int touch = 0; touch < TOUCHES; ++touch) {
        constexpr int WORDS[5] = {0, 0, 8, 16, 32}; // from the first touch
#pragma unroll
        for (int n = 0; n < 5; ++n) {
            const float a = Constant ? parameters.x[touch * 64 + 96 + WORDS[n]] : 1.5f;
            const uint32_t begin = clock();
            asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
            times[n][touch] = uint32_t(clock()) - begin;
        }
    }
    if (threadIdx.x == 0)
        for (int n = 0; n < 5; ++n)
            for (int touch = 0; touch < TOUCHES; ++touch) spans[n * TOUCHES + touch] = {0, times[n][touch]};
    use(sink, x);
}
template <bool Constant> void touches_of(Bench& bench, const std::string& name, const std::string& what) {
    const char* says[5] = {"first", "again", "32_bytes_on", "64_bytes_on", "128_bytes_on"};
    const char* how[5] = {"the first touch of 256 bytes", "the same again", "32 bytes behind one just read", "64 bytes behind one just read", "128 bytes behind one just read"};
    Span* spans = nullptr;
    need(cudaMalloc(&spans, 5 * TOUCHES * sizeof(Span)));
    std::vector<double> runs[5];
    for (int run = 0; run < 9; ++run) {
        Parameters parameters{};
        for (float& x : parameters.x) x = float(run);
        touches<Constant><<<1, 32>>>(spans, bench.sink(), parameters);
        Span all[5 * TOUCHES];
        need(cudaMemcpy(all, spans, sizeof all, cudaMemcpyDeviceToHost));
        if (run == 0) continue; // fetches the code
        for (int n = 0; n < 5; ++n) {
            std::vector<double> of_touch;
            for (int touch = 0; touch < TOUCHES; ++touch) of_touch.push_back(double(all[n * TOUCHES + touch].end));
            runs[n].push_back(median(of_touch).value);
        }
    }
    for (int n = 0; n < 5; ++n)
        report(name + "_" + says[n], median(runs[n]), "cycles", "between looks at the clock around an FADD of " + what + ", " + how[n]);
    need(cudaFree(spans));
}

/// Branches to one of two places by a bit, so that taken ones are forward ones.
template <bool Taken> __global__ void forward(Span* spans, uint32_t* sink, __grid_constant__ const Input in, int subcores) {
    const int warp = threadIdx.x / 32;
    if (warp % 4 >= subcores) return;
    float x = word<float>(in, 0);
    const float a = word<float>(in, 9);
    const bool skip = (in.argument == 0) == Taken;
    long long begin = 0, end = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        begin = clock64();
        asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0;\n\t"
#define HOP(n) "@p bra.uni HOP" #n "_%=;\n\t fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; \n\tHOP" #n "_%=:\n\t fma.rn.f32 %0, %0, %1, %1;"
                     HOP(0) HOP(1) HOP(2) HOP(3) HOP(4) HOP(5) HOP(6) HOP(7) HOP(8) HOP(9) HOP(10) HOP(11) HOP(12) HOP(13) HOP(14) HOP(15)
#undef HOP
                     "}"
                     : "+f"(x)
                     : "f"(a), "r"(uint32_t(skip)));
        end = clock64();
    }
    if (threadIdx.x % 32 == 0) spans[warp] = {begin, end};
    use(sink, x);
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    straight_of<2>(bench);
    straight_of<8>(bench);
    straight_of<16>(bench);
    straight_of<24>(bench);
    straight_of<32>(bench);
    straight_of<40>(bench);
    straight_of<48>(bench);
    straight_of<64>(bench);
    straight_of<96>(bench);
    straight_of<112>(bench);
    straight_of<128>(bench);
    straight_of<144>(bench);
    straight_of<192>(bench);
    straight_of<256>(bench);
    straight_of<512>(bench);
    straight_of<1024>(bench);
    once_through_of<4>(bench);
    once_through_of<16>(bench);
    once_through_of<64>(bench);
    once_through_of<256>(bench);
    parts_once_of(bench);
    small_loop_of<1>(bench);
    small_loop_of<2>(bench);
    small_loop_of<4>(bench);
    small_loop_of<8>(bench);
    small_loop_of<16>(bench);
    small_loop_of<32>(bench);
    small_loop_of<64>(bench);
    small_loop_of<128>(bench);
    report("branch_forward_taken", bench.once(forward<true>, {1, 1}) / 16, "cycles", "sixteen times: a branch over twelve FFMAs that is taken, then an FFMA that reads the one before; each");
    report("branch_forward_not_taken", bench.once(forward<false>, {1, 1}) / 16, "cycles", "sixteen times: a branch that is not taken, then thirteen FFMAs, each of which reads the one before; each");
    for (int kb : {1, 2, 4, 8, 16, 32, 64})
        constants_of(bench, kb << 10, 64, false, "ldc_ring_" + std::to_string(kb) + "_kb", "LDC with an index, each gives the index of the next, 64 bytes on in a ring of " + std::to_string(kb) + " KB; the third time");
    constants_of(bench, 1024, 64, true, "ldc_two_addresses", "LDC with an index that two halves of the lanes have differently, in a ring of 1 KB");
    touches_of<true>(bench, "parameter", "a parameter of the launch");
    touches_of<false>(bench, "parameter_none", "a register in place of a parameter of the launch");
}
