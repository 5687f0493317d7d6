#include "timing/stream.h"

#include "analysis/sectors.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace timing {
namespace {

// An instruction's accesses mostly have one pattern: its wavefronts are counted once.
class Wavefronts {
public:
    Wavefronts(const analysis::BankRule& rule, size_t instructions) : rule_(rule), last_(instructions) {}

    analysis::WavefrontCount of(uint32_t pc, const trace::Instruction& i, uint32_t active, const trace::Addresses& at) {
        Last& last = last_[pc];
        const uint64_t unit = std::bit_ceil(std::max<uint64_t>(i.bytes, 4u)) - 1;
        const uint64_t first = at[static_cast<size_t>(std::countr_zero(active))];
        if (last.active == active && ((first ^ last.at[static_cast<size_t>(std::countr_zero(active))]) & unit) == 0) {
            const uint64_t moved = first - last.at[static_cast<size_t>(std::countr_zero(active))];
            uint64_t difference = 0;
            for (size_t lane = 0; lane < at.size(); ++lane)
                difference |= active >> lane & 1 ? at[lane] - last.at[lane] - moved : 0;
            if (difference == 0) return last.count;
        }
        last = {active, at, analysis::count_wavefronts(rule_, i.kind == trace::Kind::load, i.bytes, active, at)};
        return last.count;
    }

private:
    struct Last {
        uint32_t active = 0;
        trace::Addresses at{};
        analysis::WavefrontCount count;
    };
    analysis::BankRule rule_;
    std::vector<Last> last_;
};

class Reader {
public:
    Reader(const trace::Trace& t, const analysis::BankRule& rule)
        : trace_(t), wavefronts_(rule, t.listing->instructions.size()) {
        out_.warps.resize((t.block.count() + trace::warp_size - 1) / trace::warp_size);
    }

    Stream read() {
        for (uint32_t n = 0; n < trace_.events.size(); ++n) {
            const trace::Event& e = trace_.events[n];
            Step step{e.pc, n, access_of(e), static_cast<uint32_t>(out_.effects.size())};
            add_effects(n);
            step.effects = static_cast<uint16_t>(out_.effects.size() - step.first_effect);
            out_.warps[e.warp].push_back(step);
        }
        return std::move(out_);
    }

private:
    const trace::Trace& trace_;
    Wavefronts wavefronts_;
    Stream out_;
    size_t next_use_ = 0, next_copy_ = 0;
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> phases_; // by mbarrier and number

    uint32_t phase(uint64_t mbarrier, uint64_t number) {
        const auto [at, fresh] = phases_.try_emplace({mbarrier, number}, static_cast<uint32_t>(out_.arrivals.size()));
        if (fresh) out_.arrivals.push_back(0);
        return at->second;
    }

    void add_effects(uint32_t event) {
        for (; next_use_ < trace_.mbarrier_uses.size() && trace_.mbarrier_uses[next_use_].event == event; ++next_use_) {
            const trace::MbarrierUse& use = trace_.mbarrier_uses[next_use_];
            Effect effect;
            effect.phase = phase(use.mbarrier, use.phase);
            effect.what = use.what == trace::MbarrierUse::goes_on   ? Effect::goes_on
                          : use.what == trace::MbarrierUse::arrives ? Effect::arrives
                                                                    : Effect::arrives_after_copies;
            if (effect.what != Effect::goes_on) ++out_.arrivals[effect.phase];
            out_.effects.push_back(effect);
        }
        for (; next_copy_ < trace_.bulk_copies.size() && trace_.bulk_copies[next_copy_].event == event; ++next_copy_) {
            const trace::BulkCopy& copy = trace_.bulk_copies[next_copy_];
            Effect effect;
            effect.what = copy.to_shared ? Effect::copies : Effect::stores;
            if (copy.mbarrier != trace::BulkCopy::none)
                ++out_.arrivals[effect.phase = phase(copy.mbarrier, copy.phase)];
            effect.moved.first_line = static_cast<uint32_t>(out_.lines.size());
            for (const trace::BulkCopy::Row& row : copy.rows)
                for (uint64_t s = row.address / analysis::sector_bytes;
                     row.bytes > 0 && s <= (row.address + row.bytes - 1) / analysis::sector_bytes; ++s)
                    add_sector(effect.moved, s);
            count_lines(effect.moved);
            out_.effects.push_back(effect);
        }
    }

    uint32_t access_of(const trace::Event& e) {
        const trace::Instruction& i = trace_.listing->instructions[e.pc];
        if (e.access == trace::no_access || e.active == 0) return trace::no_access;
        Access a;
        const trace::Addresses& at = trace_.accesses[e.access];
        const bool copies = i.kind == trace::Kind::async_copy;
        if (copies || i.space == trace::Space::shared) {
            const analysis::WavefrontCount count = wavefronts_.of(e.pc, i, e.active, at);
            a.wavefronts = static_cast<uint16_t>(count.wavefronts);
            a.ideal = static_cast<uint16_t>(count.ideal);
        }
        if (copies)
            add_lines(a, i.bytes, reading(e.active, trace_.accesses[e.access + 1]), trace_.accesses[e.access + 1]);
        else if (i.space != trace::Space::shared) add_lines(a, i.bytes, e.active, at);
        out_.accesses.push_back(a);
        return static_cast<uint32_t>(out_.accesses.size() - 1);
    }

    static uint32_t reading(uint32_t active, const trace::Addresses& from) {
        for (size_t lane = 0; lane < from.size(); ++lane)
            if (from[lane] == 0) active &= ~(1u << lane);
        return active;
    }

    void add_lines(Access& a, uint32_t bytes, uint32_t active, const trace::Addresses& at) {
        a.first_line = static_cast<uint32_t>(out_.lines.size());
        for (; active != 0; active &= active - 1) {
            const uint64_t address = at[static_cast<size_t>(std::countr_zero(active))];
            const uint64_t last = address + std::max(bytes, 1u) - 1;
            for (uint64_t s = address / analysis::sector_bytes; s <= last / analysis::sector_bytes; ++s)
                add_sector(a, s);
        }
        count_lines(a);
    }
    void count_lines(Access& a) const {
        a.lines = static_cast<uint32_t>(out_.lines.size() - a.first_line);
        for (size_t n = a.first_line; n < out_.lines.size(); ++n)
            a.sectors += static_cast<uint32_t>(std::popcount(out_.lines[n].sectors));
    }

    void add_sector(const Access& a, uint64_t sector) {
        constexpr uint64_t per_line = analysis::line_bytes / analysis::sector_bytes;
        const auto bit = static_cast<uint8_t>(1u << sector % per_line);
        // The line of the lane before is mostly this one, too.
        const size_t looked_at =
            std::max<size_t>(a.first_line, out_.lines.size() - std::min<size_t>(out_.lines.size(), trace::warp_size));
        for (size_t n = out_.lines.size(); n-- > looked_at;)
            if (out_.lines[n].number == sector / per_line) {
                out_.lines[n].sectors |= bit;
                return;
            }
        out_.lines.push_back({sector / per_line, bit});
    }
};

} // namespace

Stream stream_of(const trace::Trace& t, const analysis::BankRule& rule) { return Reader(t, rule).read(); }

} // namespace timing
