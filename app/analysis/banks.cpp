#include "analysis/banks.h"

#include <algorithm>
#include <bit>

namespace analysis {
namespace {

// What the rule sees of an access. A lane touches one piece of `width` bytes, aligned to its width as the hardware
// demands. A piece covers the same words of the same neighbouring banks as any other piece of its group, or none of
// them, so that the most distinct words in a bank is the most distinct pieces in a group.
struct Layout {
    uint64_t width;      // bytes of a piece: at least a bank's
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
    const auto bank_bytes = static_cast<unsigned>(std::max(rule.bank_bytes, 1));
    const unsigned row_bytes = bank_bytes * static_cast<unsigned>(std::max(rule.banks, 1)); // all banks, once
    const unsigned wanted = std::bit_ceil(static_cast<unsigned>(std::max(bytes, 1)));
    const unsigned width = std::clamp(wanted, bank_bytes, row_bytes);
    const int widening = static_cast<int>(width / bank_bytes);
    Layout l{width, row_bytes / width, std::max(trace::warp_size / widening, 1)};
    const bool merges = rule.loads_merge_pairs && load && widening > 1 &&
                        (pairs_equal(active, address, 1) || pairs_equal(active, address, 2));
    if (merges) l.phase_lanes *= 2;
    return l;
}

// Distinct pieces per group of one phase, in the order in which lanes bring them.
class PhasePieces {
public:
    explicit PhasePieces(const Layout& l) : layout_(l) {}

    // The number of the wavefront that serves `address`: how many other pieces of its group came before it.
    uint32_t add(uint64_t address) {
        const uint64_t piece = address / layout_.width;
        const uint64_t group = piece % layout_.groups;
        for (uint32_t i = 0; i < used_; ++i)
            if (pieces_[i] == piece) return ranks_[i];
        uint32_t rank = 0;
        for (uint32_t i = 0; i < used_; ++i) rank += groups_[i] == group;
        pieces_[used_] = piece;
        groups_[used_] = group;
        ranks_[used_++] = rank;
        most_ = std::max(most_, rank + 1);
        return rank;
    }
    int wavefronts() const { return static_cast<int>(most_); }

private:
    const Layout& layout_;
    uint32_t used_ = 0, most_ = 0;
    std::array<uint64_t, trace::warp_size> pieces_, groups_; // the first `used_`
    std::array<uint32_t, trace::warp_size> ranks_;
};

uint32_t lanes_from(int first, int count) {
    return (count >= 32 ? ~0u : (1u << count) - 1) << first;
}

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
        PhasePieces pieces(l);
        for (uint32_t rest = lanes; rest; rest &= rest - 1) pieces.add(address[static_cast<unsigned>(std::countr_zero(rest))]);
        count.wavefronts += pieces.wavefronts();
        count.ideal += 1;
    }
    return count;
}

WavefrontCount source_page_wavefronts(const BankRule& rule, bool load, int bytes, uint32_t active, const trace::Addresses& address) {
    const Layout l = layout(rule, false, bytes, active, address);
    const auto wavefronts_of = [&](uint32_t lanes) {
        PhasePieces pieces(l);
        for (uint32_t rest = lanes; rest; rest &= rest - 1) pieces.add(address[static_cast<unsigned>(std::countr_zero(rest))]);
        return pieces.wavefronts();
    };
    int apart = 0, merged = 0;
    bool merges = load && rule.loads_merge_pairs && l.phase_lanes < trace::warp_size;
    for (int first = 0; first < trace::warp_size; first += l.phase_lanes) apart += wavefronts_of(active & lanes_from(first, l.phase_lanes));
    for (int first = 0; merges && first < trace::warp_size; first += 2 * l.phase_lanes) {
        const uint32_t lanes = active & lanes_from(first, 2 * l.phase_lanes);
        const int together = wavefronts_of(lanes);
        merges = together <= 1 && (pairs_equal(lanes, address, 1) || pairs_equal(lanes, address, 2));
        merged += together;
    }
    const int row_bytes = std::max(rule.banks * rule.bank_bytes, 1), asked = std::popcount(active) * bytes;
    const int wavefronts = merges ? merged : apart;
    return {wavefronts, std::min(wavefronts, (asked + row_bytes - 1) / row_bytes)};
}

} // namespace analysis
