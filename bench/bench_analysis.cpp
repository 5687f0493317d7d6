// What the analysis costs: per access while a run is counted, and per trace while a slider is dragged.
#include "analysis/banks.h"
#include "analysis/counting.h"
#include "analysis/mapping.h"
#include "analysis/sectors.h"
#include "analysis/timeline.h"

#include <benchmark/benchmark.h>

#include <string>

namespace {

trace::Addresses strided(uint64_t base, uint64_t stride) {
    trace::Addresses a{};
    for (uint64_t lane = 0; lane < a.size(); ++lane) a[lane] = base + lane * stride;
    return a;
}

trace::Instruction instruction(trace::Kind kind, trace::Space space, int bytes, std::string text = {},
                               int64_t target = -1) {
    trace::Instruction i;
    i.kind = kind;
    i.space = space;
    i.bytes = static_cast<uint8_t>(bytes);
    i.text = std::move(text);
    i.target = target;
    return i;
}

// One block of 8 warps that copies tiles of A and multiplies: per tile a global load, a shared store, a barrier, and
// `reads` shared loads each with 8 FMAs. The columns of A are as many as the tiles need.
trace::Trace tiled(uint32_t tiles, uint32_t reads) {
    using trace::Kind;
    using trace::Space;
    trace::Listing code;
    code.instructions = {instruction(Kind::load, Space::global, 16, "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];"),
                         instruction(Kind::store, Space::shared, 16, "st.shared.v4.f32 [%r1], {%f1, %f2, %f3, %f4};"),
                         instruction(Kind::barrier, Space::none, 0, "bar.sync 0;"),
                         instruction(Kind::load, Space::shared, 16, "ld.shared.v4.f32 {%f5, %f6, %f7, %f8}, [%r2];"),
                         instruction(Kind::fma, Space::none, 0, "fma.rn.f32 %f9, %f5, %f6, %f9;"),
                         instruction(Kind::branch, Space::none, 0, "bra $L1;", 0)};
    for (const char* name : {"%f1", "%f2", "%f3", "%f4", "%f5", "%f6", "%f7", "%f8", "%f9"})
        code.names.emplace_back(name);
    code.instructions[0].written = code.instructions[1].read = {0, 1, 2, 3};
    code.instructions[3].written = {4, 5, 6, 7};
    code.instructions[4].written = {8};
    trace::Trace t;
    t.listing = std::make_shared<trace::Listing>(std::move(code));
    t.block = {256, 1, 1};
    t.shared_bytes = 4096;
    const uint64_t columns = uint64_t{tiles} * 16;
    t.buffers.push_back({"A", 1 << 20, 64 * columns * 4, base::NumberType::f32, 64, columns});
    const auto access = [&](uint32_t pc, uint16_t warp, const trace::Addresses& a) {
        t.accesses.push_back(a);
        t.events.push_back({pc, ~0u, static_cast<uint32_t>(t.accesses.size() - 1), warp});
    };
    const auto plain = [&](uint32_t pc, uint16_t warp) { t.events.push_back({pc, ~0u, trace::no_access, warp}); };
    for (uint64_t tile = 0; tile < tiles; ++tile) {
        for (uint16_t warp = 0; warp < 8; ++warp) {
            trace::Addresses a{};
            for (uint64_t lane = 0; lane < 32; ++lane)
                a[lane] = (1 << 20) + ((warp * uint64_t{8} + lane / 4) * columns + tile * 16 + lane % 4 * 4) * 4;
            access(0, warp, a);
            access(1, warp, strided(warp * uint64_t{512}, 16));
            plain(2, warp);
        }
        for (uint16_t warp = 0; warp < 8; ++warp) {
            for (uint64_t r = 0; r < reads; ++r) {
                access(3, warp, strided(r * 64, 16));
                for (int i = 0; i < 8; ++i) plain(4, warp);
            }
            plain(5, warp);
        }
    }
    return t;
}

void count_wavefronts(benchmark::State& state, int bytes, uint64_t stride) {
    const analysis::BankRule rule = analysis::bank_rule("sm_90");
    const trace::Addresses a = strided(0, stride);
    for (auto _ : state) benchmark::DoNotOptimize(analysis::count_wavefronts(rule, true, bytes, ~0u, a));
}
BENCHMARK_CAPTURE(count_wavefronts, contiguous, 4, 4);
BENCHMARK_CAPTURE(count_wavefronts, contiguous_16_bytes, 16, 16);
BENCHMARK_CAPTURE(count_wavefronts, conflict_of_32, 4, 128);

void count_sectors(benchmark::State& state, uint64_t stride) {
    const trace::Addresses a = strided(0, stride);
    for (auto _ : state) benchmark::DoNotOptimize(analysis::sectors(4, ~0u, a));
}
BENCHMARK_CAPTURE(count_sectors, contiguous, 4);
BENCHMARK_CAPTURE(count_sectors, column, 1024);

// An access of a pattern that was seen before, as nearly all of a run are.
void counting_seen(benchmark::State& state, uint32_t active, uint64_t shape) {
    const trace::Instruction load = instruction(trace::Kind::load, trace::Space::shared, 16);
    analysis::Counting counting(analysis::bank_rule("sm_90"), 1);
    trace::Observer* observer = counting.observer();
    trace::Addresses offset{};
    trace::Footprint footprint = trace::footprint(active, strided(0, 16), offset);
    footprint.shape = shape;
    for (auto _ : state) {
        footprint.first += 64;
        observer->access(0, load, footprint);
    }
}
BENCHMARK_CAPTURE(counting_seen, full_warp, ~0u, 0);
BENCHMARK_CAPTURE(counting_seen, partial_warp, 0x7fffffffu, 0);
BENCHMARK_CAPTURE(counting_seen, numbered_shape, ~0u, 1);

void mapping(benchmark::State& state) {
    const trace::Trace t = tiled(static_cast<uint32_t>(state.range(0)), 32);
    for (auto _ : state) benchmark::DoNotOptimize(analysis::mapping(t));
    state.counters["accesses"] = static_cast<double>(t.accesses.size());
}
BENCHMARK(mapping)->Arg(16)->Arg(512)->Unit(benchmark::kMillisecond);

void timeline(benchmark::State& state) {
    const trace::Trace t = tiled(static_cast<uint32_t>(state.range(0)), 32);
    for (auto _ : state) benchmark::DoNotOptimize(analysis::timeline(t));
    state.counters["events"] = static_cast<double>(t.events.size());
}
BENCHMARK(timeline)->Arg(16)->Arg(512)->Unit(benchmark::kMillisecond);

// `padding`: bytes of shared memory that nobody writes.
void shared_origin(benchmark::State& state) {
    trace::Trace t = tiled(static_cast<uint32_t>(state.range(0)), 32);
    t.shared_bytes += static_cast<uint32_t>(state.range(1));
    for (auto _ : state) benchmark::DoNotOptimize(analysis::shared_origin(t, trace::no_access));
    state.counters["events"] = static_cast<double>(t.events.size());
}
BENCHMARK(shared_origin)
    ->ArgNames({"tiles", "padding"})
    ->Args({16, 0})
    ->Args({512, 0})
    ->Args({512, 128})
    ->Unit(benchmark::kMillisecond);

} // namespace
