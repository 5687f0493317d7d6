// How long the sentences of a text are, as the house style bounds them: 25 words of English.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace ui {

constexpr int most_words = 25;

// Words of the longest sentence, which `.`, `!` or `?` before a space, or a new line, end. What holds no letter or digit is
// no word; "e.g." and their like do not occur.
inline int longest_sentence(std::string_view text, std::string* sentence = nullptr) {
    int most = 0, words = 0;
    size_t first = 0;
    bool in_word = false, counts = false;
    for (size_t i = 0; i <= text.size(); ++i) {
        const bool end = i == text.size(), space = end || std::isspace(static_cast<unsigned char>(text[i]));
        if (!space) {
            in_word = true;
            counts = counts || static_cast<unsigned char>(text[i]) >= 0x80 ||
                     std::isalnum(static_cast<unsigned char>(text[i]));
            continue;
        }
        if (in_word && counts) ++words;
        const bool stops =
            end || text[i] == '\n' || (in_word && std::string_view(".!?").find(text[i - 1]) != std::string_view::npos);
        if (stops) {
            if (words > most) {
                most = words;
                if (sentence) *sentence = std::string(text.substr(first, i - first));
            }
            words = 0, first = i + 1;
        }
        in_word = counts = false;
    }
    return most;
}

} // namespace ui
