#include "analysis/banks.h"

#include "analysis/mapping.h"

#include <algorithm>
#include <bit>

namespace analysis {
namespace {

// What the rule sees of an access. A lane touches one piece of `width` bytes, aligned to its width as the hardware
// demands. A piece covers the same words of the same neighbouring banks as any other piece of its group, or none of
// them, so that the most distinct words in a bank is the most distinct pieces in a group.
struct Layout {
    uint64_t width;      // bytes of a piece: at least a bank's; a power of two, as the next
    uint32_t groups;     // pieces side by side that fill all banks
    int phase_lanes = 0; // lanes that the hardware looks at together
};

// Every pair (n, n ^ distance) reads the same address, or one of the two is inactive.
bool pairs_equal(uint32_t active, const trace::Addresses& address, unsigned distance) {
    for (unsigned lane = 0; lane < trace::warp_size; ++lane) {
        const unsigned other = lane ^ distance;
        if (other < lane || !(active >> lane & 1) || !(active >> other & 1)) continue;
        if (address[lane] != address[other]) return false;
    }
    return true;
}

Layout layout(const BankRule& rule, bool load, int bytes, uint32_t active, const trace::Addresses& address) {
    const unsigned bank_bytes = std::bit_ceil(static_cast<unsigned>(std::max(rule.bank_bytes, 1)));
    const unsigned row_bytes =
        bank_bytes * std::bit_ceil(static_cast<unsigned>(std::max(rule.banks, 1))); // all banks, once
    const unsigned wanted = std::bit_ceil(static_cast<unsigned>(std::max(bytes, 1)));
    const unsigned width = std::clamp(wanted, bank_bytes, row_bytes);
    const int widening = static_cast<int>(width / bank_bytes);
    Layout l{width, row_bytes / width, std::max(trace::warp_size / widening, 1)};
    const bool merges = rule.loads_merge_pairs && load && widening > 1 &&
                        (pairs_equal(active, address, 1) || pairs_equal(active, address, 2));
    if (merges) l.phase_lanes *= 2;
    return l;
}

// Distinct pieces per group of one phase, in the order in which lanes bring them. Those of a group are chained: most groups have few.
class PhasePieces {
public:
    explicit PhasePieces(const Layout& l) : width_bits_(std::countr_zero(l.width)), group_bits_(l.groups - 1) {}

    // The number of the wavefront that serves `address`: how many other pieces of its group came before it.
    uint32_t add(uint64_t address) {
        const uint64_t piece = address >> width_bits_;
        uint8_t& newest = newest_[piece & group_bits_ & (slots - 1)];
        uint32_t rank = 0;
        for (uint8_t i = newest; i != 0; i = before_[i]) {
            if (pieces_[i] == piece) return ranks_[i];
            rank += ((pieces_[i] ^ piece) & group_bits_) == 0; // a slot may serve several groups
        }
        before_[++used_] = newest;
        newest = used_;
        pieces_[used_] = piece;
        ranks_[used_] = rank;
        most_ = std::max(most_, rank + 1);
        return rank;
    }
    int wavefronts() const { return static_cast<int>(most_); }

private:
    static constexpr size_t slots = 64;
    const int width_bits_;
    const uint64_t group_bits_;
    uint32_t most_ = 0;
    uint8_t used_ = 0;                    // numbers from 1 on
    std::array<uint8_t, slots> newest_{}; // of a slot's groups; 0: none
    std::array<uint8_t, trace::warp_size + 1> before_;
    std::array<uint64_t, trace::warp_size + 1> pieces_;
    std::array<uint32_t, trace::warp_size + 1> ranks_;
};

// PhasePieces::wavefronts() of the lanes' pieces, for counting millions: where they lie within 64 rows of all banks, as those of a table
// do, a bit for each row of each group says which there were.
int count_pieces(const Layout& l, uint32_t lanes, const trace::Addresses& address) {
    constexpr uint32_t most_groups = 32, most_rows = 64;
    const int width_bits = std::countr_zero(l.width), group_bits = std::countr_zero(l.groups);
    uint64_t lowest = ~uint64_t{0}, highest = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint64_t at = address[static_cast<unsigned>(std::countr_zero(rest))];
        lowest = std::min(lowest, at);
        highest = std::max(highest, at);
    }
    const uint64_t first_row = lowest >> width_bits >> group_bits;
    if (lanes == 0) return 0;
    if (l.groups > most_groups || (highest >> width_bits >> group_bits) - first_row >= most_rows) {
        PhasePieces pieces(l);
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            pieces.add(address[static_cast<unsigned>(std::countr_zero(rest))]);
        return pieces.wavefronts();
    }
    std::array<uint64_t, most_groups> rows{};
    std::array<uint8_t, most_groups> count{};
    uint8_t most = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint64_t piece = address[static_cast<unsigned>(std::countr_zero(rest))] >> width_bits,
                       group = piece & (l.groups - 1);
        const uint64_t row = (piece >> group_bits) - first_row;
        count[group] = static_cast<uint8_t>(count[group] + (~(rows[group] >> row) & 1));
        rows[group] |= uint64_t{1} << row;
        most = std::max(most, count[group]);
    }
    return most;
}

