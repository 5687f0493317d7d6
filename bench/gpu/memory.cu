// L2 and memory: latency of a chase, bandwidth of one SM and of all, and what load does to latency.
#include "measure.h"

namespace micro {

constexpr size_t LINE = 128;

/// A ring through all lines of a footprint (a power of two), each line's next far from it; or the next line, of a sequential one.
__global__ void lay(uint64_t* memory, uint64_t lines, bool sequential) {
    for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < lines; i += uint64_t(gridDim.x) * blockDim.x) {
        const uint64_t next = sequential ? i + 1 : i * 1664525 + 1013904223; // all lines once: Hull and Dobell
        memory[i * 16] = reinterpret_cast<uint64_t>(memory + next % lines * 16);
    }
}

/// Values that nothing can compress.
__global__ void fill(uint32_t* memory, size_t words) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < words; i += size_t(gridDim.x) * blockDim.x) {
        uint32_t x = uint32_t(i) * 2654435761u;
        x = (x ^ (x >> 15)) * 2246822519u;
        memory[i] = x ^ (x >> 13);
    }
}

/// One lane of each block follows the ring past L1; the time of each step.
__global__ void chase(const uint64_t* from, uint32_t* times, int steps, int apart) {
    const uint64_t* at = from + size_t(blockIdx.x) * apart * 16;
    for (int i = 0; i < steps; ++i) {
        const uint32_t begin = clock();
        uint64_t next;
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        at = reinterpret_cast<const uint64_t*>(next);
        if (next == 1) times[0] = 0; // waits for it
        times[blockIdx.x * steps + i] = uint32_t(clock()) - begin;
    }
}

/// The same without a look at the clock in between.
__global__ void follow(const uint64_t* at, int steps, uint32_t* sink, Span* spans) {
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
    use(sink, uint64_t(at));
    spans[0] = {begin, clock64()};
}

struct Latency {
    double mean, low, high;
};
Latency latency(const uint64_t* memory, int blocks, int steps, int apart) {
    uint32_t* times = nullptr;
    need(cudaMalloc(&times, size_t(blocks) * steps * 4));
    chase<<<blocks, 1>>>(memory, times, steps, apart);
    std::vector<uint32_t> all(size_t(blocks) * steps);
    need(cudaMemcpy(all.data(), times, all.size() * 4, cudaMemcpyDeviceToHost));
    need(cudaFree(times));
    std::sort(all.begin(), all.end());
    double sum = 0;
    for (uint32_t t : all) sum += t;
    return {sum / double(all.size()), double(all[all.size() / 10]), double(all[all.size() * 9 / 10])};
}

void latencies(Bench& bench, uint64_t* memory, const std::string& name, size_t bytes, bool sequential, bool twice, const std::string& how) {
    const uint64_t lines = bytes / LINE;
    lay<<<1320, 256>>>(memory, lines, sequential);
    need(cudaDeviceSynchronize());
    std::vector<double> mean, low, high;
    for (int run = 0; run < 5; ++run) {
        const size_t part = lines * 16 / 16; // of the ring, so that no run reads what one before has read
        if (twice) latency(memory, 1, int(lines), 0);
        const Latency l = latency(memory + run * part, 1, twice ? int(lines) : 4096, 0);
        follow<<<1, 1>>>(memory + (run + 8) * part, twice ? int(lines) : 4096, bench.sink(), bench.spans());
        Span span{};
        need(cudaMemcpy(&span, bench.spans(), sizeof span, cudaMemcpyDeviceToHost));
        const double each = double(span.end - span.begin) / (twice ? double(lines) : 4096.0);
        mean.push_back(each), low.push_back(l.low - l.mean + each), high.push_back(l.high - l.mean + each);
    }
    report(name + "_latency", median(mean), "cycles", how + ", mean");
    report(name + "_latency_p10", median(low), "cycles", how + ", a tenth is faster; the looks at the clock taken off");
    report(name + "_latency_p90", median(high), "cycles", how + ", a tenth is slower; the looks at the clock taken off");
}

