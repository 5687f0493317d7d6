#include "base/number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace base {

Result<int64_t> parse_integer(std::string_view text, std::string_view name, int64_t least, int64_t most) {
    int64_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool in_range = code == std::errc{} && value >= least && value <= most;
    if (code == std::errc::invalid_argument || end != text.data() + text.size())
        return Error{Failure::usage, say("{} = {} is not a whole number", name, text), {}, {}};
    if (!in_range)
        return Error{Failure::usage,
                     say("{} = {} is out of range", name, text),
                     {},
                     say("choose {} from {} to {}", name, least, most)};
    return value;
}

Result<double> parse_number(std::string_view text, std::string_view name) {
    double value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return Error{Failure::usage, say("{} = {} is not a number", name, text), {}, {}};
    return value;
}

double significant(double value, int digits) {
    if (!std::isfinite(value)) return value;
    const std::string text = fmt::format("{:.{}g}", value, digits);
    double rounded = value;
    std::from_chars(text.data(), text.data() + text.size(), rounded);
    return rounded;
}

} // namespace base
