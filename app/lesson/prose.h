// Text of a lesson, ready to be drawn or printed: paragraphs of runs, in both languages.
#pragma once

#include "session/view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lesson {

struct Run {
    enum class Style { plain, strong, code, figure }; // figure: computed
    Style style = Style::plain;
    // What is shown; of a figure that is not computed yet the expression between {{ and }}.
    std::string text;
    uint32_t line = 0; // of the file
    bool operator==(const Run&) const = default;
};

struct Paragraph {
    std::vector<Run> runs;
    bool operator==(const Paragraph&) const = default;
};

using Prose = std::vector<Paragraph>;

template <class T>
struct Translated { // a lesson in one language has the same in both
    T en, zh;
    const T& in(session::Language language) const { return language == session::Language::zh ? zh : en; }
    T& in(session::Language language) { return language == session::Language::zh ? zh : en; }
    bool operator==(const Translated&) const = default;
};
using Text = Translated<Prose>;
using Title = Translated<std::string>;

// Without styles; paragraphs are separated by `between`.
std::string plain_text(const Prose&, const char* between = "\n\n");

// As a reader counts them: what blanks separate; two Chinese characters count as a word, and a figure as one.
int words(const Prose&);

} // namespace lesson
