// Barriers: what one costs when all arrive together, and how soon the others go on behind the last.
#include "measure.h"

namespace micro {

struct Together {
    __device__ explicit Together(const Input&) {}
    __device__ void step(int) { __syncthreads(); }
    __device__ void keep(uint32_t*) {}
};

/// What ptxas makes of __syncwarp where no lanes have parted, behind an FFMA.
struct WarpSync {
    float x, a;
    __device__ explicit WarpSync(const Input& in) : x(word<float>(in, 0)), a(word<float>(in, 1)) {}
    __device__ void step(int) {
        asm volatile("bar.warp.sync -1;" ::: "memory");
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
    }
    __device__ void keep(uint32_t* sink) { use(sink, x); }
};

/// mbarrier.arrive of one thread for itself, then the wait for the phase that it ended.
template <bool Wait> struct Mbarrier {
    uint32_t address, sum = 0;
    __device__ explicit Mbarrier(const Input&) {
        address = shared_base() + threadIdx.x / 32 * 8;
        if (threadIdx.x % 32 == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(32) : "memory");
        __syncthreads();
    }
    __device__ void step(int) {
        if constexpr (Wait)
            asm volatile("{.reg .b64 s; .reg .pred p; mbarrier.arrive.shared.b64 s, [%1]; mbarrier.try_wait.shared.b64 p, [%1], s; @p add.u32 %0, %0, 1;}"
                         : "+r"(sum) : "r"(address) : "memory");
        else
            asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(address) : "memory");
    }
    __device__ void keep(uint32_t* sink) { use(sink, sum); }
};
/// A try_wait for a phase that is over.
struct TryWait {
    uint32_t address, sum = 0;
    __device__ explicit TryWait(const Input&) {
        address = shared_base() + threadIdx.x / 32 * 8;
        if (threadIdx.x % 32 == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address) : "memory");
        __syncthreads();
    }
    __device__ void step(int) {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 1; @p add.u32 %0, %0, 1;}" : "+r"(sum) : "r"(address) : "memory");
    }
    __device__ void keep(uint32_t* sink) { use(sink, sum); }
};

/// Warp 0 comes late; when every warp goes on. spans: when warp 0 was about to arrive, when each warp issued behind the barrier.
__global__ void late(Span* spans, uint32_t* sink, uint32_t zero) {
    const int warp = threadIdx.x / 32;
    const uint32_t address = shared_base() + zero;
    long long before = 0, behind = 0;
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
        __syncthreads();
        if (warp == 0)
            for (const long long until = clock64() + 2000; clock64() < until;) {}
        uint32_t held; // by the barrier, as every load behind it
        asm volatile("mov.u64 %0, %%clock64; bar.sync 0; ld.volatile.shared.u32 %2, [%3]; mov.u64 %1, %%clock64;"
                     : "=l"(before), "=l"(behind), "=r"(held)
                     : "r"(address)
                     : "memory");
        use(sink, held);
    }
    if (threadIdx.x % 32 == 0) spans[warp] = {before, behind};
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    for (int warps : {4, 8, 16, 32})
        report("bar_together_" + std::to_string(warps) + "_warps", bench.cycles<Together, 32>({warps / 4, 4}), "cycles", "barriers one behind another, all warps of the block arrive together");
    report("syncwarp_and_ffma", bench.cycles<WarpSync, 32>({1, 1}), "cycles", "__syncwarp, of which ptxas leaves a NOP, and an FFMA that reads the one before; one warp");
    report("mbarrier_arrive_interval", bench.cycles<Mbarrier<false>, 32>({1, 1}, 0, 1024), "cycles", "one warp arrives at an mbarrier again and again, 32 lanes each");
    report("mbarrier_arrive_and_wait", bench.cycles<Mbarrier<true>, 16>({1, 1}, 0, 1024), "cycles", "one warp arrives at its mbarrier and asks for the phase that it ended; 32 lanes");
    report("mbarrier_try_wait", bench.cycles<TryWait, 32>({1, 1}, 0, 1024), "cycles", "one warp asks for a phase that is over, again and again");
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        std::vector<double> first, last, own;
        for (int run = 0; run < 15; ++run) {
            late<<<1, 32 * warps, 1024>>>(bench.spans(), bench.sink(), 0);
            std::vector<Span> spans(warps);
            need(cudaMemcpy(spans.data(), bench.spans(), warps * sizeof(Span), cudaMemcpyDeviceToHost));
            double least = 1e9, most = 0;
            for (const Span& span : spans) {
                least = std::min(least, double(span.end - spans[0].begin));
                most = std::max(most, double(span.end - spans[0].begin));
            }
            first.push_back(least), last.push_back(most), own.push_back(double(spans[0].end - spans[0].begin));
        }
        const std::string name = "bar_last_arrival_" + std::to_string(warps) + "_warps", how = "clock of the last warp before it arrives to ";
        report(name + "_first", median(first), "cycles", how + "the clock of the first warp behind the barrier");
        report(name + "_last", median(last), "cycles", how + "the clock of the last warp behind the barrier");
        report(name + "_own", median(own), "cycles", how + "its own behind the barrier");
    }
}