/// Each block reads its part of the footprint again and again, 16 bytes a lane past L1. `pause`: cycles that a warp waits each turn.
__global__ void __launch_bounds__(1024) read(const uint4* memory, size_t quads, int turns, int pause, uint32_t* sink, Span* spans) {
    uint32_t sum = 0;
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    const long long begin = clock64();
    for (int turn = 0; turn < turns; ++turn)
        for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i + 3 * stride < quads; i += 4 * stride) {
            uint4 x[4];
#pragma unroll
            for (int j = 0; j < 4; ++j)
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x[j].x), "=r"(x[j].y), "=r"(x[j].z), "=r"(x[j].w)
                             : "l"(memory + i + j * stride));
#pragma unroll
            for (int j = 0; j < 4; ++j) sum ^= x[j].x ^ x[j].y ^ x[j].z ^ x[j].w;
            if (pause) {
                const long long until = clock64() + pause;
                while (clock64() < until) {}
            }
        }
    use(sink, sum);
    if (spans && threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = {begin, clock64()};
}

__global__ void __launch_bounds__(1024) write(uint4* memory, size_t quads, int turns, Span* spans) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    const long long begin = clock64();
    for (int turn = 0; turn < turns; ++turn)
        for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < quads; i += stride)
            memory[i] = make_uint4(turn, uint32_t(i) * 2654435761u, uint32_t(i) * 2246822519u, uint32_t(i) * 3266489917u);
    if (spans && threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = {begin, clock64()};
}

__global__ void __launch_bounds__(1024) copy(const uint4* from, uint4* to, size_t quads) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    for (; i + 3 * stride < quads; i += 4 * stride) {
        uint4 x[4];
        for (int j = 0; j < 4; ++j) x[j] = from[i + j * stride];
        for (int j = 0; j < 4; ++j) to[i + j * stride] = x[j];
    }
}

/// The largest number of 16 bytes up to `bytes` of which each thread reads four at a time, all the same number.
size_t whole(size_t bytes, int blocks) {
    const size_t each = size_t(blocks) * 1024 * 64;
    return bytes / each * each / 16;
}

template <class Launch> Measured gb_s(double bytes, Launch launch) {
    cudaEvent_t begin, end;
    need(cudaEventCreate(&begin));
    need(cudaEventCreate(&end));
    std::vector<double> runs;
    for (int run = 0; run < 8; ++run) {
        need(cudaEventRecord(begin));
        launch();
        need(cudaEventRecord(end));
        need(cudaEventSynchronize(end));
        float ms = 0;
        need(cudaEventElapsedTime(&ms, begin, end));
        if (run) runs.push_back(bytes / ms / 1e6);
    }
    return median(runs);
}

template <class Launch> Measured bytes_each_cycle(Bench& bench, int warps, double bytes, Launch launch) {
    std::vector<double> runs;
    for (int run = 0; run < 7; ++run) {
        launch();
        std::vector<Span> spans(warps);
        need(cudaMemcpy(spans.data(), bench.spans(), warps * sizeof(Span), cudaMemcpyDeviceToHost));
        long long begin = INT64_MAX, end = 0;
        for (const Span& span : spans) begin = std::min(begin, span.begin), end = std::max(end, span.end);
        runs.push_back(bytes / double(end - begin));
    }
    return median(runs);
}

