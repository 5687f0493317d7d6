#include "ui/draw/wrap.h"

#include <imgui_internal.h>

namespace ui {
namespace {

bool is_chinese(unsigned c) { return c >= 0x2E80; }

// May not begin a line, or may not end one.
bool closes(unsigned c) {
    static constexpr std::u32string_view marks =
        U"!%),.:;?]}\u00b7\u2019\u201d\u2026\u2014\u3001\u3002\u3009\u300b\u300d\u300f\u3011\uff01\uff05\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3d\uff5d";
    return marks.find(c) != marks.npos;
}
bool opens(unsigned c) {
    static constexpr std::u32string_view marks = U"([{\u2018\u201c\u3008\u300a\u300c\u300e\u3010\uff08\uff3b\uff5b";
    return marks.find(c) != marks.npos;
}

} // namespace

bool may_break_between(unsigned before, unsigned after) {
    if (before == ' ') return after != ' ' && after != '%'; // "9 %"
    return before && (is_chinese(before) || is_chinese(after)) && !opens(before) && !closes(after) && after != ' ';
}

std::string wrapped(const ImFont* font, float width, std::string_view text) {
    std::string lines;
    float used = 0, since_break = 0; // of the line, and of what follows the last place where it may end
    size_t place = 0;                // in `lines`; 0: there is none in this line
    unsigned before = 0;
    for (const char *at = text.data(), *const end = at + text.size(); at < end;) {
        unsigned c = 0;
        const int bytes = ImTextCharFromUtf8(&c, at, end);
        if (bytes <= 0 || c == 0) break;
        const float advance = c == '\n' ? 0 : font->GetCharAdvance(static_cast<ImWchar>(c));
        if (may_break_between(before, c)) place = lines.size(), since_break = 0;
        if (c != ' ' && c != '\n' && used > 0 && used + advance > width) {
            if (place == 0) { // a word alone
                lines += '\n';
                used = 0;
            } else {
                size_t trimmed = place;
                while (trimmed > 0 && lines[trimmed - 1] == ' ') --trimmed;
                lines.erase(trimmed, place - trimmed);
                lines.insert(trimmed, 1, '\n');
                used = since_break;
                if (used > 0 && used + advance > width)
                    lines += '\n', used = 0; // what follows the break is too wide, too
            }
            place = 0, since_break = 0;
        }
        lines.append(at, static_cast<size_t>(bytes));
        used = c == '\n' ? 0 : used + advance;
        since_break = c == '\n' ? 0 : since_break + advance;
        if (c == '\n') place = 0;
        before = c == '\n' ? 0 : c;
        at += bytes;
    }
    return lines;
}

std::string with_ellipsis(ImFont* font, float width, std::string_view line) {
    constexpr std::string_view ellipsis = "\u2026";
    const auto measured = [&](float most, std::string_view words, const char** rest) {
        return font->CalcTextSizeA(font->FontSize, most, 0, words.data(), words.data() + words.size(), rest).x;
    };
    const float room = width - measured(FLT_MAX, ellipsis, nullptr);
    const char* rest = line.data();
    if (room > 0) measured(room, line, &rest);
    const auto in_number = [](char c) { return c == '.' || (c >= '0' && c <= '9'); };
    if (rest < line.data() + line.size() && in_number(*rest))
        while (rest > line.data() && in_number(rest[-1])) --rest;
    return std::string(line.data(), rest) + std::string(ellipsis);
}

std::string first_lines(ImFont* font, float width, float height, std::string_view lines) {
    size_t last = 0, end = lines.find('\n'); // of the last line that there is room for
    for (float used = 2 * font->FontSize; used <= height && end != lines.npos; used += font->FontSize) {
        last = end + 1;
        end = lines.find('\n', last);
    }
    if (end == lines.npos) return std::string(lines);
    return std::string(lines.substr(0, last)) + with_ellipsis(font, width, lines.substr(last, end - last));
}

} // namespace ui
