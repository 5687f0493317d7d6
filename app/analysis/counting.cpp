#include "analysis/counting.h"

#include "analysis/sectors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace analysis {
namespace {

struct Cost { // of one access: wavefronts in shared memory, sectors in global memory
    uint32_t moved = 0, ideal = 0;
};
struct Costs {
    Cost own;
    std::array<Cost, 2> wider; // of the aligned 8 and 16 bytes around it
};

// The pattern of an access: where the lanes are, relative to the first active one. Moving all lanes by a multiple of
// the unit (a piece's width, a sector) changes neither wavefronts nor sectors, so a pattern seen once is counted once.
struct Pattern {
    uint32_t active = 0; // 0: none yet
    uint32_t phase = 0;  // of the first active lane's address, modulo the unit
    std::array<uint64_t, trace::warp_size> offset{};
    Costs cost;

    bool matches(uint32_t lanes, uint32_t at, uint64_t base, const trace::Addresses& address) const {
        if (lanes != active || at != phase) return false;
        uint64_t difference = 0;
        if (active == ~0u) { // no mask: a plain loop that the compiler turns into vector code
            for (unsigned i = 0; i < trace::warp_size; ++i) difference |= (address[i] - base) ^ offset[i];
        } else {
            for (unsigned i = 0; i < trace::warp_size; ++i)
                difference |= ((address[i] - base) ^ offset[i]) & (0 - uint64_t{active >> i & 1});
        }
        return difference == 0;
    }
};

// An instruction usually has one pattern, and a few more at the edges of a matrix.
struct Patterns {
    static constexpr unsigned ways = 4;
    std::array<Pattern, ways> seen;
    unsigned oldest = 0;
};

} // namespace

class Counting::PerThread : public trace::Observer {
public:
    PerThread(BankRule rule, size_t instructions, const std::vector<bool>& may_fuse) : rule_(rule), instructions_(instructions) {
        for (size_t pc = 0; pc < std::min(instructions, may_fuse.size()); ++pc) instructions_[pc].may_fuse = may_fuse[pc];
    }

    void access(uint32_t pc, const trace::Instruction& instruction, uint32_t active,
                const trace::Addresses& address) override {
        if (pc >= instructions_.size() || active == 0) return;
        PerInstruction& one = instructions_[pc];
        bool shared = instruction.space == trace::Space::shared;
        if (!shared && instruction.space != trace::Space::global) return;
        if (instruction.kind == trace::Kind::async_copy) { // its shared destination, then its global source
            shared = !one.source_is_next;
            one.source_is_next = shared;
        }
        std::unique_ptr<Patterns>& patterns = shared ? one.shared_patterns : one.global_patterns;
        if (!patterns) patterns = std::make_unique<Patterns>();
        const bool may_fuse = shared && one.may_fuse;
        const Costs& cost = look_up(*patterns, instruction, shared, may_fuse, active, address);
        (shared ? one.sums.wavefronts : one.sums.sectors) += cost.own.moved;
        (shared ? one.sums.wavefronts_ideal : one.sums.sectors_ideal) += cost.own.ideal;
        if (!may_fuse) return;
        for (size_t i = 0; i < cost.wider.size(); ++i) {
            one.sums.wider[i].wavefronts += cost.wider[i].moved;
            one.sums.wider[i].ideal += cost.wider[i].ideal;
        }
    }

    void add_to(trace::Counts& counts) const {
        for (size_t pc = 0; pc < std::min(counts.size(), instructions_.size()); ++pc) {
            trace::InstructionCounts& c = counts[pc];
            const trace::InstructionCounts& mine = instructions_[pc].sums;
            c.wavefronts += mine.wavefronts;
            c.wavefronts_ideal += mine.wavefronts_ideal;
            c.sectors += mine.sectors;
            c.sectors_ideal += mine.sectors_ideal;
            for (size_t i = 0; i < c.wider.size(); ++i) {
                c.wider[i].wavefronts += mine.wider[i].wavefronts;
                c.wider[i].ideal += mine.wider[i].ideal;
            }
        }
    }

private:
    struct PerInstruction {
        std::unique_ptr<Patterns> shared_patterns, global_patterns; // made at the first access
        trace::InstructionCounts sums;                              // wavefronts and sectors only
        bool source_is_next = false;                                // of an async copy
        bool may_fuse = false;
    };