/// Atomic additions of zero, each of what the one before found: zero.
template <int Chains, bool SamePlace> struct Atomg {
    uint32_t* place;
    uint32_t found[Chains];
    __device__ explicit Atomg(const Input& in) : place(in.memory + (SamePlace ? 0 : threadIdx.x)) {
        for (int i = 0; i < Chains; ++i) found[i] = in.argument;
    }
    __device__ void step(int u) {
        asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(found[u % Chains]) : "l"(place) : "memory");
    }
    __device__ void keep(uint32_t* sink) {
        for (int i = 0; i < Chains; ++i) use(sink, found[i]);
    }
};
/// The same without a result: RED.
template <bool SamePlace> struct Red {
    uint32_t *place, zero;
    __device__ explicit Red(const Input& in) : place(in.memory + (SamePlace ? 0 : threadIdx.x)), zero(in.argument) {}
    __device__ void step(int) { asm volatile("red.global.add.u32 [%0], %1;" ::"l"(place), "r"(zero) : "memory"); }
    __device__ void keep(uint32_t*) {}
};
void atomics(Bench& bench) {
    report("atomg_latency", bench.cycles<Atomg<1, false>, 16>({1, 1}), "cycles", "one warp, each ATOMG adds what the one before found; lanes at consecutive words");
    report("atomg_one_place_latency", bench.cycles<Atomg<1, true>, 16>({1, 1}), "cycles", "one warp, each ATOMG adds what the one before found; all lanes at one word");
    report("atomg_interval_1_warp", bench.cycles<Atomg<8, false>, 16>({1, 1}), "cycles", "eight chains of one warp, lanes at consecutive words");
    report("atomg_interval_32_warps", bench.cycles<Atomg<8, false>, 16>({8, 4}) / 32, "cycles", "eight chains of each of 32 warps, lanes at consecutive words: cycles of the SM each instruction");
    report("red_interval_1_warp", bench.cycles<Red<false>, 16>({1, 1}, 0, 0, 256), "cycles", "one warp's REDs, lanes at consecutive words");
    report("red_interval_32_warps", bench.cycles<Red<false>, 16>({8, 4}, 0, 0, 64) / 32, "cycles", "32 warps' REDs, lanes at consecutive words: cycles of the SM each instruction");
    report("red_one_place_interval_32_warps", bench.cycles<Red<true>, 16>({8, 4}, 0, 0, 64) / 32, "cycles", "32 warps' REDs, all lanes at one word: cycles of the SM each instruction");
}

/// Where the lanes of a warp are within the bytes that one access of it covers.
struct Spread {
    const char* name;
    const char* says;
    uint32_t words; ///< of each lane, 1 or 4
    uint32_t group; ///< lanes side by side
    uint32_t apart; ///< bytes between groups
    uint32_t sectors() const { return 32 / group * ((group * words + 7) / 8); }
    __host__ __device__ uint32_t covered() const { return 32 / group * apart; } ///< bytes from one access to the next
    __device__ uint32_t lane(uint32_t l) const { return (l / group * apart + l % group * words * 4) / 4; }
};
constexpr Spread SPREADS[] = {
    {"word_of_32_lines", "a word of each of 32 lines", 1, 1, 128},
    {"word_of_32_sectors", "a word of each sector of eight lines", 1, 1, 32},
    {"2_words_of_16_lines", "two words of each of 16 lines", 1, 2, 128},
    {"sector_of_4_lines", "a sector of each of four lines, a word a lane", 1, 8, 128},
    {"1_line", "a line, a word a lane", 1, 32, 128},
    {"sector_of_16_lines", "a sector of each of 16 lines, 16 bytes a lane", 4, 2, 128},
    {"2_sectors_of_8_lines", "two sectors of each of eight lines, 16 bytes a lane", 4, 4, 128},
    {"4_lines", "four lines, 16 bytes a lane", 4, 32, 512},
};

