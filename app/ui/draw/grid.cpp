#include "ui/draw/grid.h"

#include <bit>

namespace ui {

namespace {

ImDrawList* list() { return ImGui::GetWindowDrawList(); }

} // namespace

void fill(const Rect& area, ImU32 colour) {
    if (area.width > 0 && area.height > 0)
        list()->AddRectFilled({area.x, area.y}, {area.right(), area.bottom()}, colour);
}

void outline(const Rect& area, ImU32 colour, float thickness) {
    const float t = std::min({thickness, area.width / 2, area.height / 2});
    if (t <= 0) return;
    fill({area.x, area.y, area.width, t}, colour);
    fill({area.x, area.bottom() - t, area.width, t}, colour);
    fill({area.x, area.y + t, t, area.height - 2 * t}, colour);
    fill({area.right() - t, area.y + t, t, area.height - 2 * t}, colour);
}

void mark_selected(const Context& context, const Rect& area) {
    const float thickness = std::max(2.0f, context.style.unit / 2);
    const Rect around{area.x - 1, area.y - 1, area.width + 2, area.height + 2};
    outline({around.x - 1, around.y - 1, around.width + 2, around.height + 2}, context.style.colour.background, 1);
    outline(around, context.style.colour.selection, thickness);
    outline({around.x + thickness, around.y + thickness, around.width - 2 * thickness, around.height - 2 * thickness},
            context.style.colour.background, 1);
}

void mark_hovered(const Context& context, const Rect& area) {
    outline(area, with_alpha(context.style.colour.selection, 0.6f), std::max(1.0f, context.style.unit / 2));
}

void hatch(const Rect& area, ImU32 colour, float spacing) {
    if (area.width <= 0 || area.height <= 0 || spacing < 1) return;
    // Lines x + y = d in the rectangle's own coordinates; the pattern is fixed to the screen so that neighbours join.
    const float start = spacing - std::fmod(area.x + area.y, spacing);
    for (float d = start; d < area.width + area.height; d += spacing) {
        const float x0 = std::max(0.0f, d - area.height), x1 = std::min(d, area.width);
        list()->AddLine({area.x + x0, area.y + d - x0}, {area.x + x1, area.y + d - x1}, colour);
    }
}

void dashed_line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness, float dash) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (!(length > 0) || dash < 1) return;
    const auto at = [&](float along) {
        const float share = std::min(along / length, 1.0f);
        return ImVec2(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y));
    };
    for (float along = 0; along < length; along += 2 * dash)
        list()->AddLine(at(along), at(along + dash), colour, thickness);
}

std::string lane_list(uint32_t lanes, size_t limit) {
    std::string words;
    for (int lane = 0; lane < 32; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        int last = lane;
        while (last < 31 && (lanes >> (last + 1) & 1)) ++last;
        if (!words.empty()) words += ',';
        words += std::to_string(lane);
        if (last > lane) words += (last == lane + 1 ? "," : "-") + std::to_string(last);
        lane = last;
    }
    return words.size() <= limit ? words : fmt::format("\u00d7{}", std::popcount(lanes));
}

std::string element_name(const std::string& array, uint64_t row, uint64_t column) {
    return fmt::format("{}[{}][{}]", array, row, column);
}

std::string element_run(const std::string& array, uint64_t row, uint64_t column, uint64_t last_row,
                        uint64_t last_column) {
    if (row == last_row && column == last_column) return element_name(array, row, column);
    if (row == last_row) return fmt::format("{}[{}][{}..{}]", array, row, column, last_column);
    if (column == last_column) return fmt::format("{}[{}..{}][{}]", array, row, last_row, column);
    return fmt::format("{}[{}..{}][{}..{}]", array, row, last_row, column, last_column);
}

std::string element_run(const std::string& array, const analysis::Rectangle& box) {
    return element_run(array, box.row, box.column, uint64_t{box.row} + std::max(box.rows, 1u) - 1,
                       uint64_t{box.column} + std::max(box.columns, 1u) - 1);
}

Rect Plane::rect(const analysis::Rectangle& box) const {
    const ImVec2 low = at(box.row, box.column);
    const ImVec2 high = at(double{1} * box.row + box.rows, double{1} * box.column + box.columns);
    const float x0 = std::clamp(low.x, area.x, area.right()), x1 = std::clamp(high.x, area.x, area.right());
    const float y0 = std::clamp(low.y, area.y, area.bottom()), y1 = std::clamp(high.y, area.y, area.bottom());
    return {x0, y0, x1 - x0, y1 - y0};
}

