// Shared memory: how long loads take, how many wavefronts a cycle pass, and how many instructions wait in the queue.
#include "measure.h"

namespace micro {

constexpr int SHARED = 64 << 10; // a chase's places, for every pattern of this file

/// Loads that give the address of the next: each place holds its own address. `in.lanes` says where each lane reads.
template <int Chains, int Words> struct Chase {
    uint32_t at[Chains], address;
    __device__ explicit Chase(const Input& in) {
        extern __shared__ uint32_t places[];
        for (int i = threadIdx.x; i < SHARED / 4; i += blockDim.x) places[i] = 0;
        __syncthreads();
        const uint32_t offset = in.lanes[threadIdx.x % 32];
        address = shared_base() + offset;
        places[offset / 4] = address;
        for (int i = 0; i < Chains; ++i) at[i] = address;
    }
    __device__ void step(int u) {
        uint32_t& x = at[u % Chains];
        uint32_t y, z, w;
        if constexpr (Words == 1) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(x));
        if constexpr (Words == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%0];" : "+r"(x), "=r"(y));
        if constexpr (Words == 4)
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%0];" : "+r"(x), "=r"(y), "=r"(z), "=r"(w));
    }
    __device__ void keep(uint32_t* sink) {
        for (int i = 0; i < Chains; ++i) use(sink, at[i]);
    }
};

/// Stores, which nothing waits for.
template <int Words> struct Store {
    uint32_t address;
    uint4 x;
    __device__ explicit Store(const Input& in)
        : address(shared_base() + in.lanes[threadIdx.x % 32]), x(reinterpret_cast<const uint4*>(in.words)[threadIdx.x]) {}
    __device__ void step(int) {
        if constexpr (Words == 1) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(x.x));
        if constexpr (Words == 2) asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(x.x), "r"(x.y));
        if constexpr (Words == 4)
            asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w));
    }
    __device__ void keep(uint32_t*) {}
};

/// ldmatrix, whose first matrix holds the addresses of its rows.
template <int Chains, int Matrices> struct Ldsm {
    uint32_t at[Chains];
    __device__ explicit Ldsm(const Input&) {
        extern __shared__ uint32_t places[];
        for (int i = threadIdx.x; i < SHARED / 4; i += blockDim.x) places[i] = shared_base() + 16 * (i % 32);
        __syncthreads();
        for (int i = 0; i < Chains; ++i) at[i] = shared_base() + 16 * (threadIdx.x % 32);
    }
    __device__ void step(int u) {
        uint32_t& x = at[u % Chains];
        uint32_t y, z, w;
        if constexpr (Matrices == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(x));
        if constexpr (Matrices == 2)
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%0];" : "+r"(x), "=r"(y));
        if constexpr (Matrices == 4)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%0];"
                         : "+r"(x), "=r"(y), "=r"(z), "=r"(w));
    }
    __device__ void keep(uint32_t* sink) {
        for (int i = 0; i < Chains; ++i) use(sink, at[i]);
    }
};

/// Atomic additions of zero to the address that a place holds: its own.
template <int Chains, bool SamePlace> struct Atoms {
    uint32_t at[Chains], zero;
    __device__ explicit Atoms(const Input& in) : zero(in.argument) {
        extern __shared__ uint32_t places[];
        for (int i = threadIdx.x; i < SHARED / 4; i += blockDim.x) places[i] = shared_base() + 4 * i;
        __syncthreads();
        for (int i = 0; i < Chains; ++i) at[i] = shared_base() + (SamePlace ? 128 : 4 * (threadIdx.x % 32));
    }
    __device__ void step(int u) {
        asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(at[u % Chains]) : "r"(zero));
    }
    __device__ void keep(uint32_t* sink) {
        for (int i = 0; i < Chains; ++i) use(sink, at[i]);
    }
};

template <class Body>
void rates(Bench& bench, const std::string& name, const std::string& what) {
    const struct { Warps warps; const char* says; } all[] = {
        {{1, 1}, "1_warp"}, {{4, 1}, "4_warps_one_subcore"}, {{1, 4}, "4_warps"}, {{2, 4}, "8_warps"}, {{4, 4}, "16_warps"}, {{8, 4}, "32_warps"}};
    for (const auto& [warps, says] : all)
        report(name + "_interval_" + says, bench.cycles<Body, 32>(warps, 0, SHARED) / warps.all(), "cycles",
               what + ", independent ones: cycles of the SM each instruction");
}

template <int Words> void loads_and_stores(Bench& bench, const std::string& pattern, const std::string& says) {
    const std::string width = std::to_string(32 * Words);
    const std::string name = width + "_" + pattern;
    report("lds_" + name + "_latency", bench.cycles<Chase<1, Words>, 32>({1, 1}, 0, SHARED), "cycles",
           "one warp, each LDS." + width + " gives the address of the next; " + says);
    rates<Chase<Words == 4 ? 5 : 12, Words>>(bench, "lds_" + name, "LDS." + width + ", " + says);
    rates<Store<Words>>(bench, "sts_" + name, "STS." + width + ", " + says);
}

