#include "timing/stream.h"

#include "analysis/mapping.h"
#include "analysis/sectors.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

namespace timing {
namespace {

constexpr uint64_t sectors_of_a_line = analysis::line_bytes / analysis::sector_bytes;

// Lines that lie behind `from`, one more sector among them.
void add_sector(std::vector<Line>& lines, size_t from, uint64_t sector) {
    const auto bit = static_cast<uint8_t>(1u << sector % sectors_of_a_line);
    // The line of the lane before is mostly this one, too.
    const size_t looked_at = std::max(from, lines.size() - std::min<size_t>(lines.size(), trace::warp_size));
    for (size_t n = lines.size(); n-- > looked_at;)
        if (lines[n].number == sector / sectors_of_a_line) {
            lines[n].sectors |= bit;
            return;
        }
    lines.push_back({sector / sectors_of_a_line, bit});
}

void add_bytes(std::vector<Line>& lines, size_t from, uint64_t address, uint64_t bytes) {
    const uint64_t last = address + std::max<uint64_t>(bytes, 1) - 1;
    for (uint64_t s = address / analysis::sector_bytes; s <= last / analysis::sector_bytes; ++s)
        add_sector(lines, from, s);
}

// Of the lines of a store, the sectors that it does not write as a whole.
void mark_partial(std::vector<Line>& lines, uint32_t bytes, const trace::Footprint& f) {
    std::map<uint64_t, uint64_t> written; // bytes, by sector
    for (uint32_t left = f.active; left != 0; left &= left - 1) {
        const uint64_t from = f.first + f.offset[static_cast<size_t>(std::countr_zero(left))], to = from + bytes;
        for (uint64_t s = from / analysis::sector_bytes; s * analysis::sector_bytes < to; ++s)
            written[s] += std::min(to, (s + 1) * analysis::sector_bytes) - std::max(from, s * analysis::sector_bytes);
    }
    for (Line& l : lines)
        for (uint64_t s = 0; s < sectors_of_a_line; ++s) {
            const auto found = written.find(l.number * sectors_of_a_line + s);
            if (found != written.end() && found->second < analysis::sector_bytes)
                l.partial = static_cast<uint8_t>(l.partial | 1u << s);
        }
}

// Of `a`, whose lines are the last ones.
void count_lines(Moved& a, const std::vector<Line>& lines) {
    a.lines = static_cast<uint32_t>(lines.size() - a.first_line);
    for (size_t n = a.first_line; n < lines.size(); ++n)
        a.sectors += static_cast<uint32_t>(std::popcount(lines[n].sectors));
}

} // namespace

StreamWriter::StreamWriter(std::shared_ptr<const trace::Listing> listing, uint64_t threads,
                           const analysis::BankRule& rule, uint64_t most_bytes, std::stop_source stop)
    : listing_(std::move(listing)), rule_(rule), most_bytes_(most_bytes), stop_(std::move(stop)),
      patterns_(listing_->instructions.size()), sources_(listing_->instructions.size()) {
    out_.warps.resize((threads + trace::warp_size - 1) / trace::warp_size);
}

// Whether the lanes lie as they did; they do from now on.
bool StreamWriter::matches(Pattern& p, const trace::Footprint& f) {
    const bool same = f.shape != 0 && p.shape != 0 ? f.shape == p.shape : f.active == p.active && f.offset == p.offset;
    if (!same) {
        p.shape = f.shape, p.active = f.active, p.offset = f.offset;
        p.counted_at = p.laid_at = Pattern::nowhere;
    }
    return same;
}

void StreamWriter::count_wavefronts(Access& a, Pattern& p, const trace::Instruction& i, const trace::Footprint& f) {
    // Banks turn with the address, as long as it stays aligned.
    const uint64_t unit = std::bit_ceil(std::max<uint64_t>(i.bytes, 4u)) - 1;
    if (!matches(p, f) || p.counted_at == Pattern::nowhere || ((p.counted_at ^ f.first) & unit) != 0) {
        p.wavefronts = analysis::count_wavefronts(rule_, i, f.active, f.addresses());
        p.counted_at = f.first;
    }
    a.wavefronts = static_cast<uint16_t>(p.wavefronts.wavefronts);
    a.ideal = static_cast<uint16_t>(p.wavefronts.ideal);
}

void StreamWriter::lay_lines(Access& a, Pattern& p, const trace::Instruction& i, const trace::Footprint& f) {
    const uint64_t line = f.first / analysis::line_bytes;
    if (!matches(p, f) || p.laid_at == Pattern::nowhere ||
        p.laid_at % analysis::line_bytes != f.first % analysis::line_bytes) {
        p.lines.clear();
        for (uint32_t left = f.active; left != 0; left &= left - 1)
            add_bytes(p.lines, 0, f.first + f.offset[static_cast<size_t>(std::countr_zero(left))], i.bytes);
        if (i.kind == trace::Kind::store) mark_partial(p.lines, i.bytes, f);
        for (Line& l : p.lines) l.number -= line;
        p.laid_at = f.first;
    }
    a.first_line = static_cast<uint32_t>(out_.lines.size());
    for (const Line& l : p.lines) out_.lines.push_back({l.number + line, l.sectors, l.partial});
    count_lines(a, out_.lines);
}

// Of the instruction that is executed.
StreamWriter::Did& StreamWriter::did(uint32_t pc) {
    if (did_.empty() || did_.back().pc != pc) {
        did_.push_back({pc, static_cast<uint32_t>(out_.accesses.size())});
        out_.accesses.emplace_back();
    }
    return did_.back();
}

// An instruction has one access, an async copy two: to shared memory, and from global.
void StreamWriter::access(uint32_t pc, const trace::Instruction& i, const trace::Footprint& f) {
    // What generic addresses lead to elsewhere is not told apart: a stream has what a trace has.
    if (full_ || i.space != listing_->instructions[pc].space) return;
    const bool copies = i.kind == trace::Kind::async_copy;
    Did& done = did(pc);
    const int part = done.parts++;
    if (part > (copies ? 1 : 0)) return;
    Access& a = out_.accesses[done.access];
    if (copies && part == 1) lay_lines(a, sources_[pc], i, f);
    else if (copies || i.space == trace::Space::shared) count_wavefronts(a, patterns_[pc], i, f);
    else lay_lines(a, patterns_[pc], i, f);
}

uint32_t StreamWriter::phase(uint64_t mbarrier, uint64_t number) {
    const auto [at, fresh] = phases_.try_emplace({mbarrier, number}, static_cast<uint32_t>(out_.arrivals.size()));
    if (fresh) out_.arrivals.push_back(0);
    return at->second;
}

void StreamWriter::add_effect(uint32_t pc, const Effect& effect) {
    Access& by = out_.accesses[did(pc).access];
    if (by.effects++ == 0) by.first_effect = static_cast<uint32_t>(out_.effects.size());
    out_.effects.push_back(effect);
}

void StreamWriter::mbarrier(uint32_t pc, const trace::MbarrierUse& use) {
    if (full_) return;
    Effect effect;
    effect.phase = phase(use.mbarrier, use.phase);
    effect.what = use.what == trace::MbarrierUse::goes_on   ? Effect::goes_on
                  : use.what == trace::MbarrierUse::arrives ? Effect::arrives
                                                            : Effect::arrives_after_copies;
    if (effect.what != Effect::goes_on) ++out_.arrivals[effect.phase];
    add_effect(pc, effect);
}

void StreamWriter::barrier(uint32_t pc, const trace::BarrierUse& use) {
    if (full_) return;
    Effect effect;
    effect.what = Effect::meets;
    effect.barrier = use.number;
    effect.warps = static_cast<uint16_t>(use.threads / trace::warp_size);
    add_effect(pc, effect);
}

void StreamWriter::bulk_copy(uint32_t pc, const trace::BulkCopy& copy) {
    if (full_) return;
    Effect effect;
    effect.what = copy.to_shared ? Effect::copies : Effect::stores;
    if (copy.mbarrier != trace::BulkCopy::none) ++out_.arrivals[effect.phase = phase(copy.mbarrier, copy.phase)];
    effect.moved.first_line = static_cast<uint32_t>(out_.lines.size());
    for (const trace::BulkCopy::Row& row : copy.rows)
        if (row.bytes > 0) add_bytes(out_.lines, effect.moved.first_line, row.address, row.bytes);
    count_lines(effect.moved, out_.lines);
    add_effect(pc, effect);
}

void StreamWriter::executed(std::span<const uint32_t> pcs, uint16_t warp) {
    if (full_) return;
    std::vector<Step>& steps = out_.warps[warp];
    const auto first = static_cast<std::ptrdiff_t>(steps.size());
    for (const uint32_t pc : pcs) steps.push_back({.pc = pc});
    // Both are in the same order. A poll in vain was not executed: what it did has no step.
    auto step = steps.begin() + first;
    for (const Did& one : did_) {
        const auto by = std::find_if(step, steps.end(), [&](const Step& s) { return s.pc == one.pc; });
        if (by != steps.end()) by->access = one.access, step = by;
    }
    did_.clear();
    steps_ += pcs.size();
    const uint64_t bytes = steps_ * sizeof(Step) + out_.accesses.size() * sizeof(Access) +
                           out_.lines.size() * sizeof(Line) + out_.effects.size() * sizeof(Effect);
    full_ = bytes > most_bytes_;
    if (full_) stop_.request_stop();
}

Stream stream_of(const trace::Trace& t, const analysis::BankRule& rule) {
    StreamWriter writer(t.listing, t.block.count(), rule, std::numeric_limits<uint64_t>::max(),
                        std::stop_source(std::nostopstate));
    std::vector<std::vector<uint32_t>> events((t.block.count() + trace::warp_size - 1) / trace::warp_size);
    size_t next_use = 0, next_copy = 0, next_barrier = 0;
    trace::Addresses offset;
    for (uint32_t n = 0; n < t.events.size(); ++n) {
        const trace::Event& e = t.events[n];
        const trace::Instruction& i = t.listing->instructions[e.pc];
        if (e.access != trace::no_access && e.active != 0) {
            writer.access(e.pc, i,
                          trace::footprint(analysis::accessing_lanes(i, e.active), t.accesses[e.access], offset));
            if (i.kind == trace::Kind::async_copy) {
                const trace::Addresses& from = t.accesses[e.access + 1];
                writer.access(e.pc, i, trace::footprint(analysis::reading_lanes(t, e), from, offset));
            }
        }
        for (; next_use < t.mbarrier_uses.size() && t.mbarrier_uses[next_use].event == n; ++next_use)
            writer.mbarrier(e.pc, t.mbarrier_uses[next_use]);
        for (; next_copy < t.bulk_copies.size() && t.bulk_copies[next_copy].event == n; ++next_copy)
            writer.bulk_copy(e.pc, t.bulk_copies[next_copy]);
        for (; next_barrier < t.barrier_uses.size() && t.barrier_uses[next_barrier].event == n; ++next_barrier)
            writer.barrier(e.pc, t.barrier_uses[next_barrier]);
        writer.executed(std::span(&e.pc, 1), e.warp);
        events[e.warp].push_back(n);
    }
    Stream stream = writer.take();
    stream.events = std::move(events);
    return stream;
}

} // namespace timing
