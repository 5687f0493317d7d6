// A text of the tables with its {} filled in.
#pragma once

#include "views/strings.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace views {

// A translation with a broken pattern is shown as it stands.
template <class... Args>
std::string say(const Strings& tr, std::string_view key, const Args&... args) {
    const std::string_view pattern = tr(key);
    try {
        return fmt::vformat(pattern, fmt::make_format_args(args...));
    } catch (const fmt::format_error&) {
        return std::string(pattern);
    }
}

} // namespace views