BankRule rule_of(const trace::Instruction& i, BankRule rule) {
    rule.loads_merge_pairs &= i.role != trace::Role::matrix_rows;
    return rule;
}

uint32_t lanes_from(int first, int count) { return (count >= 32 ? ~0u : (1u << count) - 1) << first; }

} // namespace

BankRule bank_rule(std::string_view) {
    // Measured on sm_90 (see the test's data). 32 banks of 4 bytes hold for every architecture since sm_50; whether
    // others merge pairs in the same way has not been measured, so the same is assumed.
    return {};
}

Wavefronts wavefronts(const BankRule& rule, bool load, int bytes, uint32_t active, const trace::Addresses& address) {
    const Layout l = layout(rule, load, bytes, active, address);
    Wavefronts result;
    for (int first = 0; first < trace::warp_size; first += l.phase_lanes) {
        Phase phase;
        phase.lanes = active & lanes_from(first, l.phase_lanes);
        if (phase.lanes == 0) continue;
        PhasePieces pieces(l);
        for (uint32_t rest = phase.lanes; rest; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const uint32_t wavefront = pieces.add(address[lane]);
            if (wavefront >= phase.served.size()) phase.served.resize(wavefront + 1);
            phase.served[wavefront] |= 1u << lane;
        }
        phase.wavefronts = pieces.wavefronts();
        result.wavefronts += phase.wavefronts;
        result.ideal += 1;
        result.phases.push_back(std::move(phase));
    }
    return result;
}

WavefrontCount count_wavefronts(const BankRule& rule, bool load, int bytes, uint32_t active,
                                const trace::Addresses& address) {
    const Layout l = layout(rule, load, bytes, active, address);
    WavefrontCount count;
    for (int first = 0; first < trace::warp_size; first += l.phase_lanes) {
        const uint32_t lanes = active & lanes_from(first, l.phase_lanes);
        if (lanes == 0) continue;
        count.wavefronts += count_pieces(l, lanes, address);
        count.ideal += 1;
    }
    return count;
}

WavefrontCount source_page_wavefronts(const BankRule& rule, bool load, int bytes, uint32_t active,
                                      const trace::Addresses& address) {
    const Layout l = layout(rule, false, bytes, active, address);
    int apart = 0, merged = 0;
    bool merges = load && rule.loads_merge_pairs && l.phase_lanes < trace::warp_size;
    for (int first = 0; first < trace::warp_size; first += l.phase_lanes)
        apart += count_pieces(l, active & lanes_from(first, l.phase_lanes), address);
    for (int first = 0; merges && first < trace::warp_size; first += 2 * l.phase_lanes) {
        const uint32_t lanes = active & lanes_from(first, 2 * l.phase_lanes);
        const int together = count_pieces(l, lanes, address);
        merges = together <= 1 && (pairs_equal(lanes, address, 1) || pairs_equal(lanes, address, 2));
        merged += together;
    }
    const int row_bytes = std::max(rule.banks * rule.bank_bytes, 1), asked = std::popcount(active) * bytes;
    const int wavefronts = merges ? merged : apart;
    return {wavefronts, std::min(wavefronts, (asked + row_bytes - 1) / row_bytes)};
}

Wavefronts wavefronts(const BankRule& rule, const trace::Instruction& i, uint32_t active,
                      const trace::Addresses& address) {
    return wavefronts(rule_of(i, rule), i.kind == trace::Kind::load, i.bytes, accessing_lanes(i, active), address);
}

WavefrontCount count_wavefronts(const BankRule& rule, const trace::Instruction& i, uint32_t active,
                                const trace::Addresses& address) {
    return count_wavefronts(rule_of(i, rule), i.kind == trace::Kind::load, i.bytes, accessing_lanes(i, active),
                            address);
}

WavefrontCount source_page_wavefronts(const BankRule& rule, const trace::Instruction& i, uint32_t active,
                                      const trace::Addresses& address) {
    return source_page_wavefronts(rule_of(i, rule), i.kind == trace::Kind::load, i.bytes, accessing_lanes(i, active),
                                  address);
}

} // namespace analysis
