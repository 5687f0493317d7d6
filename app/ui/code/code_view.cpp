#include "ui/code/code_view.h"

#include "ui/draw/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// Tabs as spaces. PTX: operands in one column, so that a narrow panel still shows them.
std::string expanded(Syntax syntax, std::string_view line) {
    std::string out;
    for (const char c : line) {
        if (c != '\t') {
            out += c;
            continue;
        }
        const bool leading = out.find_first_not_of(' ') == std::string::npos;
        const size_t column = syntax == Syntax::cuda ? (out.size() / 4 + 1) * 4
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
// number, text.
struct Columns {
    float character = 0, row = 0; // pixels
    float executed = 0, transfers = 0, number = 0,
          text = 0; // executed ... number: right edges, from the left of the view
};

Columns columns(const Style& style, const CodeView& view) {
    Columns at;
    at.character = text_size(style.mono, "0").x;
    at.row = std::round(style.mono->FontSize * 1.25f);
    float x = style.unit; // beside the bar of the current line
    if (!view.counts.empty()) {
        if (ImGui::GetWindowWidth() > 48 * at.character) at.executed = x += 5 * at.character + style.unit;
        at.transfers = x += 5 * at.character + 2 * style.unit;
    }
    const float digits = std::max(2.0f, std::floor(std::log10(static_cast<float>(view.lines->size()))) + 1);
    at.number = x += digits * at.character + 2 * style.unit;
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
    ImGuiStorage* storage = ImGui::GetStateStorage();
    const ImGuiID shown = ImGui::GetID("shown line"), text = ImGui::GetID("shown text");
    const auto of = static_cast<int>(std::hash<std::string_view>{}(view.of));
    const bool same_text = storage->GetInt(text, 0) == of;
    if (same_text && storage->GetInt(shown, -1) == view.show_line) return;
    storage->SetInt(shown, view.show_line);
    storage->SetInt(text, of);
    for (size_t i = 0; i < view.rows.size(); ++i) {
        if (view.rows[i].kind != CodeRow::Kind::line || view.rows[i].line != view.show_line) continue;
        const float y = static_cast<float>(i) * row_height, height = ImGui::GetWindowHeight();
        if (!same_text || y < ImGui::GetScrollY() + row_height || y > ImGui::GetScrollY() + height - 3 * row_height)
            ImGui::SetScrollY(std::max(0.0f, y - height * 0.4f));
        return;
    }
}

void draw_counts(const Style& style, const Columns& column, ImVec2 at, const LineCounts& counts) {
    if (counts.executed && column.executed > 0)
        text_right(style.mono, {at.x + column.executed, at.y}, style.colour.dim, compact(counts.executed));
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

void draw_mark(const Style& style, const Rect& row, LineMark mark) {
    if (mark == LineMark::none) return;
    const float alpha = mark == LineMark::current   ? 0.24f
                        : mark == LineMark::call    ? 0.16f
                        : mark == LineMark::hovered ? 0.13f
                                                    : 0.07f;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({row.x, row.y}, {row.right(), row.bottom()}, with_alpha(style.colour.selection, alpha));
    const float bar = mark >= LineMark::call ? style.unit : style.unit / 2;
    list->AddRectFilled({row.x, row.y}, {row.x + bar, row.bottom()},
                        with_alpha(style.colour.selection, mark == LineMark::current ? 1.0f : 0.5f));
}

class Drawing {
public:
    Drawing(Context& context, const CodeView& view)
        : context_(context), style_(context.style), view_(view), column_(columns(style_, view)) {}

    CodeHit draw() {
        scroll_to(view_, column_.row);
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
        return hit_;
    }

private:
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
        list->PushClipRect({left + column_.text - style_.unit, box.y}, {box.right(), box.bottom()}, true);
        draw_code_line(style_, view_.syntax, {cursor.x + column_.text, y},
                       (*view_.lines)[static_cast<size_t>(row.line)], in_comment_);
        list->PopClipRect();
        next_line_ = row.line + 1;
        const std::string number = std::to_string(row.line + 1);
        const bool flagged = !view_.flagged.empty() && view_.flagged[static_cast<size_t>(row.line)];
        text_right(style_.mono, {left + column_.number, y},
                   flagged                     ? style_.colour.finding
                   : mark == LineMark::current ? style_.colour.text
                                               : style_.colour.dim,
                   number);
        if (flagged) // beside the number: colour alone would not say it
            list->AddRectFilled({left + column_.number + style_.unit / 2, box.y},
                                {left + column_.number + style_.unit, box.bottom()}, style_.colour.finding);
        if (!view_.counts.empty()) draw_counts(style_, column_, {left, y}, view_.counts[static_cast<size_t>(row.line)]);
        context_.probe.mark(std::string(view_.id) + ".line." + number, box.x, box.y, box.width, box.height);
        if (over) {
            hit_.hovered = row.line;
            hit_.in_margin = !view_.counts.empty() && ImGui::GetMousePos().x < left + column_.transfers;
        }
        if (clicked(box)) hit_.clicked = row.line;
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

void draw_code_line(const Style& style, Syntax syntax, ImVec2 at, std::string_view raw, bool& in_comment) {
    const std::string line = expanded(syntax, raw);
    std::vector<TokenSpan> spans;
    highlight(syntax, line, in_comment, spans);
    uint32_t done = 0;
    const auto piece = [&](uint32_t begin, uint32_t end, Token token) {
        if (end <= begin) return;
        const std::string_view part = std::string_view(line).substr(begin, end - begin);
        if (part.find_first_not_of(' ') != std::string_view::npos)
            text(style.mono, at, token_colour(style.colour, token), part);
        at.x += text_size(style.mono, part).x;
    };
    for (const TokenSpan& span : spans) {
        piece(done, span.begin, Token::plain);
        piece(span.begin, span.end, span.token);
        done = span.end;
    }
    piece(done, static_cast<uint32_t>(line.size()), Token::plain);
}

CodeHit draw_code_view(Context& context, const CodeView& view) {
    ImGui::BeginChild(view.id, {0, view.height}, false, ImGuiWindowFlags_HorizontalScrollbar);
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
