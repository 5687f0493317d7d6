#include "ui/code/code_view.h"
#include "ui/draw/kept.h"

#include "base/utf8.h"
#include "ui/draw/grid.h"
#include "ui/draw/wait_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// Where a tab of a CUDA source ends.
size_t next_stop(size_t column) { return (column / 4 + 1) * 4; }

// Tabs as spaces. PTX: operands in one column, so that a narrow panel still shows them.
std::string expanded(Syntax syntax, std::string_view line) {
    std::string out;
    for (const char c : line) {
        if (c != '\t') {
            out += c;
            continue;
        }
        const bool leading = out.find_first_not_of(' ') == std::string::npos;
        const size_t column = syntax == Syntax::cuda ? next_stop(out.size())
                              : leading              ? out.size() + 2
                                                     : std::max<size_t>(out.size() + 1, 20);
        out.resize(column, ' ');
    }
    return out;
}

ImU32 token_colour(const Palette& colour, Token token) {
    switch (token) {
    case Token::comment: return colour.dim;
    case Token::preprocessor: return mixed(colour.dim, colour.text, 0.4f);
    case Token::keyword: return mixed(colour.text, colour.load, 0.55f);
    case Token::number: return mixed(colour.text, colour.store, 0.45f);
    case Token::string: return mixed(colour.text, colour.b, 0.5f);
    case Token::load: return colour.load;
    case Token::store: return colour.store;
    case Token::fma: return colour.fma;
    case Token::barrier: return colour.barrier;
    case Token::matrix_a: return colour.a;
    case Token::matrix_b: return colour.b;
    case Token::matrix_c: return colour.c;
    case Token::plain: break;
    }
    return colour.text;
}

// From left to right: instructions executed (left out where it is narrow), wavefronts or sectors, line
// number, the view's own columns, text.
struct Columns {
    float character = 0, row = 0; // pixels
    float executed = 0, transfers = 0, number = 0,
          text = 0;                         // executed ... number: right edges, from the left of the view
    std::vector<const CodeColumn*> shown{}; // the view's own for which there is room
    std::vector<float> own{};               // right edges of these
};

bool is_timed(const CodeView& view) { return !view.columns.empty() && !view.columns.front().signs.empty(); }

// Of a view so many pixels wide.
Columns columns(const Style& style, const CodeView& view, float width) {
    Columns at;
    at.character = text_size(style.mono, "0").x;
    at.row = std::round(style.mono->FontSize * 1.25f);
    float x = style.unit; // beside the bar of the current line
    if (!view.counts.empty()) {
        if (shows_executed(style, width, is_timed(view))) at.executed = x += 5 * at.character + style.unit;
        at.transfers = x += 5 * at.character + 2 * style.unit;
    }
    const float digits = !view.labels.empty()
                             ? static_cast<float>(view.labels.back().size())
                             : std::max(2.0f, std::floor(std::log10(static_cast<float>(view.lines->size()))) + 1);
    at.number = x += digits * at.character + 2 * style.unit;
    for (const CodeColumn& column : view.columns) {
        const float head = text_size(style.text, column.head).x;
        const float edge = x + std::max(static_cast<float>(column.characters) * at.character, head) + 2 * style.unit;
        if (edge + static_cast<float>(column.least_text) * at.character > width) continue;
        at.shown.push_back(&column);
        at.own.push_back(x = edge);
    }
    if (!at.own.empty()) x += style.unit;
    at.text = x + 2 * style.unit;
    return at;
}

// The longest line, in characters, near enough for a scroll bar.
float widest(const CodeView& view) {
    size_t most = 20;
    for (const CodeRow& row : view.rows)
        most = std::max(most, row.kind == CodeRow::Kind::line ? (*view.lines)[static_cast<size_t>(row.line)].size() + 8
                                                              : row.text.size());
    return static_cast<float>(most);
}

void scroll_to(const CodeView& view, float row_height) {
    Kept<int> shown("shown line", -1), text("shown text");
    const auto of = static_cast<int>(std::hash<std::string_view>{}(view.of));
    const bool same_text = text == of;
    if (same_text && shown == view.show_line) return;
    shown = view.show_line, text = of;
    for (size_t i = 0; i < view.rows.size(); ++i) {
        if (view.rows[i].kind != CodeRow::Kind::line || view.rows[i].line != view.show_line) continue;
        const float y = static_cast<float>(i) * row_height, height = ImGui::GetWindowHeight();
        if (!same_text || y < ImGui::GetScrollY() + row_height || y > ImGui::GetScrollY() + height - 3 * row_height)
            ImGui::SetScrollY(
                std::max(0.0f, std::floor((y - height * 0.4f) / row_height) * row_height)); // a whole row on top
        return;
    }
}

