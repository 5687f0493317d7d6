#include "timing/switches.h"

namespace timing {
namespace {

// On, the field has this value; off, that of a GPU.
template <auto field, auto value>
constexpr Switch row(const char* name) {
    return {name, [](const WhatIf& what_if) { return what_if.*field != WhatIf{}.*field; },
            [](WhatIf& what_if, bool on) {
                if (on) what_if.*field = value;
                else what_if.*field = WhatIf{}.*field;
            }};
}

constexpr Switch rows[] = {
    row<&WhatIf::reuse_cache, false>("no_reuse_cache"),       row<&WhatIf::bank_conflicts, false>("no_bank_conflicts"),
    row<&WhatIf::register_banks, false>("no_register_banks"), row<&WhatIf::memory_latency, 2>("double_memory_latency"),
    row<&WhatIf::registers, 2>("double_registers"),           row<&WhatIf::more_warps, 4>("four_more_warps")};

} // namespace

std::span<const Switch> switches() { return rows; }

const Switch* find_switch(std::string_view name) {
    for (const Switch& one : rows)
        if (one.name == name) return &one;
    return nullptr;
}

} // namespace timing