/// Warps take turns at the accesses that a footprint has room for; loads are past L1, four in flight.
template <int Words, bool Store>
__global__ void __launch_bounds__(1024) spread_access(uint32_t* memory, size_t accesses, int turns, const Spread spread, uint32_t* sink, Span* spans) {
    const size_t warps = size_t(gridDim.x) * (blockDim.x / 32), warp = blockIdx.x * size_t(blockDim.x / 32) + threadIdx.x / 32;
    uint32_t* const mine = memory + spread.lane(threadIdx.x % 32);
    const size_t words = spread.covered() / 4;
    uint32_t sum = 0;
    const long long begin = clock64();
    for (int turn = 0; turn < turns; ++turn)
        for (size_t i = warp; i + 3 * warps < accesses; i += 4 * warps) {
            uint4 x[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                uint32_t* const at = mine + (i + j * warps) * words;
                const uint32_t value = uint32_t(i + j) * 2654435761u + turn;
                if constexpr (Store && Words == 1) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
                if constexpr (Store && Words == 4)
                    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(value), "r"(value ^ 77), "r"(value + 9), "r"(~value) : "memory");
                if constexpr (!Store && Words == 1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x[j].x) : "l"(at));
                if constexpr (!Store && Words == 4)
                    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x[j].x), "=r"(x[j].y), "=r"(x[j].z), "=r"(x[j].w) : "l"(at));
            }
            if constexpr (!Store)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum ^= Words == 1 ? x[j].x : x[j].x ^ x[j].y ^ x[j].z ^ x[j].w;
        }
    use(sink, sum);
    if (spans && threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = {begin, clock64()};
}

/// Of all SMs in sectors a nanosecond, of one alone in cycles an access.
template <int Words, bool Store> void spread_of(Bench& bench, uint32_t* memory, int sms, const Spread& spread) {
    const std::string verb = Store ? "store" : "load", name = verb + "_" + spread.name, what = " of " + verb + "s of " + spread.says;
    const auto all = [&](int blocks, int threads, size_t bytes, int turns) {
        const size_t each = size_t(blocks) * (threads / 32) * 4, accesses = std::max<size_t>(1, bytes / spread.covered() / each) * each; // as many for each warp
        return gb_s(double(accesses) * turns * spread.sectors(), [&] { spread_access<Words, Store><<<blocks, threads>>>(memory, accesses, turns, spread, bench.sink(), nullptr); });
    };
    constexpr size_t MB = size_t(1) << 20;
    // Four accesses of each of eight warps an SM to 32 lines cover 17 MB.
    report(name + "_l2", all(sms, 256, 17 * MB, 32), "sectors/ns", "all SMs, 32 times to the same 17 MB:" + what);
    report(name + "_memory", all(2 * sms, 1024, 4096 * MB, 1), "sectors/ns", "all SMs, once through 4 GB:" + what);
    const size_t alone = 4 * MB / spread.covered();
    for (int threads : {32, 128, 1024}) {
        const Measured rate = bytes_each_cycle(bench, threads / 32, double(alone) * 4, [&] { spread_access<Words, Store><<<1, threads>>>(memory, alone, 4, spread, bench.sink(), bench.spans()); });
        report(name + "_one_sm_" + std::to_string(threads) + "_threads", {1 / rate.value, rate.spread / (rate.value * rate.value)}, "cycles",
               "one block alone, four times to the same 4 MB, cycles each" + what);
    }
}
void spreads(Bench& bench, uint32_t* memory, int sms) {
    for (const Spread& spread : SPREADS) {
        if (spread.words == 1) spread_of<1, true>(bench, memory, sms, spread), spread_of<1, false>(bench, memory, sms, spread);
        else spread_of<4, true>(bench, memory, sms, spread), spread_of<4, false>(bench, memory, sms, spread);
    }
}

/// What a transpose does that writes columns: a block's 32 warps write 32 columns of 32 words side by side, the next block those below.
__global__ void __launch_bounds__(1024) columns(uint32_t* memory, size_t pitch, uint32_t high, uint32_t tiles) {
    const size_t row = threadIdx.x % 32, column = threadIdx.x / 32;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        memory[(tile % high * 32 + row) * pitch + tile / high * 32 + column] = uint32_t(row * column + tile) * 2654435761u;
}
void columns_of(Bench& bench, uint32_t* memory, int sms, uint32_t wide, uint32_t pitch) {
    const uint32_t high = wide / 32, tiles = high * high;
    const std::string name = "store_columns_" + std::to_string(wide) + "_pitch_" + std::to_string(pitch * 4);
    const std::string how = "a matrix of " + std::to_string(wide) + " x " + std::to_string(wide) + " words, rows " + std::to_string(pitch * 4) + " bytes apart: each warp stores a word of 32 rows, each block of 32 warps 32 such columns side by side";
    report(name, gb_s(double(tiles) * 1024, [&] { columns<<<2 * sms, 1024>>>(memory, pitch, high, tiles); }), "sectors/ns", how);
}
void all_columns(Bench& bench, uint32_t* memory, int sms) {
    for (uint32_t wide : {1024u, 2048u, 4096u, 8192u})
        for (uint32_t padding : {0u, 32u}) columns_of(bench, memory, sms, wide, wide + padding);
}

