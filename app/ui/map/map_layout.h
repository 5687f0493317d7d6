// Where A, B and C lie on the map, from the view's zoom and pan: C at the corner, A left of it with the same
// rows, B above it with the same columns, or nothing. No drawing here.
#pragma once

#include "ui/draw/grid.h"

namespace ui {

struct MapSize { // elements: C is m x n, A m x k, B k x n; of an operation on A alone A is m x n and there is
                 // no B
    double m = 1, n = 1, k = 1;
    bool has_b = true;
};

// What the map should show of the k axis when not all of it fits: this stays in view.
struct KRange {
    double first = 0, last = 0; // half-open
};

struct MapLayout {
    Rect area; // all of it
    Plane a, b, c;
    float ruler_left = 0, ruler_top = 0; // room for the indices
    Rect corner;                         // left above, free for the legend; may be empty
    double scale = 1;                    // pixels per element
    double zoom = 1;                     // the view's, within what makes sense
    double pan_x = 0, pan_y = 0;         // likewise
};

// `box`: elements of C of the selected block, which fills its pane at zoom 1. `gap`: pixels between the matrices.
MapLayout map_layout(const Rect& area, const MapSize&, const analysis::Rectangle& box, KRange k, double zoom,
                     double pan_x, double pan_y, float ruler_left, float ruler_top, float gap);

// Zoom and pan at which the whole grid is seen, and the pan that keeps `(row, column)` of C under the pixel `at`
// after the zoom has been changed to `zoom`.
double whole_zoom(const Rect& area, const MapSize&, const analysis::Rectangle& box, float ruler_left, float ruler_top,
                  float gap);

} // namespace ui
