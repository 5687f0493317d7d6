// Which gemmscope this is.
#pragma once

#include <string_view>

namespace base {

std::string_view version(); // "0.1.0"

} // namespace base
