// The switches that no GPU has, as the window and the command line name them.
#pragma once

#include "timing/what_if.h"
#include "views/strings.h"

#include <span>
#include <string>
#include <string_view>

namespace views {

struct WhatIfRow {
    const char* name; // on the command line; its words: what_if.<name>, and what_if.<name>_tip
    bool (*is_on)(const timing::WhatIf&);
    void (*turn)(timing::WhatIf&, bool on);
};
std::span<const WhatIfRow> what_if_rows();
const WhatIfRow* find_what_if(std::string_view name); // nullptr: there is none

std::string what_if_text(const Strings&, const timing::WhatIf&); // of those that are on; empty: none is

} // namespace views
