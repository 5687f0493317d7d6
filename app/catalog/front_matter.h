// The comment at the beginning of a kernel file that describes the kernel.
#pragma once

#include <string_view>

namespace catalog {

// Whether there is one, right or wrong: parse() (catalog.h) reads it.
bool describes_itself(std::string_view text);

} // namespace catalog
