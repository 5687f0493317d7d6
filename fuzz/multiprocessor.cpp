// Any bytes, taken for the code of a kernel and for what the warps of its blocks execute: one multiprocessor in time. A warp's issues
// must ascend, and each of its cycles must have one reason.
// Coverage: app/timing/multiprocessor.cpp app/timing/memory.cpp app/timing/instruction_cache.cpp
#include "entry.h"

#include "timing/multiprocessor.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace {

// Numbers, until the bytes are at an end; then zeros.
class Bytes {
public:
    Bytes(const uint8_t* data, size_t size) : next_(data), end_(data + size) {}
    bool left() const { return next_ != end_; }
    uint8_t byte() { return left() ? *next_++ : uint8_t{0}; }
    uint32_t below(uint32_t bound) { return bound > 256 ? (byte() << 8 | byte()) % bound : byte() % bound; }
    template <class T>
    T one_of() { // of an enumeration that ends with `count`
        return static_cast<T>(below(static_cast<uint32_t>(T::count)));
    }

private:
    const uint8_t *next_, *end_;
};

timing::Op op_of(Bytes& in) {
    using timing::Does;
    timing::Op op;
    op.pipe = in.one_of<timing::Pipe>();
    op.does = static_cast<Does>(in.below(static_cast<uint32_t>(Does::group_wait) + 1));
    op.interval = static_cast<uint16_t>(in.below(300));
    op.stall = static_cast<uint8_t>(in.below(16));
    op.write_barrier = static_cast<uint8_t>(in.below(8));
    op.read_barrier = static_cast<uint8_t>(in.below(8));
    op.wait_mask = static_cast<uint8_t>(in.below(64));
    op.latency = in.byte();
    op.counted_scoreboard = static_cast<uint8_t>(in.below(8));
    op.left = in.byte();
    op.past_l1 = in.below(2) == 0;
    op.local = in.below(2) == 0;
    op.registers = static_cast<uint8_t>(1 + in.below(16));
    op.read_count = static_cast<uint8_t>(in.below(static_cast<uint32_t>(op.reads.size()) + 1));
    for (uint8_t n = 0; n < op.read_count; ++n) {
        const uint8_t kind = in.byte();
        op.reads[n] = {n, kind % 2 == 0, in.byte(), static_cast<uint8_t>(1 + kind / 2 % 8)};
    }
    op.barrier = static_cast<uint8_t>(in.below(16));
    op.barrier_warps = static_cast<uint16_t>(in.below(20));
    op.arrives_only = in.below(4) == 0;
    return op;
}

timing::Moved moved_of(Bytes& in, std::vector<timing::Line>& lines) {
    timing::Moved a;
    a.lines = in.below(33);
    a.first_line = static_cast<uint32_t>(lines.size());
    const uint64_t first = in.byte();
    for (uint32_t n = 0; n < a.lines; ++n)
        lines.push_back({first + n, static_cast<uint8_t>(in.below(16)), static_cast<uint8_t>(in.below(16))});
    return a;
}

timing::Effect effect_of(Bytes& in, timing::Stream& stream) {
    constexpr uint32_t phases = 8;
    stream.arrivals.resize(phases);
    timing::Effect effect;
    effect.what = static_cast<timing::Effect::What>(in.below(timing::Effect::meets + 1));
    effect.phase = in.below(phases);
    if (effect.what == timing::Effect::meets) effect.barrier = in.byte(), effect.warps = in.byte();
    if (effect.what == timing::Effect::stores || effect.what == timing::Effect::meets)
        effect.phase = timing::Effect::no_phase;
    else if (effect.what != timing::Effect::goes_on) ++stream.arrivals[effect.phase];
    if (effect.what == timing::Effect::copies || effect.what == timing::Effect::stores)
        effect.moved = moved_of(in, stream.lines);
    return effect;
}

timing::Access access_of(Bytes& in, timing::Stream& stream) {
    timing::Access a;
    a.wavefronts = in.byte(), a.ideal = in.byte();
    static_cast<timing::Moved&>(a) = moved_of(in, stream.lines);
    return a;
}

timing::Stream stream_of(Bytes& in, uint32_t instructions) {
    timing::Stream stream;
    stream.warps.resize(in.below(20));
    for (uint32_t n = in.below(32); n > 0; --n) stream.accesses.push_back(access_of(in, stream));
    uint32_t event = 0;
    for (auto& steps : stream.warps) {
        auto& events = stream.events.emplace_back();
        uint32_t pc = in.below(instructions);
        for (uint32_t n = in.below(64); n > 0; --n) {
            timing::Step step{.pc = pc, .access = in.below(40)};
            const uint8_t then = in.byte();
            if (then % 16 == 0) {
                timing::Access with_effects = access_of(in, stream);
                with_effects.first_effect = static_cast<uint32_t>(stream.effects.size());
                with_effects.effects = 2;
                for (int left = 2; left > 0; --left) stream.effects.push_back(effect_of(in, stream));
                step.access = static_cast<uint32_t>(stream.accesses.size());
                stream.accesses.push_back(with_effects);
            }
            steps.push_back(step);
            events.push_back(event++);
            pc = then < 200 ? pc + 1 : in.below(instructions + 1);
        }
    }
    return stream;
}

uint64_t total(const timing::Lost& lost) {
    return std::accumulate(lost.cycles.begin(), lost.cycles.end(), uint64_t{0});
}

// Of one block, whose issues were recorded.
void look_at(const timing::Run& run, const timing::Stream& stream, const timing::Code& code) {
    uint64_t cycles = 0, lost = 0, issued = 0;
    for (const timing::Lost& one : run.lost) lost += total(one), issued += one[timing::Wait::selected];
    if (issued != run.instructions) std::abort();
    if (run.stuck) return; // with steps that were not issued
    for (size_t w = 0; w < stream.warps.size(); ++w) {
        uint64_t from = 0;
        for (size_t n = 0; n < stream.warps[w].size(); ++n) {
            if (stream.warps[w][n].pc >= code.ops.size()) break;
            const uint64_t cycle = run.issues[stream.events[w][n]].cycle;
            if (cycle < from) std::abort();
            from = cycle + 1;
        }
        cycles += from;
    }
    if (lost != cycles) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size > 16384) return 0;
    Bytes in(data, size);
    timing::WhatIf what_if;
    what_if.reuse_cache = in.below(2) == 0, what_if.bank_conflicts = in.below(2) == 0;
    what_if.register_banks = in.below(2) == 0;
    timing::Code code;
    for (uint32_t n = 1 + in.below(64); n > 0; --n) code.ops.push_back(op_of(in));
    const timing::Behind behind{in.below(300) * 1024.0, 1 + in.below(3) / 2.0, static_cast<double>(in.below(2)),
                                in.below(5) / 4.0};
    const auto instructions = static_cast<uint32_t>(code.ops.size());
    const std::array streams{stream_of(in, instructions), stream_of(in, instructions)};
    const timing::Machine& machine = *timing::machine("sm_90");
    const timing::Stream* const blocks[] = {&streams[0], &streams[1], &streams[0], &streams[1]};
    const timing::Setup setup{machine, code, behind, what_if, true};
    look_at(timing::simulate(setup, std::span(blocks, 1)), streams[0], code);
    (void)timing::simulate(setup, blocks);
    return 0;
}
