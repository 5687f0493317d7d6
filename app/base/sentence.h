// What an error or a finding says, so that it can be said in any language: gettext's way, the English pattern is the key.
// say("{} has {} bytes", name, bytes) keeps the pattern and what fills its places; a table of another language has the pattern and
// its translation. tests/views/sentences_test.cpp reads every say() of the sources and holds the table to them.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace base {

// A pattern without places, marked where it stands and said where it is needed: for constants, and for what is handed along
// paths that have no time to make a sentence of it.
class Phrase {
public:
    constexpr const char* text() const { return text_; }

private:
    constexpr explicit Phrase(const char* text) : text_(text) {}
    friend constexpr Phrase phrase(const char* literal);

    const char* text_;
};
constexpr Phrase phrase(const char* literal) { return Phrase(literal); }

class Sentence {
public:
    enum class Kind : uint8_t {
        verbatim, // names, numbers, and what others wrote (a compiler, a driver, a rule): never translated
        pattern,  // text() with {} where parts() stand
        list,     // parts() with text() between them
    };

    Sentence() = default; // nothing is said
    Sentence(Phrase phrase) : kind_(Kind::pattern), text_(phrase.text()) {}
    Sentence(Kind kind, std::string text, std::vector<Sentence> parts)
        : kind_(kind), text_(std::move(text)), parts_(std::move(parts)) {}

    bool empty() const { return text_.empty() && parts_.empty(); }
    Kind kind() const { return kind_; }
    const std::string& text() const { return text_; }
    const std::vector<Sentence>& parts() const { return parts_; }
    bool operator==(const Sentence& other) const;

    // On one line, as it stands in the JSON and on the terminal.
    std::string english() const;
    // In a language that has a word() for each pattern and for what stands between the parts of a list, and joins pieces.
    template <class Language>
    std::string in(const Language& language) const {
        if (kind_ == Kind::verbatim) return text_;
        std::vector<std::string> said;
        for (const Sentence& part : parts_) said.push_back(part.in(language));
        return language.joined(pieces(language.word(text_), said));
    }

private:
    std::vector<std::string> pieces(std::string_view text, const std::vector<std::string>& parts) const;

    Kind kind_ = Kind::verbatim;
    std::string text_;
    std::vector<Sentence> parts_; // each is said once more by those that hold it: small trees only
};

// "{0} of {0:#x} and {{" -> "{} of {} and {": what a format string of say() is looked up by. Each place is one of its own.
std::string pattern_of(std::string_view format);
// `pattern` with {} as the next part, {1} as that part; a place for which there is no part stays. In pieces: what stands
// between the places, and the parts.
std::vector<std::string> pieces_of(std::string_view pattern, std::span<const std::string> parts);
std::string joined(const std::vector<std::string>& pieces);

inline Sentence verbatim(std::string text) { return {Sentence::Kind::verbatim, std::move(text), {}}; }
// Parts that say nothing are left out.
Sentence list(std::vector<Sentence> parts, std::string_view between = "; ");
// Of names or numbers: "a, b, c".
template <class Range>
Sentence names(const Range& range) {
    std::vector<Sentence> parts;
    for (const auto& one : range) parts.push_back(verbatim(fmt::format("{}", one)));
    return list(std::move(parts), ", ");
}

namespace detail {

template <class T>
using Checked = std::conditional_t<std::is_same_v<T, Sentence>, std::string_view, T>;
inline constexpr std::string_view placeholder;
inline const std::string_view& for_fmt(const Sentence&) { return placeholder; }
template <class T>
const T& for_fmt(const T& argument) {
    return argument;
}
inline const Sentence* as_sentence(const Sentence& sentence) { return &sentence; }
template <class T>
const Sentence* as_sentence(const T&) {
    return nullptr;
}
Sentence said(fmt::string_view format, fmt::format_args arguments, std::span<const Sentence* const> sentences);

} // namespace detail

// As fmt::format, checked by the compiler. An argument that is a Sentence is translated, too; others are formatted now.
// The format is a literal: the test that reads the sources wants to see it.
template <class... Arguments>
Sentence say(fmt::format_string<detail::Checked<Arguments>...> format, const Arguments&... arguments) {
    const Sentence* const sentences[] = {detail::as_sentence(arguments)..., nullptr};
    return detail::said(format, fmt::make_format_args(detail::for_fmt(arguments)...), sentences);
}

} // namespace base
