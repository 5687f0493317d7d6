// The words of one warp access to shared memory, arranged as the banks see them. No drawing here.
#pragma once

#include "analysis/banks.h"

#include <array>
#include <cstdint>
#include <vector>

namespace views {

// Neighbouring words of one row of shared memory that the same lanes of a phase touch.
struct WordBox {
    uint64_t word = 0;                // of shared memory: byte offset / 4
    int words = 1;                    // all in one row of 32
    uint32_t lanes = 0;               // bit mask
    std::array<uint8_t, 32> degree{}; // of each word: distinct words in its bank within the phase
    int bank() const { return static_cast<int>(word % 32); }
};

// One row of shared memory (32 words) within a phase.
struct BankRow {
    int phase = 0;              // index into Wavefronts::phases
    uint64_t row = 0;           // byte offset / 128
    std::vector<WordBox> boxes; // by bank
};

struct BankWords {
    analysis::Wavefronts count;
    std::vector<BankRow> rows;        // by phase, then by address
    std::array<uint8_t, 32> degree{}; // the worst of all phases, per bank
    int worst = 0;
};

// Of the access that these wavefronts serve; bytes: per lane.
BankWords bank_words(analysis::Wavefronts, int bytes, const trace::Addresses&);

} // namespace views
