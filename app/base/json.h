// JSON that comes from outside: files, and what another process says. All of it is parsed here.
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string_view>

namespace base {

// nlohmann's parser uses a stack of its own, but copying, printing and comparing a value recurse: a document
// as deep as it is long would overflow the thread's stack. Each value takes up to a hundred bytes.
inline constexpr int deepest_json = 16;
inline constexpr size_t longest_json = size_t{1} << 29;     // bytes; C of 8192 x 8192 in base64 fits
inline constexpr size_t most_json_values = size_t{1} << 22; // three for each block of the largest timeline fit

// "not JSON", or the bound that it exceeds.
Result<nlohmann::json> parse_json(std::string_view text);

} // namespace base