Rect Plane::whole(const analysis::Rectangle& box) const {
    const ImVec2 low = at(box.row, box.column);
    return {low.x, low.y, static_cast<float>(box.columns * scale), static_cast<float>(box.rows * scale)};
}

WordRows word_rows(const Rect& area, float label, float header, float height, float gap) {
    WordRows rows{area, label, header, 0, height, gap};
    const float room = area.width - label - 3 * gap;
    rows.cell = std::max(room / 32, 1.0f);
    if (rows.cell > 8) rows.cell = std::floor(rows.cell);
    return rows;
}

void draw_word_header(Context& context, const WordRows& rows, std::string_view title, int hovered_word,
                      std::string_view letter) {
    const Style& style = context.style;
    const float character = text_size(style.mono, "0").x;
    const float number = 2.5f * character + text_size(style.mono, letter).x; // with what parts it from the next
    const int every = rows.cell >= number ? 1 : rows.cell * 4 >= number ? 4 : 8;
    // The first number may be wider than its cell.
    const float free = rows.label - 2 * style.unit - std::max(0.0f, (number - rows.cell) / 2 - style.unit);
    const float room = std::min(text_size(style.text, title).x, free);
    text_cut(context, style.text, {rows.area.x + free - room, rows.area.y}, room + 1, style.colour.dim, title);
    for (int word = 0; word < 32; ++word) {
        const bool hovered = word == hovered_word;
        const bool covered =
            hovered_word >= 0 && static_cast<float>(std::abs(word - hovered_word)) * rows.cell < number;
        if (!hovered && (covered || word % every != 0)) continue;
        const Rect place{rows.x(word), rows.area.y, rows.cell, rows.header};
        text_centred(style.mono, place, hovered ? style.colour.text : style.colour.dim,
                     std::string(letter) + std::to_string(word));
    }
}

void draw_empty_row(Context& context, const WordRows& rows, float y) {
    const Style& style = context.style;
    const float inset = rows.cell > 6 ? 1.0f : 0.0f, lower = rows.height > 5 ? 1.0f : 0.0f;
    if (inset == 0) {
        for (int eighth = 0; eighth < 4; ++eighth) {
            Rect place = rows.words(y, eighth * 8, 8);
            place.height -= lower;
            fill(place, with_alpha(style.colour.line, 0.45f));
        }
        return;
    }
    for (int word = 0; word < 32; ++word)
        fill({rows.x(word), y, rows.cell - inset, rows.height - lower}, with_alpha(style.colour.line, 0.45f));
}

namespace detail {

void Mean::add(ImU32 colour) {
    const uint32_t alpha = colour >> IM_COL32_A_SHIFT & 255;
    r += (colour >> IM_COL32_R_SHIFT & 255) * alpha;
    g += (colour >> IM_COL32_G_SHIFT & 255) * alpha;
    b += (colour >> IM_COL32_B_SHIFT & 255) * alpha;
    a += alpha;
    ++count;
}

ImU32 Mean::value() const {
    if (a == 0) return 0;
    return IM_COL32(r / a, g / a, b / a, a / count);
}

void RunPainter::emit(const Run& run, double end_row) const {
    const ImVec2 low = plane_.at(run.row, run.first), high = plane_.at(end_row, run.last);
    const Rect& area = plane_.area;
    list()->AddRectFilled({std::max(low.x, area.x), std::max(low.y, area.y)},
                          {std::min(high.x, area.right()), std::min(high.y, area.bottom())}, run.colour);
}

void RunPainter::run(double row, double first, double last, ImU32 colour) {
    row_ = row;
    while (candidate_ < open_.size() && open_[candidate_].first < first) emit(open_[candidate_++], row);
    Run run{row, first, last, colour};
    if (candidate_ < open_.size()) {
        const Run& above = open_[candidate_];
        if (above.first == first && above.last == last && above.colour == colour) {
            run.row = above.row;
            ++candidate_;
        }
    }
    next_.push_back(run);
}

void RunPainter::end_row(double next_row) {
    // What was not continued ended where this row began.
    while (candidate_ < open_.size()) emit(open_[candidate_++], row_);
    std::swap(open_, next_);
    next_.clear();
    candidate_ = 0;
    row_ = next_row;
}

RunPainter::~RunPainter() {
    for (const Run& run : open_) emit(run, row_);
}

} // namespace detail

} // namespace ui
