// What a GPU does not have, as switches by name: for options of commands and for the window.
#pragma once

#include "timing/what_if.h"

#include <span>
#include <string_view>

namespace timing {

struct Switch {
    const char* name; // "no_bank_conflicts"; its words in the window: what_if.<name>, and what_if.<name>_tip
    bool (*is_on)(const WhatIf&);
    void (*turn)(WhatIf&, bool on);
};
std::span<const Switch> switches();
const Switch* find_switch(std::string_view name); // nullptr: there is none

} // namespace timing