/// Block 0 follows a ring, the others read as fast as `pause` lets them.
__global__ void __launch_bounds__(1024) loaded(const uint4* memory, size_t quads, int turns, int pause, uint32_t* sink, const uint64_t* ring,
                                               int steps, Span* spans, unsigned long long* bytes) {
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        const uint64_t* at = ring;
        for (int i = 0; i < steps / 4; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory"); // the others begin
        unsigned long long since = 0, until = 0;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(since));
        const unsigned long long before = atomicAdd(bytes, 0);
        const long long begin = clock64();
        for (int i = 0; i < steps; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
        use(sink, uint64_t(at));
        const long long end = clock64();
        const unsigned long long after = atomicAdd(bytes, 0);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(until));
        spans[0] = {begin, end};
        spans[1] = {(long long)(after - before), (long long)(until - since)};
        atomicExch(bytes + 1, 1); // stop
        return;
    }
    uint32_t sum = 0;
    const size_t stride = size_t(gridDim.x - 1) * blockDim.x;
    volatile unsigned long long* stop = bytes + 1;
    for (int turn = 0; turn < turns && !*stop; ++turn)
        for (size_t i = (blockIdx.x - 1) * size_t(blockDim.x) + threadIdx.x; i + 3 * stride < quads; i += 4 * stride) {
            uint4 x[4];
#pragma unroll
            for (int j = 0; j < 4; ++j)
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x[j].x), "=r"(x[j].y), "=r"(x[j].z), "=r"(x[j].w)
                             : "l"(memory + i + j * stride));
#pragma unroll
            for (int j = 0; j < 4; ++j) sum ^= x[j].x ^ x[j].y ^ x[j].z ^ x[j].w;
            if (threadIdx.x == 0) atomicAdd(bytes, 64ull * blockDim.x);
            if (pause) {
                const long long until = clock64() + pause;
                while (clock64() < until) {}
            }
        }
    use(sink, sum);
}

