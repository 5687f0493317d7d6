#include "trace/schedule.h"

#include "base/number.h"

#include <fmt/format.h>

namespace trace {
namespace {

constexpr std::string_view in_order = "in-order", warp = "warp:", seed = "seed:";
constexpr int64_t most_warps = 32; // of a block

} // namespace

std::string to_text(Schedule schedule) {
    switch (schedule.kind) {
    case Schedule::Kind::in_order: break;
    case Schedule::Kind::warp_first: return fmt::format("{}{}", warp, schedule.number);
    case Schedule::Kind::shuffled: return fmt::format("{}{}", seed, schedule.number);
    }
    return std::string(in_order);
}

base::Result<Schedule> schedule_from_text(std::string_view text) {
    if (text == in_order) return Schedule{};
    for (const auto& [prefix, kind] : {std::pair{warp, Schedule::Kind::warp_first}, {seed, Schedule::Kind::shuffled}}) {
        if (!text.starts_with(prefix)) continue;
        const bool is_warp = kind == Schedule::Kind::warp_first;
        auto number = base::parse_integer(text.substr(prefix.size()),
                                          is_warp ? "the warp that runs first" : "the seed of the schedule", 0,
                                          is_warp ? most_warps - 1 : std::numeric_limits<int64_t>::max());
        if (!number) return number.error();
        return Schedule{kind, static_cast<uint64_t>(*number)};
    }
    return base::Error{base::Failure::usage,
                       base::say("there is no schedule {}", text),
                       {},
                       base::say("write in-order, warp:3 (that warp first) or seed:7 (shuffled)")};
}

} // namespace trace