/// What one warp waits for while it issues `Loads` loads one behind another, by the clock around them. `in.lanes` says where each lane reads.
template <int Loads, int Words>
__global__ void __launch_bounds__(512) burst(Span* spans, uint32_t* sink, __grid_constant__ const Input in, int subcores) {
    extern __shared__ uint32_t places[];
    const int warp = threadIdx.x / 32;
    if (warp % 4 >= subcores) return;
    const uint32_t address = shared_base() + in.lanes[threadIdx.x % 32];
    places[threadIdx.x] = 1;
    long long begin = 0, end = 0;
    uint32_t x[Loads][4];
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
        begin = clock_behind_barrier(places);
#pragma unroll
        for (int i = 0; i < Loads; ++i) {
            if constexpr (Words == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x[i][0]) : "r"(address + i % 8 * 512) : "memory");
            if constexpr (Words == 4)
                asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x[i][0]), "=r"(x[i][1]), "=r"(x[i][2]), "=r"(x[i][3])
                             : "r"(address + i % 8 * 512) : "memory");
        }
        end = clock64();
#pragma unroll
        for (int i = 0; i < Loads; ++i)
            for (int j = 0; j < Words; ++j) use(sink, x[i][j]);
    }
    if (threadIdx.x % 32 == 0) spans[warp] = {begin, end};
}
template <int Loads, int Words> void burst_of(Bench& bench, Warps warps, const std::string& says) {
    report("lds_" + std::to_string(32 * Words) + "_burst_" + std::to_string(Loads) + "_" + says,
           bench.once(burst<Loads, Words>, warps, SHARED), "cycles",
           "clock before the first and behind the last of " + std::to_string(Loads) + " independent LDS." + std::to_string(32 * Words) +
               " of each warp, from the first warp's to the last one's");
}
template <int Words> void bursts(Bench& bench, Warps warps, const std::string& says) {
    burst_of<1, Words>(bench, warps, says);
    burst_of<2, Words>(bench, warps, says);
    burst_of<3, Words>(bench, warps, says);
    burst_of<4, Words>(bench, warps, says);
    burst_of<5, Words>(bench, warps, says);
    burst_of<6, Words>(bench, warps, says);
    burst_of<8, Words>(bench, warps, says);
    burst_of<10, Words>(bench, warps, says);
    burst_of<12, Words>(bench, warps, says);
    burst_of<16, Words>(bench, warps, says);
    burst_of<24, Words>(bench, warps, says);
    if constexpr (Words == 1) burst_of<32, Words>(bench, warps, says);
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    for (uint32_t n = 1; n <= 32; n *= 2) {
        bench.lanes([n](uint32_t lane) { return lane % (32 / n) * 4 + lane / (32 / n) * 128; });
        loads_and_stores<1>(bench, std::to_string(n) + "_way", std::to_string(n) + "-way bank conflict");
    }
    bench.lanes([](uint32_t) { return 0; });
    loads_and_stores<1>(bench, "broadcast", "all lanes at one address");
    loads_and_stores<2>(bench, "broadcast", "all lanes at one address");
    loads_and_stores<4>(bench, "broadcast", "all lanes at one address");
    bench.lanes([](uint32_t lane) { return lane * 8; });
    loads_and_stores<2>(bench, "consecutive", "lanes at consecutive places");
    bench.lanes([](uint32_t lane) { return lane * 16; });
    loads_and_stores<4>(bench, "consecutive", "lanes at consecutive places");
    bench.lanes([](uint32_t lane) { return lane / 8 * 16; });
    loads_and_stores<4>(bench, "four_places", "eight lanes each at four consecutive places");
    report("ldsm_x1_latency", bench.cycles<Ldsm<1, 1>, 32>({1, 1}, 0, SHARED), "cycles", "one warp, each LDSM gives the address of the next");
    report("ldsm_x2_latency", bench.cycles<Ldsm<1, 2>, 32>({1, 1}, 0, SHARED), "cycles", "one warp, each LDSM gives the address of the next");
    report("ldsm_x4_latency", bench.cycles<Ldsm<1, 4>, 32>({1, 1}, 0, SHARED), "cycles", "one warp, each LDSM gives the address of the next");
    rates<Ldsm<12, 1>>(bench, "ldsm_x1", "LDSM x1 without conflict");
    rates<Ldsm<12, 2>>(bench, "ldsm_x2", "LDSM x2 without conflict");
    rates<Ldsm<5, 4>>(bench, "ldsm_x4", "LDSM x4 without conflict");
    report("atoms_latency", bench.cycles<Atoms<1, false>, 32>({1, 1}, 0, SHARED), "cycles", "one warp, each ATOMS gives the address of the next; lanes at consecutive words");
    report("atoms_one_place_latency", bench.cycles<Atoms<1, true>, 32>({1, 1}, 0, SHARED), "cycles", "one warp, each ATOMS gives the address of the next; all lanes at one word");
    rates<Atoms<8, false>>(bench, "atoms", "ATOMS, lanes at consecutive words");
    rates<Atoms<8, true>>(bench, "atoms_one_place", "ATOMS, all lanes at one word");
    for (const uint32_t n : {1u, 8u, 32u}) {
        bench.lanes([n](uint32_t lane) { return lane % (32 / n) * 4 + lane / (32 / n) * 128; });
        const std::string way = n == 1 ? "" : std::to_string(n) + "_way_";
        bursts<1>(bench, {1, 1}, way + "1_warp");
        bursts<1>(bench, {4, 1}, way + "4_warps_one_subcore");
        bursts<1>(bench, {1, 4}, way + "4_warps");
        bursts<1>(bench, {4, 4}, way + "16_warps");
    }
    bench.lanes([](uint32_t lane) { return lane * 16; });
    bursts<4>(bench, {1, 1}, "1_warp");
    bursts<4>(bench, {4, 1}, "4_warps_one_subcore");
}
