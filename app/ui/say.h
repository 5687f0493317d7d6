// Sentences with numbers in them: a text of the tables with its {} or {0} {1} filled in.
#pragma once

#include <fmt/format.h>

#include <string>

namespace ui {

// A pattern that does not fit its arguments (a slip in a table) is shown as it is.
template <class... Arguments>
std::string say(const char* pattern, const Arguments&... arguments) {
    try {
        return fmt::vformat(pattern, fmt::make_format_args(arguments...));
    } catch (const fmt::format_error&) {
        return pattern;
    }
}

} // namespace ui
