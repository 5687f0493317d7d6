// Numbers as users type them. The whole text must be the number; no white space, no locale.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <limits>
#include <string_view>

namespace base {

// A decimal integer in [least, most]. Errors: Failure::usage, `name` says what was asked for: "K = 12x is not a whole number".
Result<int64_t> parse_integer(std::string_view text, std::string_view name,
                              int64_t least = std::numeric_limits<int64_t>::min(),
                              int64_t most = std::numeric_limits<int64_t>::max());

// A finite decimal number.
Result<double> parse_number(std::string_view text, std::string_view name);

// Rounded to the digits that a measurement can have, so that it is printed as 1.2345 and not as 1.2345000505447388.
double significant(double value, int digits = 6);

} // namespace base