// Calls f(byte, bytes, width in pixels) for each character of a line of CUDA until it says no; expanded() is what is drawn.
template <class F>
void each_character(const Style& style, std::string_view line, F f) {
    const float blank = text_size(style.mono, " ").x;
    for (size_t at = 0, column = 0; at < line.size();) {
        const size_t bytes = base::first_character(line.substr(at)).bytes;
        const bool tab = line[at] == '\t';
        const float width = tab ? blank * static_cast<float>(next_stop(column) - column)
                                : text_size(style.mono, line.substr(at, bytes)).x;
        if (!f(at, bytes, width)) return;
        column = tab ? next_stop(column) : column + bytes;
        at += bytes;
    }
}

// Pixels from the begin of the line to that byte.
float x_of(const Style& style, std::string_view line, size_t byte) {
    float x = 0;
    each_character(style, line, [&](size_t at, size_t, float width) {
        if (at >= byte) return false;
        x += width;
        return true;
    });
    return x;
}

// The byte of the boundary between characters that is nearest to `x` pixels.
size_t byte_at(const Style& style, std::string_view line, float x) {
    size_t byte = line.size();
    each_character(style, line, [&](size_t at, size_t, float width) {
        if (x < width / 2) {
            byte = at;
            return false;
        }
        x -= width;
        return true;
    });
    return byte;
}

void draw_counts(const Style& style, const Columns& column, ImVec2 at, const LineCounts& counts, ImU32 executed) {
    if (counts.executed && column.executed > 0)
        text_right(style.mono, {at.x + column.executed, at.y}, executed, compact(counts.executed));
    if (!counts.transfers) return;
    ImU32 ink = style.colour.text;
    if (counts.transfers > counts.transfers_ideal) { // the more serialised, the further up the ramp
        const double degree = double(counts.transfers) / double(std::max<uint64_t>(counts.transfers_ideal, 1));
        const auto level = static_cast<size_t>(std::clamp(1 + 7 * std::log2(degree) / 5, 1.0, 8.0));
        const ImU32 ground = style.colour.ramp[level];
        ink = ink_on(ground);
        ImGui::GetWindowDrawList()->AddRectFilled(
            {at.x + column.transfers - 5 * column.character - style.unit / 2, at.y},
            {at.x + column.transfers + style.unit / 2, at.y + style.mono->FontSize}, ground);
    }
    text_right(style.mono, {at.x + column.transfers, at.y}, ink, compact(counts.transfers));
}

float tint_of(LineMark mark) {
    switch (mark) {
    case LineMark::none: return 0;
    case LineMark::linked: return 0.05f;
    case LineMark::hovered: return 0.08f;
    case LineMark::call: return 0.10f;
    case LineMark::current: return 0.15f;
    }
    return 0;
}

// What the words of such a line stand on.
ImU32 ground_of(const Style& style, LineMark mark) {
    return mixed(style.colour.panel, style.colour.selection, tint_of(mark));
}

// The bar at the left says it without the tint: wide for what is executed now, and full for the line itself.
void draw_mark(const Style& style, const Rect& row, LineMark mark) {
    if (mark == LineMark::none) return;
    fill(row, with_alpha(style.colour.selection, tint_of(mark)));
    fill({row.x, row.y, mark >= LineMark::call ? style.unit : style.unit / 2, row.height},
         with_alpha(style.colour.selection, mark == LineMark::current ? 1.0f : 0.6f));
}

class Drawing {
public:
    Drawing(Context& context, const CodeView& view)
        : context_(context), style_(context.style), view_(view),
          column_(columns(style_, view, ImGui::GetWindowWidth())) {}

    CodeHit draw() {
        if (!view_.edit || !view_.edit->focused) scroll_to(view_, column_.row);
        else hold_cursor();
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const float width =
            std::max(column_.text + widest(view_) * column_.character, ImGui::GetContentRegionAvail().x);
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(view_.rows.size()), column_.row);
        while (clipper.Step()) {
            enter(clipper.DisplayStart);
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
                row(view_.rows[static_cast<size_t>(i)]);
                ImGui::Dummy({width, column_.row});
            }
        }
        ImGui::PopStyleVar();
        if (view_.edit) find_mouse(origin);
        hit_.rows_in_sight = static_cast<int>(ImGui::GetWindowHeight() / column_.row);
        return hit_;
    }

