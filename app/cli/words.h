// The window's words, in English: what a table or a sentence tells is told there once.
#pragma once

#include "views/strings.h"

#include <string>

namespace cli {

// Errors: the tables of assets/i18n are missing or damaged.
base::Result<views::Strings> english();

// A label of the window within a table of the command line: "shared loads" of "Shared loads", "FP32 FMAs" as it is.
std::string in_a_table(std::string label);

} // namespace cli
