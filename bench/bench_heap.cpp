// How long a thread waits for memory while another one frees a lot: a window that allocates while what it no longer shows goes.
#include "base/heap.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::vector<char>> blocks(size_t count, size_t megabytes) {
    std::vector<std::vector<char>> all;
    for (size_t n = 0; n < count; ++n) all.emplace_back(megabytes << 20, 'a');
    return all;
}

void waiting_for_memory(benchmark::State& state) {
    base::keep_freed_memory();
    std::chrono::duration<double> longest{};
    for (auto _ : state) {
        state.PauseTiming();
        auto all = blocks(3, 300);
        state.ResumeTiming();
        std::atomic<bool> freed = false;
        std::jthread freeing([&] {
            all.clear();
            freed = true;
        });
        while (!freed) {
            const auto began = Clock::now();
            benchmark::DoNotOptimize(std::vector<char>(2 << 20));
            longest = std::max<std::chrono::duration<double>>(longest, Clock::now() - began);
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
    }
    state.counters["longest_ms"] = longest.count() * 1e3;
}
BENCHMARK(waiting_for_memory)->Unit(benchmark::kMillisecond)->Iterations(10)->UseRealTime();

// The same for many small pieces, whose neighbours stay: a program, a module, the strings of a listing.
void waiting_while_small_pieces_go(benchmark::State& state) {
    base::keep_freed_memory();
    std::chrono::duration<double> longest{};
    for (auto _ : state) {
        state.PauseTiming();
        constexpr size_t count = 1'000'000, bytes = 60;
        std::vector<std::unique_ptr<char[]>> going(count), staying(count);
        for (size_t n = 0; n < count; ++n) going[n].reset(new char[bytes]), staying[n].reset(new char[bytes]);
        auto large = std::make_unique<char[]>(128 << 10);
        state.ResumeTiming();
        std::atomic<bool> freed = false;
        std::jthread freeing([&] {
            for (auto& piece : going) piece.reset();
            large.reset();
            freed = true;
        });
        while (!freed) {
            const auto began = Clock::now();
            benchmark::DoNotOptimize(std::vector<char>(3000));
            longest = std::max<std::chrono::duration<double>>(longest, Clock::now() - began);
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
    }
    state.counters["longest_ms"] = longest.count() * 1e3;
}
BENCHMARK(waiting_while_small_pieces_go)->Unit(benchmark::kMillisecond)->Iterations(5)->UseRealTime();

} // namespace
