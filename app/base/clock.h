// How long something took, by a clock that nobody sets.
#pragma once

#include <chrono>

namespace base {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace base
