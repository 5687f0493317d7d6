// Problem sizes as they are typed after --sizes.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <string>
#include <string_view>
#include <vector>

namespace cli {

// Items with commas between, in the order in which they are to be measured:
//   1024              M = N = K
//   4096x1024x512     M x N x K
//   256..8192:256     from the first to the last, 256 more each time
//   256..8192:x2      the same, twice as much each time
//   square            a named set
// A size that comes twice is taken once. Errors (Failure::usage) name the item and say how it is written.
base::Result<std::vector<catalog::Problem>> parse_sizes(const std::string& text);

// A single size; `option` is the name of what it was given with.
base::Result<catalog::Problem> parse_one_size(const std::string& text, std::string_view option);

std::string size_text(const catalog::Problem&); // "4096 x 4096 x 512"

// For help: the grammar and the named sets.
std::string sizes_help();

} // namespace cli