    const Costs& look_up(Patterns& patterns, const trace::Instruction& instruction, bool shared, bool may_fuse, uint32_t active,
                         const trace::Addresses& address) const {
        const uint32_t unit = may_fuse ? widest
                              : shared ? std::max<uint32_t>(instruction.bytes, static_cast<uint32_t>(rule_.bank_bytes))
                                       : sector_bytes;
        const uint64_t base = address[static_cast<unsigned>(std::countr_zero(active))];
        const auto phase = static_cast<uint32_t>(base % std::max(unit, 1u));
        for (const Pattern& p : patterns.seen)
            if (p.matches(active, phase, base, address)) return p.cost;

        Pattern& p = patterns.seen[patterns.oldest++ % Patterns::ways];
        p.active = active;
        p.phase = phase;
        for (unsigned i = 0; i < trace::warp_size; ++i) p.offset[i] = address[i] - base;
        p.cost.own = shared ? shared_cost(instruction, instruction.bytes, active, address) : global_cost(instruction, active, address);
        if (may_fuse) p.cost.wider = {shared_cost(instruction, 8, active, address), shared_cost(instruction, widest, active, address)};
        return p.cost;
    }

    Cost shared_cost(const trace::Instruction& i, int bytes, uint32_t active, const trace::Addresses& address) const {
        const WavefrontCount c = source_page_wavefronts(rule_, i.kind == trace::Kind::load, bytes, active, address);
        return {static_cast<uint32_t>(c.wavefronts), static_cast<uint32_t>(c.ideal)};
    }
    static Cost global_cost(const trace::Instruction& i, uint32_t active, const trace::Addresses& address) {
        const Sectors s = sectors(i.bytes, active, address);
        return {static_cast<uint32_t>(s.sectors), static_cast<uint32_t>(s.ideal)};
    }

    static constexpr int widest = 16; // bytes of an access
    BankRule rule_;
    std::vector<PerInstruction> instructions_; // by pc
};

Counting::Counting(BankRule rule, size_t instructions, std::vector<bool> may_fuse)
    : rule_(rule), instructions_(instructions), may_fuse_(std::move(may_fuse)) {}
Counting::~Counting() = default;

trace::Observer* Counting::observer() {
    const std::lock_guard lock(mutex_);
    per_thread_.push_back(std::make_unique<PerThread>(rule_, instructions_, may_fuse_));
    return per_thread_.back().get();
}

void Counting::add_to(trace::Counts& counts) const {
    for (const auto& one : per_thread_) one->add_to(counts);
}

Totals totals(const trace::Listing& listing, const trace::Counts& counts) {
    using trace::Kind;
    using trace::Space;
    Totals t;
    const auto add_shared = [](SharedTotals& to, const trace::InstructionCounts& c) {
        to.instructions += c.executed;
        to.wavefronts += c.wavefronts;
        to.wavefronts_ideal += c.wavefronts_ideal;
    };
    const auto add_global = [](GlobalTotals& to, const trace::InstructionCounts& c) {
        to.instructions += c.executed;
        to.sectors += c.sectors;
        to.sectors_ideal += c.sectors_ideal;
    };
    for (size_t pc = 0; pc < std::min(listing.instructions.size(), counts.size()); ++pc) {
        const trace::Instruction& i = listing.instructions[pc];
        const trace::InstructionCounts& c = counts[pc];
        t.instructions_executed += c.executed;
        t.thread_instructions += c.threads;
        if (i.kind == Kind::fma) t.ffma_thread_instructions += c.threads;
        if (i.kind == Kind::async_copy) add_global(t.async_copy, c);
        if (i.kind == Kind::load && i.space == Space::shared) add_shared(t.shared_load, c);
        if (i.kind == Kind::store && i.space == Space::shared) add_shared(t.shared_store, c);
        if (i.kind == Kind::load && i.space == Space::global) add_global(t.global_load, c);
        if (i.kind == Kind::store && i.space == Space::global) add_global(t.global_store, c);
    }
    return t;
}

} // namespace analysis
