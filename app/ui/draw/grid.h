// What the grid-like views share: a paintbrush for matrix elements at any zoom, rows of 32 words, hatching, the
// words of the tables with numbers filled in.
#pragma once

#include "ui/draw/draw.h"
#include "views/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace ui {

// A text of the tables with its {} filled in.
template <class... Args>
std::string say(const Context& context, std::string_view key, const Args&... args) {
    return views::say(context.tr, key, args...);
}

void fill(const Rect&, ImU32 colour);
void outline(const Rect&, ImU32 colour, float thickness = 1); // within the rectangle
// The outline of what is selected: readable on any ground.
void mark_selected(const Context&, const Rect&);
void mark_hovered(const Context&, const Rect&);
// Diagonal lines `spacing` pixels apart, cut off at the rectangle's edges.
void hatch(const Rect&, ImU32 colour, float spacing);
void dashed_line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness,
                 float dash); // dashes and gaps of that many pixels

// "3", "0-15", "0,2,4" or, where that is longer than `limit` characters, "×16", how many.
std::string lane_list(uint32_t lanes, size_t limit = 1000);
// "A[12][3]".
std::string element_name(const std::string& array, uint64_t row, uint64_t column);
// "A[12][3..6]" or "A[12..15][3]" for neighbours, else the first and "...".
std::string element_run(const std::string& array, uint64_t row, uint64_t column, uint64_t last_row,
                        uint64_t last_column);
std::string element_run(const std::string& array, const analysis::Rectangle&);

// A window on a matrix: element (row, column) of the plane lies at the pixel that at() says.
struct Plane {
    Rect area;                  // clipped to this
    double scale = 1;           // pixels per element
    double row = 0, column = 0; // of the plane, at the area's upper left corner
    ImVec2 at(double r, double c) const {
        return {static_cast<float>(area.x + (c - column) * scale), static_cast<float>(area.y + (r - row) * scale)};
    }
    double row_at(float y) const { return row + (y - area.y) / scale; }
    double column_at(float x) const { return column + (x - area.x) / scale; }
    // Of a box of elements, cut off at the area; width or height 0 when nothing of it is to be seen.
    Rect rect(const analysis::Rectangle&) const;
    // The same not cut off, for outlines: their sides must not appear where the box goes on. Needs a clip rectangle.
    Rect whole(const analysis::Rectangle&) const;
};

// Colours the elements of `box` that are in view: `colour_of(row, column)` gives a colour, 0 for none. Neighbours of
// one colour become one rectangle; below two pixels an element, a cell of several shows their mean.
template <class ColourOf>
void paint(const Plane&, const analysis::Rectangle& box, ColourOf&& colour_of);

// Rows of 32 words with a label column at the left, as banks, lines and shared memory are drawn.
struct WordRows {
    Rect area;                  // header and rows
    float label = 0;            // width of the label column
    float header = 0;           // height of the line of numbers
    float cell = 0, height = 0; // of a word, in pixels
    float gap = 0;              // after every 8 words
    float x(int word) const {
        return area.x + label + static_cast<float>(word) * cell + static_cast<float>(word / 8) * gap;
    }
    Rect words(float y, int first, int count) const {
        return {x(first), y, x(first + count - 1) + cell - x(first), height};
    }
    float right() const { return x(31) + cell; }
};
WordRows word_rows(const Rect& area, float label, float header, float height, float gap);
// The numbers 0..31 over the columns, each after `letter`, as many as there is room for; `title` over the labels.
void draw_word_header(Context&, const WordRows&, std::string_view title, int hovered_word,
                      std::string_view letter = "");
// Faint cells of a row.
void draw_empty_row(Context&, const WordRows&, float y);

// ---

namespace detail {

struct Mean { // of colours with their alphas
    uint32_t r = 0, g = 0, b = 0, a = 0, count = 0;
    void add(ImU32 colour);
    ImU32 value() const;
};

class RunPainter { // joins runs of one colour along a row and the same run in the rows below
public:
    explicit RunPainter(const Plane& plane) : plane_(plane) {}
    void run(double row, double first, double last, ImU32 colour);
    void end_row(double next_row);
    ~RunPainter();

private:
    struct Run {
        double row, first, last;
        ImU32 colour;
    };
    void emit(const Run&, double end_row) const;
    const Plane& plane_;
    double row_ = 0;
    std::vector<Run> open_, next_;
    size_t candidate_ = 0;
};

} // namespace detail

template <class ColourOf>
void paint(const Plane& plane, const analysis::Rectangle& box, ColourOf&& colour_of) {
    const auto from = [](double value, int64_t low) { return std::max(static_cast<int64_t>(std::floor(value)), low); };
    const auto to = [](double value, int64_t high) { return std::min(static_cast<int64_t>(std::ceil(value)), high); };
    const int64_t step = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(2 / plane.scale)));
    int64_t top = from(plane.row, box.row), left = from(plane.column, box.column);
    const int64_t bottom = to(plane.row_at(plane.area.bottom()), int64_t{box.row} + box.rows);
    const int64_t right = to(plane.column_at(plane.area.right()), int64_t{box.column} + box.columns);
    top -= (top - box.row) % step, left -= (left - box.column) % step; // cells stand still while panning
    const int64_t sample = std::max<int64_t>(1, step / 4);
    const auto cell = [&](int64_t row, int64_t column) -> ImU32 {
        if (step == 1) return colour_of(row, column);
        detail::Mean mean;
        for (int64_t r = row; r < std::min(row + step, bottom); r += sample)
            for (int64_t c = column; c < std::min(column + step, right); c += sample) mean.add(colour_of(r, c));
        return mean.value();
    };
    detail::RunPainter painter(plane);
    for (int64_t row = top; row < bottom; row += step) {
        int64_t first = left;
        ImU32 colour = left < right ? cell(row, left) : 0;
        for (int64_t column = left + step; column < right; column += step) {
            const ImU32 here = cell(row, column);
            if (here == colour) continue;
            if (colour)
                painter.run(static_cast<double>(row), static_cast<double>(first), static_cast<double>(column), colour);
            first = column;
            colour = here;
        }
        if (colour)
            painter.run(static_cast<double>(row), static_cast<double>(first), static_cast<double>(right), colour);
        painter.end_row(static_cast<double>(std::min(row + step, bottom)));
    }
}

} // namespace ui
