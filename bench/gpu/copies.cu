// Asynchronous copies from global to shared memory: cp.async of a lane's bytes, and bulk copies.
#include "measure.h"

namespace micro {

/// Copies of `Bytes` a lane from L2 or L1's side, never waited for but at the end.
template <int Bytes, bool Wait> struct CpAsync {
    uint32_t to;
    const char* from;
    uint32_t argument;
    __device__ explicit CpAsync(const Input& in) : argument(in.argument) {
        to = shared_base() + threadIdx.x % 32 * Bytes + threadIdx.x / 32 * 512;
        from = reinterpret_cast<const char*>(in.memory) + threadIdx.x % 32 * Bytes + threadIdx.x / 32 * 8192;
    }
    __device__ void step(int u) {
        if (u == 0) from += argument;
        const char* at = from + u % 16 * 512;
        if constexpr (Bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(at) : "memory");
        else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(at), "n"(Bytes) : "memory");
        if constexpr (Wait) asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __device__ void keep(uint32_t*) { asm volatile("cp.async.wait_all;" ::: "memory"); }
};

template <int Bytes> void cp_async_of(Bench& bench) {
    const std::string n = std::to_string(Bytes), name = "cp_async_" + n;
    constexpr int SHARED = 32 * 512;
    report(name + "_latency", bench.cycles<CpAsync<Bytes, true>, 32>({1, 1}, 0, SHARED), "cycles", "one warp copies " + n + " bytes a lane from 8 KB that were just read and waits, each time");
    report(name + "_interval_1_warp", bench.cycles<CpAsync<Bytes, false>, 32>({1, 1}, 0, SHARED), "cycles", "one warp copies " + n + " bytes a lane again and again without waiting");
    report(name + "_interval_4_warps", bench.cycles<CpAsync<Bytes, false>, 32>({1, 4}, 0, SHARED) / 4, "cycles", "four warps, cycles of the SM each instruction");
    report(name + "_interval_16_warps", bench.cycles<CpAsync<Bytes, false>, 32>({4, 4}, 0, SHARED) / 16, "cycles", "16 warps, cycles of the SM each instruction");
}

/// One thread copies pieces in bulk, `flight` of them on their way at any time.
template <int Bytes, int Flight> __global__ void bulk(Span* spans, const char* from, int pieces) {
    extern __shared__ __align__(128) char places[];
    __shared__ __align__(8) uint64_t barriers[32];
    if (threadIdx.x) return;
    const auto shared = [](const void* p) { return uint32_t(__cvta_generic_to_shared(p)); };
    for (int i = 0; i < Flight; ++i) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&barriers[i])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    long long begin = 0, end = 0, issued = 0;
    uint32_t phases = 0;
    for (int pass = 0; pass < 2; ++pass) {
        begin = clock64();
#pragma unroll 1
        for (int i = 0; i < pieces + Flight; ++i) {
            const int at = i % Flight;
            const uint32_t barrier = shared(&barriers[at]);
            if (i >= Flight) {
                asm volatile("{.reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra AGAIN_%=;}" ::"r"(barrier), "r"((phases >> at) & 1) : "memory");
                phases ^= 1u << at;
            }
            if (i >= pieces) continue;
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(Bytes) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(places + at * Bytes)),
                         "l"(from + size_t(i % 64) * Bytes), "r"(Bytes), "r"(barrier)
                         : "memory");
            if (i == 0) issued = clock64();
        }
        end = clock64();
    }
    spans[0] = {begin, end};
    spans[1] = {begin, issued};
}

template <int Bytes, int Flight> void bulk_of(Bench& bench) {
    need(cudaFuncSetAttribute(bulk<Bytes, Flight>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    const int pieces = Flight == 1 ? 64 : 256;
    std::vector<double> each, issue;
    for (int run = 0; run < 9; ++run) {
        bulk<Bytes, Flight><<<1, 32, size_t(Bytes) * Flight>>>(bench.spans(), reinterpret_cast<const char*>(bench.input().memory), pieces);
        Span spans[2];
        need(cudaMemcpy(spans, bench.spans(), sizeof spans, cudaMemcpyDeviceToHost));
        each.push_back(double(spans[0].end - spans[0].begin) / pieces);
        issue.push_back(double(spans[1].end - spans[1].begin));
    }
    const std::string name = "bulk_" + std::to_string(Bytes) + "_bytes", says = "pieces of " + std::to_string(Bytes) + " bytes from L2, ";
    if (Flight == 1) {
        report(name + "_latency", median(each), "cycles", says + "one at a time: from expect_tx to the wait that succeeds");
        report(name + "_issue", median(issue), "cycles", says + "from before expect_tx to the clock behind the copy's issue");
        return;
    }
    std::vector<double> rate;
    for (double cycles : each) rate.push_back(Bytes / cycles);
    report(name + "_" + std::to_string(Flight) + "_in_flight", median(rate), "bytes/cycle", says + std::to_string(Flight) + " on their way, one thread of one SM");
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    cp_async_of<4>(bench);
    cp_async_of<8>(bench);
    cp_async_of<16>(bench);
    bulk_of<128, 1>(bench);
    bulk_of<1024, 1>(bench);
    bulk_of<2048, 1>(bench);
    bulk_of<4096, 1>(bench);
    bulk_of<16384, 1>(bench);
    bulk_of<128, 16>(bench);
    bulk_of<1024, 16>(bench);
    bulk_of<2048, 16>(bench);
    bulk_of<4096, 4>(bench);
    bulk_of<4096, 16>(bench);
    bulk_of<16384, 2>(bench);
    bulk_of<16384, 4>(bench);
    bulk_of<16384, 8>(bench);
}
