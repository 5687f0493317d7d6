// Where the elements of C lie in the Result view at some zoom and pan. No drawing here.
#pragma once

#include "ui/draw/grid.h"

namespace ui {

// Elements are square, but of a matrix that would be a line, which is widened.
struct Canvas {
    Rect area;                          // that shows elements; nothing of C lies outside when zoom is 1
    double per_row = 1, per_column = 1; // pixels of an element
    double row = 0, column = 0;         // of C, at the area's upper left corner
    double zoom = 1;                    // the view's, within what makes sense
    double pan_x = 0, pan_y = 0;        // likewise

    ImVec2 at(double r, double c) const {
        return {static_cast<float>(area.x + (c - column) * per_column),
                static_cast<float>(area.y + (r - row) * per_row)};
    }
    double row_at(float y) const { return row + static_cast<double>(y - area.y) / per_row; }
    double column_at(float x) const { return column + static_cast<double>(x - area.x) / per_column; }
    // Not cut off at the area.
    Rect rect(const analysis::Rectangle& box) const {
        const ImVec2 from = at(box.row, box.column),
                     to = at(double{1} * box.row + box.rows, double{1} * box.column + box.columns);
        return {from.x, from.y, to.x - from.x, to.y - from.y};
    }
};

// At zoom 1 all of m x n fits into `room`, each side at least `least` pixels; elements are whole pixels where that costs little.
// Zoomed in, the picture takes the whole room. `pan_x`, `pan_y`: elements from C's middle to the picture's. `largest`: pixels of
// an element beyond which zooming ends.
Canvas result_canvas(const Rect& room, int m, int n, double zoom, double pan_x, double pan_y, float least,
                     double largest);

} // namespace ui
