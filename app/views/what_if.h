// The switches that no GPU has, in words.
#pragma once

#include "timing/switches.h"
#include "views/strings.h"

#include <string>

namespace views {

const char* switch_text(const Strings&, const timing::Switch&);
const char* switch_tip(const Strings&, const timing::Switch&); // a sentence

std::string what_if_text(const Strings&, const timing::WhatIf&); // of those that are on; empty: none is

} // namespace views
