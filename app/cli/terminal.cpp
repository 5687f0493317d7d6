#include "cli/terminal.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace cli {

std::string without_commands(std::string text) {
    for (size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
        const bool is_long_command = byte == 0xC2 && next >= 0x80 && next < 0xA0; // U+0080 to U+009F
        if (is_long_command) text[at] = text[at + 1] = ' ';
        if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7F) text[at] = ' ';
    }
    return text;
}

void Terminal::show(const std::string& text) {
    if (!::isatty(STDERR_FILENO)) return;
    fmt::print(stderr, "\r\x1b[K{}",
               without_commands(text)); // from the line's start, with nothing left of the older text
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
    case measure::Phase::energy: return "energy of a launch";
    case measure::Phase::back_to_back: return "launches in a row";
    }
    return {};
}

} // namespace cli
