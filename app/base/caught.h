// Exceptions where nobody could catch them: one that leaves a thread's function ends the program (std::terminate).
#pragma once

#include "base/result.h"

#include <exception>

namespace base {

// Calls `work`. What it threw, or nullptr; needs no memory of its own, since that may be what ran out.
template <class F>
std::exception_ptr caught(F&& work) noexcept {
    try {
        work();
        return nullptr;
    } catch (...) {
        return std::current_exception();
    }
}

// The sentence for what was caught.
Error error_of(const std::exception_ptr& caught, Failure failure = Failure::usage);

} // namespace base
