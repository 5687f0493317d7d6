// The editor's text: the first half of the input is a text, each byte of the rest does something to it.
// Coverage: app/edit
#include "entry.h"

#include "base/utf8.h"
#include "edit/text.h"

#include <array>
#include <cstdlib>

namespace {

constexpr size_t most_text = 8 << 10, most_acts = 512, most_walked = 256;

void other(edit::Text& text, int which) {
    const std::string selected(text.selected());
    if (which < 4) text.pause();
    else if (which < 8) text.replace(selected + "\n" + selected);
    else if (const auto found = edit::find(text.text(), selected, text.cursor(), which % 2 == 0)) text.select(*found);
}

void act(edit::Text& text, uint8_t byte) {
    static constexpr std::array<std::string_view, 8> letters{"a",    "{",       "}", " ", "\t", "\xE4\xBD\xA0",
                                                             "\xFF", "b\r\nc\n"};
    const auto move = static_cast<edit::Move>(byte / 16 % 10);
    switch (byte % 16) {
    case 0:
    case 1: text.type(letters[byte / 16 % 8]); break;
    case 2: text.paste(letters[byte / 16 % 8]); break;
    case 3: text.new_line(); break;
    case 4: text.indent(); break;
    case 5: text.outdent(); break;
    case 6: text.toggle_comment(); break;
    case 7: text.erase(move); break;
    case 8: text.move(move, true); break;
    case 9:
    case 10: text.move(move, false, byte / 16); break;
    case 11: text.undo(); break;
    case 12: text.redo(); break;
    case 13: text.select_word(size_t{byte} * 7); break;
    case 14: text.select_line(size_t{byte} * 5); break;
    default: other(text, byte / 16); break;
    }
}

void check(bool holds) {
    if (!holds) std::abort();
}

// Walked to from the begin of the text, a character at a time.
bool is_boundary(std::string_view text, size_t at) {
    size_t here = 0;
    while (here < at) {
        const bool line_end = text.substr(here).starts_with("\r\n");
        here += line_end ? 2 : base::first_character(text.substr(here)).bytes;
    }
    return here == at;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input = text_of(data, size);
    const std::string first(input.substr(0, std::min(size / 2, most_text)));
    edit::Text text(first);
    for (const char c : input.substr(size / 2, most_acts)) {
        act(text, static_cast<uint8_t>(c));
        const auto [begin, end] = text.selection();
        check(begin <= end && end <= text.text().size());
        if (text.text().size() <= most_walked) check(is_boundary(text.text(), begin) && is_boundary(text.text(), end));
        check(text.at(text.place_of(text.cursor())) == text.cursor());
    }
    while (text.redo()) {
    }
    const std::string last = text.text();
    while (text.undo()) {
    }
    check(text.text() == first);
    while (text.redo()) {
    }
    check(text.text() == last);
    (void)edit::find_all(last, "a");
    return 0;
}
