// In which order the warps of a block run. A GPU promises none: what a correct kernel computes is the same in every order, and what a
// kernel with a race computes need not be.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace trace {

struct Schedule {
    enum class Kind : uint8_t {
        in_order, // each warp to its next barrier, the lowest first; after thousands of branches without one, others go on
        warp_first, // the same, but one warp before all others
        shuffled, // one warp instruction at a time, of a warp drawn at random; the block's number and the seed say which
    };
    Kind kind = Kind::in_order;
    uint64_t number = 0; // of the warp that is first, or the seed; else 0
    bool operator==(const Schedule&) const = default;
};

// As on the command line, in JSON and in state files: "in-order", "warp:3", "seed:7".
std::string to_text(Schedule);
base::Result<Schedule> schedule_from_text(std::string_view); // the error says what can be written

} // namespace trace
