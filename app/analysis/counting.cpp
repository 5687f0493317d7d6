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

// The pattern of an access: where the lanes are, relative to the first active one. Moving all lanes by a multiple of
// the unit (a piece's width, a sector) changes neither wavefronts nor sectors, so a pattern seen once is counted once.
struct Pattern {
    uint32_t active = 0; // 0: none yet
    uint32_t phase = 0;  // of the first active lane's address, modulo the unit
    trace::Addresses offset{};
    Cost cost;
    uint64_t times = 0;

    bool matches(const trace::Footprint& f, uint32_t at) const {
        if (f.active != active || at != phase) return false;
        uint64_t difference = 0; // a plain loop that the compiler turns into vector code
        for (unsigned i = 0; i < trace::warp_size; ++i) difference |= f.offset[i] ^ offset[i];
        return difference == 0;
    }
};

// An instruction usually has one pattern, and a few more at the edges of a matrix; of rows whose length is no multiple of a sector
// as many as a sector has words, each with all lanes and with the last ones of a row.
struct Patterns {
    static constexpr unsigned ways = 16;
    std::array<uint64_t, ways> keys; // of each
    std::vector<Pattern> seen;       // up to `ways`
    unsigned oldest = 0;
};

void add(trace::InstructionCounts& to, const Pattern& p, bool shared) {
    (shared ? to.wavefronts : to.sectors) += p.times * p.cost.moved;
    (shared ? to.wavefronts_ideal : to.sectors_ideal) += p.times * p.cost.ideal;
}

} // namespace

class Counting::PerThread : public trace::Observer {
public:
    PerThread(BankRule rule, size_t instructions) : rule_(rule), instructions_(instructions) {}

    void access(uint32_t pc, const trace::Instruction& instruction, const trace::Footprint& f) override {
        if (pc >= instructions_.size()) return;
        PerInstruction& one = instructions_[pc];
        if (f.shape != 0 && f.shape == one.shape && (f.first & one.unit_bits) == one.phase) {
            ++*one.times;
            return;
        }
        bool shared = instruction.space == trace::Space::shared;
        if (!shared && instruction.space != trace::Space::global) return;
        if (instruction.kind == trace::Kind::async_copy) { // its shared destination, then its global source
            shared = !one.source_is_next;
            one.source_is_next = shared;
        }
        if (f.active == 0) return;
        const auto bytes =
            static_cast<uint32_t>(shared ? std::max<int>(instruction.bytes, rule_.bank_bytes) : sector_bytes);
        const uint32_t unit_bits = std::bit_ceil(std::max(bytes, 1u)) - 1;
        Pattern& p = look_up(one, instruction, shared, static_cast<uint32_t>(f.first & unit_bits), f);
        ++p.times;
        if (f.shape == 0 || instruction.kind == trace::Kind::async_copy) return; // its next access is of the other end
        one.shape = f.shape;
        one.phase = p.phase;
        one.unit_bits = unit_bits;
        one.times = &p.times;
    }

    void bulk_copy(uint32_t pc, const trace::BulkCopy& copy) override {
        if (pc >= instructions_.size()) return;
        trace::InstructionCounts& counts = instructions_[pc].replaced;
        uint64_t bytes = 0;
        for (const trace::BulkCopy::Row& row : copy.rows) {
            if (row.bytes == 0) continue;
            bytes += row.bytes;
            counts.sectors += (row.address + row.bytes - 1) / sector_bytes - row.address / sector_bytes + 1;
        }
        counts.sectors_ideal += (bytes + sector_bytes - 1) / sector_bytes;
    }

    void add_to(trace::Counts& counts) const {
        for (size_t pc = 0; pc < std::min(counts.size(), instructions_.size()); ++pc) {
            const PerInstruction& one = instructions_[pc];
            trace::InstructionCounts mine = one.replaced;
            for (const bool shared : {false, true})
                if (const auto& patterns = shared ? one.shared_patterns : one.global_patterns)
                    for (const Pattern& p : patterns->seen) add(mine, p, shared);
            trace::InstructionCounts& c = counts[pc];
            c.wavefronts += mine.wavefronts;
            c.wavefronts_ideal += mine.wavefronts_ideal;
            c.sectors += mine.sectors;
            c.sectors_ideal += mine.sectors_ideal;
        }
    }

private:
    struct PerInstruction {
        // Of the last access, so that the next one of its shape is counted without a look at its lanes.
        uint64_t shape = 0; // 0: not known
        uint32_t phase = 0, unit_bits = 0;
        uint64_t* times = nullptr;
        std::unique_ptr<Patterns> shared_patterns, global_patterns; // made at the first access
        bool source_is_next = false;                                // of an async copy
        trace::InstructionCounts replaced; // of patterns that made room for others, and of bulk copies
    };

    Pattern& look_up(PerInstruction& one, const trace::Instruction& instruction, bool shared, uint32_t phase,
                     const trace::Footprint& f) const {
        std::unique_ptr<Patterns>& patterns = shared ? one.shared_patterns : one.global_patterns;
        if (!patterns) patterns = std::make_unique<Patterns>();
        const uint64_t key = (uint64_t{f.active} << 32 | phase) ^
                             f.offset.back() << 8; // tells most apart, those that depend on data too
        for (size_t n = 0; n < patterns->seen.size(); ++n)
            if (patterns->keys[n] == key && patterns->seen[n].matches(f, phase)) return patterns->seen[n];

        one.shape = 0; // one.times may lead to what is replaced or moved now
        const size_t place = patterns->oldest++ % Patterns::ways;
        if (place == patterns->seen.size()) patterns->seen.emplace_back();
        Pattern& p = patterns->seen[place];
        add(one.replaced, p, shared);
        patterns->keys[place] = key;
        p.active = f.active;
        p.phase = phase;
        p.offset = f.offset;
        p.times = 0;
        const trace::Addresses address = f.addresses();
        p.cost = shared ? shared_cost(instruction, f.active, address) : global_cost(instruction, f.active, address);
        return p;
    }

    Cost shared_cost(const trace::Instruction& i, uint32_t active, const trace::Addresses& address) const {
        const WavefrontCount c = source_page_wavefronts(rule_, i, active, address);
        return {static_cast<uint32_t>(c.wavefronts), static_cast<uint32_t>(c.ideal)};
    }
    static Cost global_cost(const trace::Instruction& i, uint32_t active, const trace::Addresses& address) {
        const Sectors s = sectors_of(i, active, address);
        return {static_cast<uint32_t>(s.sectors), static_cast<uint32_t>(s.ideal)};
    }

    BankRule rule_;
    std::vector<PerInstruction> instructions_; // by pc
};

Counting::Counting(BankRule rule, size_t instructions) : rule_(rule), instructions_(instructions) {}
Counting::~Counting() = default;

trace::Observer* Counting::observer() {
    const std::lock_guard lock(mutex_);
    per_thread_.push_back(std::make_unique<PerThread>(rule_, instructions_));
    return per_thread_.back().get();
}

void Counting::add_to(trace::Counts& counts) const {
    for (const auto& one : per_thread_) one->add_to(counts);
}

} // namespace analysis
