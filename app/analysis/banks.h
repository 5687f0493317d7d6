// Shared-memory wavefronts of one warp access, by the rule measured on an H200.
#pragma once

#include "trace/trace.h"

#include <span>
#include <string_view>

namespace analysis {

// The rule as data, because other GPUs may merge differently.
struct BankRule { // powers of two
    int banks = 32;
    int bank_bytes = 4;
    bool loads_merge_pairs = true; // phases merge when every lane n reads what lane n^1 (or n^2) reads
};
BankRule bank_rule(std::string_view arch);

struct Phase {                    // lanes that the hardware looks at together
    uint32_t lanes = 0;           // bit mask of active lanes
    int wavefronts = 0;           // the most distinct words in any one bank
    std::vector<uint32_t> served; // lanes that each wavefront serves; size == wavefronts. Lanes that read the same
                                  // words are served together; which of several wavefronts comes first is our choice
};

struct Wavefronts {
    int wavefronts = 0, ideal = 0;
    std::vector<Phase> phases; // those with an active lane
    int excessive() const { return wavefronts - ideal; }
};

// `bytes` per lane: 1, 2 and 4 count as 4; 8; 16. Addresses of inactive lanes are ignored. An address that is not a
// multiple of `bytes` (a fault on the hardware, and a finding) counts as rounded down.
Wavefronts wavefronts(const BankRule&, bool load, int bytes, uint32_t active, const trace::Addresses& address);

struct WavefrontCount {
    int wavefronts = 0, ideal = 0;
};
// The same without the phases, for counting millions of accesses.
WavefrontCount count_wavefronts(const BankRule&, bool load, int bytes, uint32_t active,
                                const trace::Addresses& address);

// The same as Nsight Compute's source page has it, which works from addresses and differs from the hardware's own counters where
// phases merge: there they do so only if no bank is asked for two words then, two phases side by side by either condition; and ideal
// is what all active lanes ask for over the 128 bytes that the banks give at once, but never more than the wavefronts.
WavefrontCount source_page_wavefronts(const BankRule&, bool load, int bytes, uint32_t active,
                                      const trace::Addresses& address);

// The same three of what an instruction accesses with these lanes active. A phase of ldmatrix and stmatrix is the 8 rows of a matrix,
// and none merges with another. Measured on an H200, see tests/data/counters/matrix_rows.cu.
Wavefronts wavefronts(const BankRule&, const trace::Instruction&, uint32_t active, const trace::Addresses& address);
WavefrontCount count_wavefronts(const BankRule&, const trace::Instruction&, uint32_t active,
                                const trace::Addresses& address);
WavefrontCount source_page_wavefronts(const BankRule&, const trace::Instruction&, uint32_t active,
                                      const trace::Addresses& address);

} // namespace analysis
