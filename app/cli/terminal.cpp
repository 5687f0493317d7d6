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

std::string words(const gpu::Progress& progress) {
    switch (progress.phase) {
    case gpu::Phase::inputs: return "inputs";
    case gpu::Phase::verify: return "verifying";
    case gpu::Phase::warm_up: return "warming up";
    case gpu::Phase::samples: return fmt::format("{} of at most {} samples", progress.done, progress.of);
    case gpu::Phase::back_to_back: return "launches in a row";
    }
    return {};
}

} // namespace cli
