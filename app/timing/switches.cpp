#include "timing/switches.h"

#include <array>

namespace timing {

std::span<const Switch> switches() {
    static constexpr std::array all = {
        Switch{"no_reuse_cache", [](WhatIf& w) { w.reuse_cache = false; }},
        Switch{"no_bank_conflicts", [](WhatIf& w) { w.bank_conflicts = false; }},
        Switch{"no_register_banks", [](WhatIf& w) { w.register_banks = false; }},
        Switch{"double_memory_latency", [](WhatIf& w) { w.memory_latency *= 2; }},
    };
    return all;
}

} // namespace timing
