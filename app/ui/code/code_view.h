// A text with line numbers, colours, counts in its margin, marked lines and remarks between the lines: the
// part that the source, PTX, SASS and the instructions of one line have in common.
#pragma once

#include "timing/multiprocessor.h"
#include "ui/panel.h"
#include "ui/views.h"
#include "views/highlight.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct LineCounts {                              // of all instructions of a line, whole grid
    uint64_t executed = 0;                       // warp instructions
    uint64_t transfers = 0, transfers_ideal = 0; // shared-memory wavefronts and global sectors together
};

struct CodeRow {
    enum class Kind { line, fold, remark };
    Kind kind = Kind::line;
    int line = 0;     // 0-based, of the text
    std::string text; // of a fold or a remark
};

enum class LineMark : uint8_t {
    none,
    linked,
    hovered,
    call,
    current
}; // call: of the current line, which was inlined there, or which it became in the other program

// What an editor adds. Lines from 0; columns in bytes of a line.
struct CodeEdit {
    struct Span { // of one line; `last` of npos: with its end
        int line = 0;
        size_t first = 0, last = 0;
    };
    bool focused = false; // keys are the editor's: the cursor and the line it is on are seen
    int line = 0;         // of the cursor
    size_t column = 0;
    bool reveal = false;                   // scrolls until the cursor is in sight
    std::vector<Span> selected{}, found{}; // by line
    std::vector<bool> changed{};           // per line: not as it was compiled
};

struct CodeSign { // before a cell, with a line below it as long as its share
    timing::Wait why = timing::Wait::selected;
    float share = 0; // of the column's largest
};

struct CodeColumn { // between a line's number and its text
    std::string head{}, tip{};
    int characters = 1, least_text = 22; // of the text behind it, else it is left out
    std::vector<std::string> cells{};    // per line
    std::vector<CodeSign> signs{};       // likewise; empty: none
};

struct CodeView {
    const char* id; // of the child window; marks "<id>.line.<1-based line>", "<id>.remark"
    Syntax syntax = Syntax::cuda;
    const std::vector<std::string_view>* lines = nullptr;
    std::vector<CodeRow> rows{};
    std::vector<LineMark> marks{};     // per line; empty: none
    std::vector<LineCounts> counts{};  // per line, drawn in a margin; empty: no margin
    std::vector<std::string> labels{}; // per line, shown in place of its number; empty: numbers
    std::string label_head{};          // shown above them if there are columns
    bool heads = true;                 // columns have theirs
    std::vector<CodeColumn> columns{}; // those for which there is room
    std::vector<bool> flagged{};       // per line: the checks found something there; empty: nothing
    int show_line = -1;                // 0-based: scrolled to when it or `of` changes
    std::string_view of{};             // whose text it is
    float height = 0;                  // 0: the rest of the window
    const CodeEdit* edit = nullptr;    // nullptr: the text is only shown
};

struct CodeHit { // 0-based lines; -1: none
    int hovered = -1, clicked = -1;
    bool in_margin = false;                  // the mouse is over the hovered line's counts
    const CodeColumn* over_column = nullptr; // likewise, of the view
    bool fold_clicked = false;
    // Of an edited text: the place nearest to the mouse, also beside the text while a button is held; rows in sight.
    int line = -1;
    size_t column = 0;
    bool pressed = false, double_clicked = false; // on the text, not in the margin
    int rows_in_sight = 0;
};

// Only the rows in sight are coloured and drawn.
CodeHit draw_code_view(Context&, const CodeView&);

// Whether a view so wide has room for how often instructions ran. `timed`: what warps lose there goes before that.
bool shows_executed(const Style&, float width, bool timed);

// One line in its colours, each moved towards the text's until it reads on `ground`, by itself the panel; tabs set as the view sets
// them; `in_comment` as in highlight().
void draw_code_line(const Style&, Syntax, ImVec2 at, std::string_view line, bool& in_comment,
                    std::optional<ImU32> ground = {});

// "999", "12.3k", "4.56M": at most five characters.
std::string compact(uint64_t value);

} // namespace ui