private:
    // Scrolls to the cursor where that is asked for. Remarks that come and go above its line do not move it on the screen.
    void hold_cursor() {
        const auto is_its = [&](const CodeRow& row) {
            return row.kind == CodeRow::Kind::line && row.line == view_.edit->line;
        };
        const auto found = std::find_if(view_.rows.begin(), view_.rows.end(), is_its);
        if (found == view_.rows.end()) return;
        const int number = static_cast<int>(found - view_.rows.begin());
        Kept<int> line("cursor line", -1), row("cursor row");
        const int moved = line == view_.edit->line ? number - row : 0;
        line = view_.edit->line, row = number;
        if (moved != 0) ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(moved) * column_.row);
        if (!view_.edit->reveal) return;
        const float y = static_cast<float>(number) * column_.row, height = ImGui::GetWindowHeight();
        const float bottom = height - 3 * column_.row; // a scroll bar may lie over the last row
        if (y < ImGui::GetScrollY()) ImGui::SetScrollY(std::max(y - column_.row, 0.0f));
        else if (y > ImGui::GetScrollY() + bottom) ImGui::SetScrollY(y - bottom);
        const float x = x_of(style_, (*view_.lines)[static_cast<size_t>(view_.edit->line)], view_.edit->column);
        const float room = ImGui::GetWindowWidth() - column_.text - 6 * column_.character;
        if (x < ImGui::GetScrollX()) ImGui::SetScrollX(std::max(x - 8 * column_.character, 0.0f));
        else if (x > ImGui::GetScrollX() + room) ImGui::SetScrollX(x - room + 8 * column_.character);
    }

    void find_mouse(ImVec2 origin) {
        const ImVec2 mouse = ImGui::GetMousePos();
        if (view_.rows.empty() || mouse.y < -1e6f) return;
        const auto last = static_cast<float>(view_.rows.size() - 1);
        const float at = std::clamp(std::floor((mouse.y - origin.y) / column_.row), 0.0f, last);
        auto row = static_cast<size_t>(at);
        while (row > 0 && view_.rows[row].kind != CodeRow::Kind::line) --row;
        if (view_.rows[row].kind != CodeRow::Kind::line) return;
        hit_.line = view_.rows[row].line;
        hit_.column =
            byte_at(style_, (*view_.lines)[static_cast<size_t>(hit_.line)], mouse.x - origin.x - column_.text);
        const Rect text{ImGui::GetWindowPos().x + column_.text - style_.unit, ImGui::GetWindowPos().y,
                        ImGui::GetWindowWidth(), ImGui::GetWindowHeight()};
        if (!text.contains(mouse) || !ImGui::IsWindowHovered()) return;
        ImGui::SetMouseCursor(view_.edit->focused ? ImGuiMouseCursor_TextInput : ImGuiMouseCursor_Arrow);
        hit_.pressed = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                       view_.rows[static_cast<size_t>(at)].kind != CodeRow::Kind::fold;
        hit_.double_clicked = hit_.pressed && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    }

    // Below the letters: what is selected and found, and the line of the cursor.
    void ground(int line, std::string_view text, const Rect& box, float x) {
        const CodeEdit& edit = *view_.edit;
        ImDrawList* list = ImGui::GetWindowDrawList();
        const auto spans = [&](const std::vector<CodeEdit::Span>& all, ImU32 colour) {
            for (const CodeEdit::Span& span : all) {
                if (span.line != line) continue;
                const float end = span.last == std::string::npos ? x_of(style_, text, text.size()) + column_.character
                                                                 : x_of(style_, text, span.last);
                list->AddRectFilled({x + x_of(style_, text, span.first), box.y}, {x + end, box.bottom()}, colour);
            }
        };
        if (edit.focused && edit.line == line)
            list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, with_alpha(style_.colour.text, 0.05f));
        spans(edit.found, with_alpha(style_.colour.store, 0.30f));
        spans(edit.selected, with_alpha(style_.colour.load, edit.focused || !edit.found.empty() ? 0.42f : 0.22f));
    }

    void cursor(std::string_view text, const Rect& box, float x) {
        const float at = std::floor(x + x_of(style_, text, view_.edit->column));
        const float width = std::max(std::round(style_.unit / 2), 2.0f);
        ImGui::GetWindowDrawList()->AddRectFilled({at - width / 2, box.y}, {at + width / 2, box.bottom()},
                                                  style_.colour.text);
        context_.probe.mark(std::string(view_.id) + ".cursor", at, box.y, width, box.height);
    }

    // Whether the first line to be drawn lies in a comment that began above it.
    void enter(int first_row) {
        next_line_ = 0;
        in_comment_ = false;
        if (view_.syntax == Syntax::cuda && first_row < static_cast<int>(view_.rows.size()))
            skip_to(view_.rows[static_cast<size_t>(first_row)].line);
    }

    void skip_to(int line) {
        if (view_.syntax == Syntax::ptx) return;
        for (; next_line_ < line; ++next_line_) skip_line((*view_.lines)[static_cast<size_t>(next_line_)], in_comment_);
    }

    void row(const CodeRow& row) {
        const ImVec2 cursor = ImGui::GetCursorScreenPos();
        const float left = ImGui::GetWindowPos().x; // the margin stays while the text scrolls sideways
        const Rect box{left, cursor.y, ImGui::GetWindowWidth(), column_.row};
        const float y = cursor.y + std::floor((column_.row - style_.mono->FontSize) / 2);
        const bool over = hovered(box);
        if (row.kind != CodeRow::Kind::line) return remark(row, box, y, over);
        skip_to(row.line);
        const LineMark mark = view_.marks.empty() ? LineMark::none : view_.marks[static_cast<size_t>(row.line)];
        draw_mark(style_, box, mark);
        ImDrawList* list = ImGui::GetWindowDrawList();
        const std::string_view words = (*view_.lines)[static_cast<size_t>(row.line)];
        list->PushClipRect({left + column_.text - style_.unit, box.y}, {box.right(), box.bottom()}, true);
        if (view_.edit) ground(row.line, words, box, cursor.x + column_.text);
        draw_code_line(style_, view_.syntax, {cursor.x + column_.text, y}, words, in_comment_, ground_of(style_, mark));
        if (view_.edit && view_.edit->focused && view_.edit->line == row.line)
            this->cursor(words, box, cursor.x + column_.text);
        list->PopClipRect();
        if (view_.edit && static_cast<size_t>(row.line) < view_.edit->changed.size() &&
            view_.edit->changed[static_cast<size_t>(row.line)])
            list->AddRectFilled({left + column_.text - 1.5f * style_.unit, box.y},
                                {left + column_.text - style_.unit, box.bottom()}, style_.colour.selection);
        next_line_ = row.line + 1;
        const std::string number = std::to_string(row.line + 1);
        const bool flagged = !view_.flagged.empty() && view_.flagged[static_cast<size_t>(row.line)];
        text_right(style_.mono, {left + column_.number, y},
                   flagged                  ? style_.colour.alarm
                   : mark != LineMark::none ? style_.colour.text
                                            : style_.colour.dim,
                   view_.labels.empty() ? number : view_.labels[static_cast<size_t>(row.line)]);
        for (size_t i = 0; i < column_.own.size(); ++i) cell(i, static_cast<size_t>(row.line), {left, y}, over);
        if (flagged) // beside the number: colour alone would not say it
            list->AddRectFilled({left + column_.number + style_.unit / 2, box.y},
                                {left + column_.number + style_.unit, box.bottom()}, style_.colour.finding);
        if (!view_.counts.empty())
            draw_counts(style_, column_, {left, y}, view_.counts[static_cast<size_t>(row.line)],
                        mark == LineMark::none ? style_.colour.dim : style_.colour.text);
        context_.probe.mark(std::string(view_.id) + ".line." + number, box.x, box.y, box.width, box.height);
        if (over) {
            hit_.hovered = row.line;
            hit_.in_margin = !view_.counts.empty() && ImGui::GetMousePos().x < left + column_.transfers;
        }
        if (clicked(box)) hit_.clicked = row.line;
    }

    void cell(size_t number, size_t line, ImVec2 at, bool over) {
        const CodeColumn& column = *column_.shown[number];
        const float right = at.x + column_.own[number], height = style_.mono->FontSize;
        const float width = static_cast<float>(column.characters) * column_.character, mouse = ImGui::GetMousePos().x;
        text_right(style_.mono, {right, at.y}, column.signs.empty() ? style_.colour.dim : style_.colour.text,
                   column.cells[line]);
        if (over && mouse >= right - width && mouse < right) hit_.over_column = column_.shown[number];
        if (column.signs.empty() || column.cells[line].empty()) return;
        const CodeSign& sign = column.signs[line];
        draw_wait(style_, {right - width, at.y + 1, 2 * column_.character - 2, height - 2}, sign.why);
        fill({right - width, at.y + height, width * sign.share, std::max(1.0f, style_.unit / 2)}, style_.colour.text);
    }

    void remark(const CodeRow& row, const Rect& box, float y, bool over) {
        const bool fold = row.kind == CodeRow::Kind::fold;
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (!fold) {
            list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, with_alpha(style_.colour.finding, 0.22f));
            list->AddRectFilled({box.x, box.y}, {box.x + style_.unit, box.bottom()}, style_.colour.finding);
        }
        const float x = box.x + column_.text;
        text_cut(context_, style_.text, {x, y}, box.right() - x - 4 * style_.unit,
                 fold && !over ? style_.colour.dim : style_.colour.text, row.text);
        if (!fold) return context_.probe.mark(std::string(view_.id) + ".remark", box.x, box.y, box.width, box.height);
        context_.probe.mark(std::string(view_.id) + ".fold", box.x, box.y, box.width, box.height);
        if (clicked(box)) hit_.fold_clicked = true;
    }

    Context& context_;
    const Style& style_;
    const CodeView& view_;
    Columns column_;
    CodeHit hit_;
    int next_line_ = 0;
    bool in_comment_ = false;
};

} // namespace

