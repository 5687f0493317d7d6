#include "cli/terminal.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace cli {

void Terminal::show(const std::string& text) {
    if (!::isatty(STDERR_FILENO)) return;
    fmt::print(stderr, "\r\x1b[K{}", text); // from the line's start, with nothing left of the older text
    std::fflush(stderr);
    shown_ = true;
}

void Terminal::clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    shown_ = false;
}

std::string words(const measure::Progress& progress) {
    switch (progress.phase) {
    case measure::Phase::inputs: return "inputs";
    case measure::Phase::verify: return "verifying";
    case measure::Phase::warm_up: return "warming up";
    case measure::Phase::samples: return fmt::format("{} of at most {} samples", progress.done, progress.of);
    case measure::Phase::back_to_back: return "launches in a row";
    }
    return {};
}

} // namespace cli
