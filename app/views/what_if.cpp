#include "views/what_if.h"

namespace views {
namespace {

using timing::WhatIf;

// On, the field has this value; off, that of a GPU.
template <auto field, auto value>
constexpr WhatIfRow row(const char* name) {
    return {name, [](const WhatIf& what_if) { return what_if.*field != WhatIf{}.*field; },
            [](WhatIf& what_if, bool on) {
                if (on) what_if.*field = value;
                else what_if.*field = WhatIf{}.*field;
            }};
}

constexpr WhatIfRow rows[] = {
    row<&WhatIf::reuse_cache, false>("no_reuse_cache"), row<&WhatIf::bank_conflicts, false>("no_bank_conflicts"),
    row<&WhatIf::register_banks, false>("no_register_conflicts"), row<&WhatIf::memory_latency, 2>("slow_memory")};

} // namespace

std::span<const WhatIfRow> what_if_rows() { return rows; }

const WhatIfRow* find_what_if(std::string_view name) {
    for (const WhatIfRow& row : rows)
        if (row.name == name) return &row;
    return nullptr;
}

std::string what_if_text(const Strings& tr, const WhatIf& what_if) {
    std::string text;
    for (const WhatIfRow& row : rows)
        if (row.is_on(what_if))
            text += (text.empty() ? "" : tr("what_if.and")) + std::string(tr(std::string("what_if.") + row.name));
    return text;
}

} // namespace views