void draw_code_line(const Style& style, Syntax syntax, ImVec2 at, std::string_view raw, bool& in_comment,
                    std::optional<ImU32> ground) {
    const std::string line = expanded(syntax, raw);
    std::vector<TokenSpan> spans;
    highlight(syntax, line, in_comment, spans);
    uint32_t done = 0;
    const auto piece = [&](uint32_t begin, uint32_t end, Token token) {
        if (end <= begin) return;
        const std::string_view part = std::string_view(line).substr(begin, end - begin);
        if (part.find_first_not_of(' ') != std::string_view::npos)
            text(style.mono, at,
                 legible(token_colour(style.colour, token), ground.value_or(style.colour.panel), style.colour.text),
                 part);
        at.x += text_size(style.mono, part).x;
    };
    for (const TokenSpan& span : spans) {
        piece(done, span.begin, Token::plain);
        piece(span.begin, span.end, span.token);
        done = span.end;
    }
    piece(done, static_cast<uint32_t>(line.size()), Token::plain);
}

namespace {

// What stands in the columns, above them; the text below keeps its place while it scrolls.
void draw_heads(Context& context, const CodeView& view) {
    const Style& style = context.style;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Columns column = columns(style, view, ImGui::GetContentRegionAvail().x);
    const float height = style.text->FontSize;
    text_right(style.text, {at.x + column.number, at.y}, style.colour.dim, view.label_head);
    float left = at.x + column.number;
    for (size_t i = 0; i < column.own.size(); ++i) {
        const float right = at.x + column.own[i];
        text_right(style.text, {right, at.y}, style.colour.dim, column.shown[i]->head);
        context.probe.mark(fmt::format("{}.column.{}", view.id, i), left, at.y, right - left, height);
        if (hovered({left, at.y, right - left, height})) tooltip(context, column.shown[i]->tip);
        left = right;
    }
    ImGui::Dummy({0, height});
}

} // namespace

bool shows_executed(const Style& style, float width, bool timed) {
    const float least = timed ? 58 : 48; // characters
    return width > least * text_size(style.mono, "0").x;
}

CodeHit draw_code_view(Context& context, const CodeView& view) {
    const float top = ImGui::GetCursorPosY();
    if (view.heads && !view.columns.empty()) draw_heads(context, view);
    const float height = view.height > 0 ? std::max(1.0f, view.height - (ImGui::GetCursorPosY() - top)) : 0;
    ImGui::BeginChild(view.id, {0, height}, false, ImGuiWindowFlags_HorizontalScrollbar);
    const CodeHit hit = Drawing(context, view).draw();
    ImGui::EndChild();
    return hit;
}

std::string compact(uint64_t value) {
    if (value < 1000) return std::to_string(value);
    const char* unit = "kMGTPE";
    double scaled = static_cast<double>(value) / 1000;
    for (; scaled >= 999.5 && unit[1]; ++unit) scaled /= 1000;
    return fmt::format("{}{}",
                       scaled < 9.995   ? fmt::format("{:.2f}", scaled)
                       : scaled < 99.95 ? fmt::format("{:.1f}", scaled)
                                        : fmt::format("{:.0f}", scaled),
                       *unit);
}

} // namespace ui
