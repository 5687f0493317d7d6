// The matrix instructions of a warpgroup: how often they issue, by width, kind of numbers, and where A comes from.
#include "measure.h"

namespace micro {

#define R8(n) "%" #n "0,%" #n "1,%" #n "2,%" #n "3,%" #n "4,%" #n "5,%" #n "6,%" #n "7,%" #n "8,%" #n "9"
#define REGISTERS_10 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9"
#define REGISTERS_16 REGISTERS_10 ",%10,%11,%12,%13,%14,%15"
#define REGISTERS_30 REGISTERS_10 "," R8(1) "," R8(2)
#define REGISTERS_32 REGISTERS_30 ",%30,%31"
#define REGISTERS_64 REGISTERS_30 "," R8(3) "," R8(4) "," R8(5) ",%60,%61,%62,%63"
#define REGISTERS_96 REGISTERS_30 "," R8(3) "," R8(4) "," R8(5) "," R8(6) "," R8(7) "," R8(8) ",%90,%91,%92,%93,%94,%95"
#define REGISTERS_128                                                                                                  \
    REGISTERS_30 "," R8(3) "," R8(4) "," R8(5) "," R8(6) "," R8(7) "," R8(8) "," R8(9) "," R8(10) "," R8(11)           \
        ",%120,%121,%122,%123,%124,%125,%126,%127"
#define D8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define D16(i) D8(i), D8(i + 8)
#define D32(i) D16(i), D16(i + 16)
#define D64(i) D32(i), D32(i + 32)
#define D96 D32(0), D64(32)
#define D128 D64(0), D64(64)

enum class Kind { Bf16, Tf32 };

/// One warpgroup's products of 64 by N by 16 (bf16) or 8 (tf32), all into the same accumulators.
template <int N, Kind What, bool FromRegisters> struct Wgmma {
    float d[N / 2];
    uint32_t a[2][4]; // of this product and of the next
    uint64_t of_a, of_b;
    __device__ explicit Wgmma(const Input& in) {
        extern __shared__ uint32_t places[];
        for (int i = threadIdx.x; i < 12288; i += blockDim.x) places[i] = in.words[i % 4096];
#pragma unroll
        for (int i = 0; i < N / 2; ++i) d[i] = 0;
        for (int i = 0; i < 8; ++i) a[i / 4][i % 4] = word<uint32_t>(in, i);
        // rows of 128 bytes, swizzled; eight rows are 1024 bytes
        const uint64_t rest = (uint64_t(1) << 16) | (uint64_t(64) << 32) | (uint64_t(1) << 62);
        of_a = rest | (shared_base() & ~1023u) >> 4;
        of_b = of_a + (16384 >> 4);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
#define WGMMA(n, k, type, registers, b, e, f, g, h, i, D)                                                              \
    if constexpr (FromRegisters)                                                                                       \
        asm volatile("wgmma.mma_async.sync.aligned.m64n" #n "k" #k ".f32." type " {" registers "}, {%" #b ",%" #e ",%" #f ",%" #g "}, %" #h ", 1, 1, 1" IF_BF16 ";" \
                     : D : "r"(a[u % 2][0]), "r"(a[u % 2][1]), "r"(a[u % 2][2]), "r"(a[u % 2][3]), "l"(of_b));         \
    else                                                                                                               \
        asm volatile("wgmma.mma_async.sync.aligned.m64n" #n "k" #k ".f32." type " {" registers "}, %" #b ", %" #e ", 1, 1, 1" IF_BF16_SHARED ";" \
                     : D : "l"(of_a), "l"(of_b));
    __device__ void step(int u) {
        if constexpr (What == Kind::Bf16) {
#define IF_BF16 ", 0"
#define IF_BF16_SHARED ", 0, 0"
            if constexpr (N == 64) { WGMMA(64, 16, "bf16.bf16", REGISTERS_32, 32, 33, 34, 35, 36, 0, D32(0)) }
            if constexpr (N == 128) { WGMMA(128, 16, "bf16.bf16", REGISTERS_64, 64, 65, 66, 67, 68, 0, D64(0)) }
            if constexpr (N == 256) { WGMMA(256, 16, "bf16.bf16", REGISTERS_128, 128, 129, 130, 131, 132, 0, D128) }
#undef IF_BF16
#undef IF_BF16_SHARED
        } else {
#define IF_BF16 ""
#define IF_BF16_SHARED ""
            if constexpr (N == 32) { WGMMA(32, 8, "tf32.tf32", REGISTERS_16, 16, 17, 18, 19, 20, 0, D16(0)) }
            if constexpr (N == 64) { WGMMA(64, 8, "tf32.tf32", REGISTERS_32, 32, 33, 34, 35, 36, 0, D32(0)) }
            if constexpr (N == 128) { WGMMA(128, 8, "tf32.tf32", REGISTERS_64, 64, 65, 66, 67, 68, 0, D64(0)) }
            if constexpr (N == 192) { WGMMA(192, 8, "tf32.tf32", REGISTERS_96, 96, 97, 98, 99, 100, 0, D96) }
            if constexpr (N == 256) { WGMMA(256, 8, "tf32.tf32", REGISTERS_128, 128, 129, 130, 131, 132, 0, D128) }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
    __device__ void load(int u) { // what step(u) hands over, from two places without conflicts
        uint32_t(&v)[4] = a[u % 2];
        const uint32_t at = shared_base() + threadIdx.x % 32 * 8 + u % 2 * 512;
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(at) : "memory");
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2 + 256];" : "=r"(v[2]), "=r"(v[3]) : "r"(at) : "memory");
    }
    __device__ void keep(uint32_t* sink) {
#pragma unroll
        for (int i = 0; i < N / 2; ++i) use(sink, d[i]);
    }
};

/// What follows each product: nothing, a wait for it, a wait for the one before, or that and loads of the next one's A.
enum class Behind { Nothing, Wait, WaitForLast, WaitAndLoad };

/// Spans of LOOPS times STEPS products. Not two passes, as in `timed`: around a loop of loops ptxas waits for each product.
template <class Body, int Steps, Behind What> __global__ void __launch_bounds__(256) groups(Span* spans, uint32_t* sink, __grid_constant__ const Input in, int loops) {
    Body body(in);
    const long long begin = clock_behind_barrier(in.words);
#pragma unroll 1
    for (int loop = 0; loop < loops; ++loop) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int u = 0; u < Steps; ++u) {
            if constexpr (What != Behind::Nothing) asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            body.step(u);
            if constexpr (What == Behind::Wait) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            else if constexpr (What != Behind::Nothing) asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if constexpr (What == Behind::WaitAndLoad) body.load(u + 1);
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    const long long end = clock64();
    if (threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = {begin, end};
    body.keep(sink);
}

template <class Body, Behind What> Measured cycles(Bench& bench, int warpgroups) {
    constexpr int SHARED = 49152, LOOPS = 128, STEPS = 16;
    std::vector<double> runs;
    const auto span = [&](auto kernel) {
        need(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
        kernel<<<1, 128 * warpgroups, SHARED>>>(bench.spans(), bench.sink(), bench.input(), LOOPS);
        need(cudaGetLastError());
        Span all[8];
        need(cudaMemcpy(all, bench.spans(), sizeof all, cudaMemcpyDeviceToHost));
        long long begin = all[0].begin, end = 0;
        for (int warp = 0; warp < 4 * warpgroups; ++warp) begin = std::min(begin, all[warp].begin), end = std::max(end, all[warp].end);
        return double(end - begin);
    };
    for (int run = 0; run < 9; ++run)
        runs.push_back((span(groups<Body, 2 * STEPS, What>) - span(groups<Body, STEPS, What>)) / (LOOPS * STEPS));
    return median(runs);
}

/// The first warpgroup multiplies for `products` rounds; the four warps of the second load from shared memory, 32 words in a row.
template <class Body> __global__ void __launch_bounds__(256) loads_beside(Span* spans, uint32_t* sink, __grid_constant__ const Input in, int products, int loads) {
    Body body(in);
    const uint32_t at = shared_base() + threadIdx.x % 32 * 4;
    const long long begin = clock_behind_barrier(in.words);
    if (threadIdx.x < 128) {
#pragma unroll 1
        for (int loop = 0; loop < products; ++loop) {
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int u = 0; u < 16; ++u) body.step(u);
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        }
    } else {
        uint32_t sum = 0;
#pragma unroll 1
        for (int loop = 0; loop < loads; ++loop) {
            uint32_t v[32];
#pragma unroll
            for (int u = 0; u < 32; ++u) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[u]) : "r"(at + u * 128));
#pragma unroll
            for (int u = 0; u < 32; ++u) sum ^= v[u];
        }
        use(sink, sum);
    }
    const long long end = clock64();
    if (threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = {begin, end};
    body.keep(sink);
}

template <class Body> Measured wavefront_beside(Bench& bench) {
    constexpr int SHARED = 49152, PRODUCTS = 1000, LOADS = 50; // the products outlast the loads
    const auto kernel = loads_beside<Body>;
    need(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    const auto span = [&](int loads) {
        kernel<<<1, 256, SHARED>>>(bench.spans(), bench.sink(), bench.input(), PRODUCTS, loads);
        need(cudaGetLastError());
        Span all[8];
        need(cudaMemcpy(all, bench.spans(), sizeof all, cudaMemcpyDeviceToHost));
        long long end = 0;
        for (int warp = 4; warp < 8; ++warp) end = std::max(end, all[warp].end);
        return double(end - all[4].begin);
    };
    std::vector<double> runs;
    for (int run = 0; run < 9; ++run) runs.push_back((span(2 * LOADS) - span(LOADS)) / (LOADS * 32 * 4));
    return median(runs);
}

template <int N, Kind What, bool FromRegisters> void wgmma(Bench& bench) {
    const bool bf16 = What == Kind::Bf16;
    const std::string shape = "m64n" + std::to_string(N) + (bf16 ? "k16" : "k8");
    const std::string name = "wgmma_" + shape + (bf16 ? "_bf16" : "_tf32") + (FromRegisters ? "_a_in_registers" : "");
    const std::string how = "wgmma " + shape + (bf16 ? " of bf16" : " of tf32") + (FromRegisters ? ", A in registers" : ", A in shared memory");
    using Body = Wgmma<N, What, FromRegisters>;
    report(name + "_interval_1_group", cycles<Body, Behind::Nothing>(bench, 1), "cycles", how + ", one warpgroup, one behind another into the same accumulators: cycles each");
    report(name + "_interval_2_groups", cycles<Body, Behind::Nothing>(bench, 2) / 2, "cycles", how + ", two warpgroups: cycles of the SM each");
    report(name + "_latency", cycles<Body, Behind::Wait>(bench, 1), "cycles", how + ", one warpgroup, with commit and wait behind each");
    if constexpr (N >= 64) report("lds_32_4_warps_beside_" + name, wavefront_beside<Body>(bench), "cycles", "LDS.32 of four warps while another warpgroup multiplies by " + how + ": cycles of a wavefront");
    if constexpr (!FromRegisters || What == Kind::Bf16) return;
    report(name + "_wait_for_last_1_group", cycles<Body, Behind::WaitForLast>(bench, 1), "cycles", how + ", one warpgroup, with commit and a wait for the one before behind each");
    report(name + "_wait_and_load_1_group", cycles<Body, Behind::WaitAndLoad>(bench, 1), "cycles", how + ", one warpgroup; behind each commit, a wait for the one before, and two LDS.64 that bring the next one's A");
    report(name + "_wait_and_load_2_groups", cycles<Body, Behind::WaitAndLoad>(bench, 2) / 2, "cycles", how + ", two warpgroups that do so: cycles of the SM each");
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    wgmma<64, Kind::Bf16, false>(bench);
    wgmma<128, Kind::Bf16, false>(bench);
    wgmma<256, Kind::Bf16, false>(bench);
    wgmma<64, Kind::Bf16, true>(bench);
    wgmma<128, Kind::Bf16, true>(bench);
    wgmma<256, Kind::Bf16, true>(bench);
    wgmma<64, Kind::Tf32, false>(bench);
    wgmma<128, Kind::Tf32, false>(bench);
    wgmma<256, Kind::Tf32, false>(bench);
    wgmma<32, Kind::Tf32, true>(bench);
    wgmma<64, Kind::Tf32, true>(bench);
    wgmma<128, Kind::Tf32, true>(bench);
    wgmma<192, Kind::Tf32, true>(bench);
    wgmma<256, Kind::Tf32, true>(bench);
}
