#include "lesson/prose.h"

#include <string_view>

namespace lesson {
namespace {

// Of CJK: ideographs and their extensions, of three or four bytes in UTF-8; punctuation counts nothing.
bool is_ideograph(char32_t c) { return (c >= 0x3400 && c <= 0x9fff) || (c >= 0x20000 && c <= 0x3ffff); }
bool is_wide_mark(char32_t c) { return (c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xffef); }

// The next character of UTF-8; a damaged byte is a character of its own.
char32_t next_character(std::string_view text, size_t& at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(at);
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    char32_t c = more == 3 ? first & 7 : more == 2 ? first & 15 : more == 1 ? first & 31 : first;
    ++at;
    for (int i = 0; i < more && (byte(at) & 0xc0) == 0x80; ++i) c = c << 6 | (byte(at++) & 63);
    return c;
}

struct Count {
    int words = 0, ideographs = 0;
    bool within = false; // a word
    void add(std::string_view text) {
        for (size_t at = 0; at < text.size();) {
            const char32_t c = next_character(text, at);
            const bool letter = c > ' ' && c != 0x2014 && !is_ideograph(c) && !is_wide_mark(c);
            ideographs += is_ideograph(c);
            words += letter && !within;
            within = letter;
        }
    }
};

} // namespace

std::string plain_text(const Prose& prose, const char* between) {
    std::string text;
    for (const Paragraph& paragraph : prose) {
        if (!text.empty()) text += between;
        for (const Run& run : paragraph.runs) text += run.text;
    }
    return text;
}

int words(const Prose& prose) {
    Count count;
    for (const Paragraph& paragraph : prose) {
        count.within = false;
        for (const Run& run : paragraph.runs) {
            const bool one = run.style == Run::Style::figure;
            count.add(one ? "0" : run.text);
        }
    }
    return count.words + (count.ideographs + 1) / 2;
}

} // namespace lesson