void under_load(Bench& bench, const uint4* memory, size_t bytes, uint64_t* ring, size_t ring_bytes, const std::string& name, const std::string& what) {
    lay<<<1320, 256>>>(ring, ring_bytes / LINE, false);
    unsigned long long* counters = nullptr;
    need(cudaMalloc(&counters, 16));
    for (int pause : {0, 500, 1000, 2000, 4000, 8000, 16000, 64000}) {
        std::vector<double> latency, rate;
        for (int run = 0; run < 5; ++run) {
            need(cudaMemset(counters, 0, 16));
            loaded<<<132, 1024>>>(memory, bytes / 16, 1 << 20, pause, bench.sink(), ring, 2048, bench.spans(), counters);
            Span spans[2];
            need(cudaMemcpy(spans, bench.spans(), sizeof spans, cudaMemcpyDeviceToHost));
            latency.push_back(double(spans[0].end - spans[0].begin) / 2048);
            rate.push_back(double(spans[1].begin) / double(spans[1].end));
        }
        const std::string step = name + "_pause_" + std::to_string(pause);
        const std::string how = "131 SMs read " + what + " with a pause of " + std::to_string(pause) + " cycles behind 64 bytes of each thread";
        report(step + "_gb_s", median(rate), "GB/s", how + ": what they read");
        report(step + "_latency", median(latency), "cycles", how + ": a chase in L2 or memory of the last SM");
    }
    need(cudaFree(counters));
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    cudaDeviceProp device{};
    need(cudaGetDeviceProperties(&device, 0));
    const int sms = device.multiProcessorCount;
    constexpr size_t GB = size_t(1) << 30, MB = size_t(1) << 20;
    uint64_t* memory = nullptr;
    need(cudaMalloc(&memory, 8 * GB));
    fill<<<1320, 256>>>(reinterpret_cast<uint32_t*>(memory), 2 * GB);
    need(cudaDeviceSynchronize());
    uint4* quads = reinterpret_cast<uint4*>(memory);

    latencies(bench, memory, "l2_2_mb", 2 * MB, false, true, "one lane's chase through all lines of 2 MB past L1, the second time");
    latencies(bench, memory, "l2_16_mb", 16 * MB, false, true, "one lane's chase through all lines of 16 MB past L1, the second time");
    latencies(bench, memory, "memory_1_gb", GB, false, false, "one lane's chase in the lines of 1 GB, which were just written one after another");
    latencies(bench, memory + 6 * GB / 8, "memory_1_gb_sequential", GB, true, false, "one lane's chase from line to next line");

    const auto l2_one = [&](int threads) {
        return bytes_each_cycle(bench, threads / 32, 2.0 * (16 * MB), [&] { read<<<1, threads>>>(quads, 16 * MB / 16, 2, 0, bench.sink(), bench.spans()); });
    };
    for (int threads : {32, 128, 256, 512, 1024})
        report("l2_read_one_sm_" + std::to_string(threads) + "_threads", l2_one(threads), "bytes/cycle", "one block reads 16 MB twice past L1, 16 bytes a lane, four loads in flight");
    const int blocks = 2 * sms;
    const auto read_all = [&](const char* name, size_t bytes, int turns, const char* how) {
        const size_t n = whole(bytes, blocks);
        report(name, gb_s(16.0 * double(n) * turns, [&] { read<<<blocks, 1024>>>(quads, n, turns, 0, bench.sink(), nullptr); }), "GB/s", how);
    };
    read_all("l2_read_all_17_mb", 18 * MB, 32, "all SMs read the same 17 MB 32 times past L1");
    read_all("l2_read_all_35_mb", 35 * MB, 32, "all SMs read the same 35 MB 32 times past L1");
    read_all("memory_read", 8 * GB, 1, "all SMs read 8 GB");
    report("memory_write", gb_s(8.0 * GB, [&] { write<<<blocks, 1024>>>(quads, 8 * GB / 16, 1, nullptr); }), "GB/s", "all SMs write 8 GB");
    const size_t half = whole(4 * GB, blocks);
    report("memory_copy", gb_s(32.0 * double(half), [&] { copy<<<blocks, 1024>>>(quads, quads + 4 * GB / 16, half); }), "GB/s", "all SMs copy 4 GB; bytes read and written");
    report("l2_write_all", gb_s(32.0 * 16 * MB, [&] { write<<<blocks, 1024>>>(quads, 16 * MB / 16, 32, nullptr); }), "GB/s", "all SMs write the same 16 MB 32 times");
    for (int threads : {32, 128, 1024})
        report("l2_write_one_sm_" + std::to_string(threads) + "_threads", bytes_each_cycle(bench, threads / 32, 8.0 * 4 * MB, [&] { write<<<1, threads>>>(quads, 4 * MB / 16, 8, bench.spans()); }), "bytes/cycle", "one block writes 4 MB eight times, 16 bytes a lane");
    spreads(bench, reinterpret_cast<uint32_t*>(memory), sms);
    all_columns(bench, reinterpret_cast<uint32_t*>(memory), sms);
    atomics(bench);
    under_load(bench, quads, whole(18 * MB, sms - 1) * 16, memory + 32 * MB / 8, 2 * MB, "l2_loaded", "the same 17 MB of L2");
    under_load(bench, quads, whole(4 * GB, sms - 1) * 16, memory + 6 * GB / 8, GB, "memory_loaded", "4 GB of memory");
}
