// Switches that no GPU has: what a part of the multiprocessor is worth, by its absence.
#pragma once

namespace timing {

// The class argues why the time changes.
struct WhatIf {
    bool reuse_cache = true, bank_conflicts = true, register_banks = true;
    double memory_latency = 1; // times
    int registers = 1;         // times, of a multiprocessor
    int more_warps = 0;        // of a multiprocessor, in whole blocks
    bool operator==(const WhatIf&) const = default;
};

} // namespace timing
