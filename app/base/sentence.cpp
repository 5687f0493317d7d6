#include "base/sentence.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace base {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// A place of a pattern from `at`, which is an opening brace: {} or {1}. Without one: end is 0.
struct Place {
    size_t end = 0;
    int number = -1; // -1: the next
};
Place place_at(std::string_view pattern, size_t at) {
    size_t end = at + 1;
    while (end < pattern.size() && is_digit(pattern[end])) ++end;
    if (end == pattern.size() || pattern[end] != '}') return {};
    Place place{end + 1, -1};
    if (end > at + 1 && std::from_chars(&pattern[at + 1], &pattern[end], place.number).ec != std::errc()) return {};
    return place;
}

// The text of a format string as it is, and each place with what stands between its braces.
template <class Text, class Field>
void for_each_piece(std::string_view format, const Text& text, const Field& field) {
    for (size_t at = 0; at < format.size(); ++at) {
        const bool doubled = at + 1 < format.size() && format[at] == format[at + 1];
        const size_t end = format[at] == '{' && !doubled ? format.find('}', at) : format.npos;
        if (end != format.npos) {
            field(format.substr(at + 1, end - at - 1));
            at = end;
        } else {
            text(format[at]);
            if (doubled && (format[at] == '{' || format[at] == '}')) ++at;
        }
    }
}

struct English {
    const std::string& word(const std::string& pattern) const { return pattern; }
    std::string joined(const std::vector<std::string>& pieces) const { return base::joined(pieces); }
};

} // namespace

std::string pattern_of(std::string_view format) {
    std::string pattern;
    for_each_piece(
        format, [&](char c) { pattern += c; }, [&](std::string_view) { pattern += "{}"; });
    return pattern;
}

std::vector<std::string> pieces_of(std::string_view pattern, std::span<const std::string> parts) {
    std::vector<std::string> pieces(1);
    size_t next = 0;
    for (size_t at = 0; at < pattern.size(); ++at) {
        const Place place = pattern[at] == '{' ? place_at(pattern, at) : Place();
        const size_t part = place.number < 0 ? next : static_cast<size_t>(place.number);
        if (place.end == 0 || part >= parts.size()) {
            pieces.back() += pattern[at];
            continue;
        }
        next = part + 1;
        pieces.insert(pieces.end(), {parts[part], {}});
        at = place.end - 1;
    }
    return pieces;
}

std::string joined(const std::vector<std::string>& pieces) {
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    return text;
}

Sentence list(std::vector<Sentence> parts, std::string_view between) {
    std::erase_if(parts, [](const Sentence& part) { return part.empty(); });
    if (parts.size() == 1) return std::move(parts.front());
    if (parts.empty()) return {};
    return {Sentence::Kind::list, std::string(between), std::move(parts)};
}

bool Sentence::operator==(const Sentence& other) const {
    return kind_ == other.kind_ && text_ == other.text_ && parts_ == other.parts_;
}

std::string Sentence::english() const { return in(English()); }

std::vector<std::string> Sentence::pieces(std::string_view text, const std::vector<std::string>& parts) const {
    if (kind_ == Kind::pattern) return pieces_of(text, parts);
    std::vector<std::string> all;
    for (const std::string& part : parts) {
        if (!all.empty()) all.emplace_back(text);
        all.push_back(part);
    }
    return all;
}

namespace detail {

Sentence said(fmt::string_view format, fmt::format_args arguments, std::span<const Sentence* const> sentences) {
    std::string pattern;
    std::vector<Sentence> parts;
    size_t next = 0;
    const auto part_of = [&](std::string_view field) { // "", "0", ":#x" or "0:#x"
        const size_t colon = std::min(field.find(':'), field.size());
        size_t number = next;
        if (colon > 0) std::from_chars(field.data(), field.data() + colon, number);
        next = number + 1;
        if (number < sentences.size() && sentences[number]) return *sentences[number];
        return verbatim(fmt::vformat(fmt::format("{{{}{}}}", number, field.substr(colon)), arguments));
    };
    for_each_piece(
        {format.data(), format.size()}, [&](char c) { pattern += c; },
        [&](std::string_view field) {
            pattern += "{}";
            parts.push_back(part_of(field));
        });
    return {Sentence::Kind::pattern, std::move(pattern), std::move(parts)};
}

} // namespace detail
} // namespace base
