// A text that is edited: its lines, a cursor and a selection, what a key does to them, and every step back. Knows nothing of windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edit {

constexpr size_t most_bytes =
    size_t{1} << 20;            // of a text: fifty times the longest kernel; what would exceed it is refused
constexpr size_t tab_width = 4; // columns, and spaces of one level of indentation

struct Place { // from 0; `column` in bytes
    size_t line = 0, column = 0;
    bool operator==(const Place&) const = default;
};

struct Range { // bytes [first, last)
    size_t first = 0, last = 0;
    bool empty() const { return first == last; }
    bool operator==(const Range&) const = default;
};

enum class Move { left, right, word_left, word_right, up, down, line_begin, line_end, begin, end };

// Offsets are bytes of text(); the cursor stands between characters, never inside one of several bytes or between \r and \n. Bytes that
// are no UTF-8 are characters of one byte, and stay as they are.
class Text {
public:
    explicit Text(std::string text = {});

    const std::string& text() const { return text_; }
    uint64_t revision() const { return revision_; } // another number after every change of the text
    size_t lines() const { return starts_.size(); } // at least one
    std::string_view line(size_t number) const;     // without its end
    Place place_of(size_t at) const;
    size_t at(Place) const; // the nearest there is

    size_t cursor() const { return cursor_; }
    Range selection() const;
    std::string_view selected() const;
    void place_cursor(size_t at, bool select = false);
    void select(Range); // the cursor at its end
    void select_word(size_t at);
    void select_line(size_t at);
    // `rows`: of up and down. Up and down keep the column of the first of them.
    void move(Move, bool select = false, size_t rows = 1);

    // Each replaces the selection, and is one step of undo or joins the one before: letters typed one after the other are undone
    // together. False: the text would be longer than most_bytes, nothing is changed.
    bool type(std::string_view letters);  // a closing brace on a blank line moves a level to the left
    bool paste(std::string_view letters); // control characters other than tab and newline are left out
    bool new_line();                      // indented like this line, a level deeper after an opening bracket
    bool indent();                        // every line of the selection; without one, spaces up to the next stop
    void outdent();
    bool toggle_comment(); // "// " before every line of the selection, or away from it
    void erase(Move);      // the selection, else from the cursor to where it would move

    bool undo(); // false: nothing is left
    bool redo();
    void pause() { joins_ = false; } // the next change is a step of its own

    // The whole text, as one step of undo. The cursor keeps its line.
    bool replace(std::string_view text);

private:
    enum class Kind { typing, erasing_left, erasing_right, other };
    struct Change {
        size_t at = 0;
        std::string removed, inserted;
        size_t cursor_before = 0, anchor_before = 0, cursor_after = 0, anchor_after = 0;
        Kind kind = Kind::other;
        size_t bytes() const { return removed.size() + inserted.size() + sizeof(Change); }
    };

    bool change(Range, std::string_view inserted, Kind, std::optional<Range> then_selected = {});
    bool join(const Change&);
    void apply(size_t at, size_t removed, std::string_view inserted);
    void remember(Change&&);
    void find_lines();
    size_t line_end(size_t line) const; // before its \n or \r\n
    size_t next(size_t at) const;       // character
    size_t previous(size_t at) const;
    size_t whole(size_t at) const; // the boundary of a character there or before
    size_t word(size_t at, bool forward) const;
    size_t column_of(size_t at) const; // as it is seen: a tab reaches to its stop
    size_t at_column(size_t line, size_t column) const;
    size_t target(Move, size_t rows);
    Range
    selected_lines() const; // from the begin of the first to the end of the last, without lines that only end in it
    template <class Edit>
    bool edit_lines(const Edit&); // each line of the selection
    std::string with_line_ends(std::string_view) const;

    std::string text_;
    std::vector<size_t> starts_; // of each line
    size_t cursor_ = 0, anchor_ = 0;
    std::optional<size_t> column_; // of up and down
    uint64_t revision_ = 0;
    std::deque<Change> done_, undone_;
    size_t remembered_ = 0; // bytes of done_
    bool joins_ = false;    // the next change may join the last one
};

// The next place where `wanted` stands after `from`, or before it, from the other end again if need be; letters of ASCII in either case.
std::optional<Range> find(std::string_view text, std::string_view wanted, size_t from, bool forward);
std::vector<Range> find_all(std::string_view text, std::string_view wanted); // that do not overlap, in order

} // namespace edit
