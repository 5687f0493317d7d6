// How long the window's loop takes for its turns. A turn goes from an event to the frame that shows it: so long the window does not
// answer.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ui {

// What a turn does, in this order.
enum class TurnPart { news, type, panels, draw, swap, obey };
constexpr std::array turn_part_names{"news", "type", "panels", "draw", "swap", "obey"};

struct LongTurn {
    double ms = 0, cpu_ms = 0; // `cpu_ms`: of the window's thread; the rest it waited
    std::array<double, turn_part_names.size()>
        part_ms{};     // by TurnPart, on the wall's clock; what is left is the loop's own
    std::string shown; // state file of the view that it drew
};

class Turns {
public:
    static constexpr size_t most_kept = 12;
    static constexpr double least_ms = 100; // of those that are kept

    void begin();
    // What was done since the last call was this part.
    void did(TurnPart);
    // `shown` is asked only of a turn that is kept.
    void end(const std::function<std::string()>& shown);

    // That took less than 2^n ms, and not less than 2^(n - 1); the last: or more.
    const std::array<uint64_t, 16>& histogram() const { return histogram_; }
    const std::vector<LongTurn>& longest() const { return longest_; } // the longest first

private:
    std::array<uint64_t, 16> histogram_{};
    std::vector<LongTurn> longest_;
    LongTurn now_;
    double began_ = 0, part_began_ = 0, cpu_began_ = 0; // in seconds
};

} // namespace ui
