// What a GPU does not have, as switches by name: for options of commands and for the window.
#pragma once

#include "timing/multiprocessor.h"

#include <span>
#include <string_view>

namespace timing {

struct Switch {
    const char* name; // "no_bank_conflicts"
    void (*turn_on)(WhatIf&);
};
std::span<const Switch> switches();

} // namespace timing
