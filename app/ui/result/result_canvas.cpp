#include "ui/result/result_canvas.h"

namespace ui {

namespace {

// First element in view of `extent`, `visible` fitting, so that `middle` is in the middle if that leaves no gap.
double first_visible(double middle, double visible, double extent) {
    return std::clamp(middle - visible / 2, 0.0, std::max(extent - visible, 0.0));
}

} // namespace

Canvas result_canvas(const Rect& room, int m, int n, double zoom, double pan_x, double pan_y, float least,
                     double largest) {
    double scale = std::min(static_cast<double>(room.width) / n, static_cast<double>(room.height) / m);
    constexpr double worth = 0.85; // of the size, to have all elements equally large
    if (std::floor(scale) >= worth * scale) scale = std::floor(scale);
    const double across = std::max(scale, static_cast<double>(std::min(least, room.width)) / n);
    const double down = std::max(scale, static_cast<double>(std::min(least, room.height)) / m);

    Canvas canvas;
    canvas.zoom = std::clamp(zoom, 1.0, std::max(largest / std::min(across, down), 1.0));
    canvas.per_column = across * canvas.zoom, canvas.per_row = down * canvas.zoom;
    const auto pixels = [](double wish, float most) {
        return static_cast<float>(std::max(1.0, std::floor(std::min(wish + 1e-6, static_cast<double>(most)))));
    };
    canvas.area = {std::floor(room.x), std::floor(room.y), pixels(canvas.per_column * n, room.width),
                   pixels(canvas.per_row * m, room.height)};
    if (canvas.zoom == 1) { // no part of a pixel is left over at the edges
        canvas.per_column = static_cast<double>(canvas.area.width) / n;
        canvas.per_row = static_cast<double>(canvas.area.height) / m;
    }
    const double columns = static_cast<double>(canvas.area.width) / canvas.per_column,
                 rows = static_cast<double>(canvas.area.height) / canvas.per_row;
    canvas.column = first_visible(n / 2.0 + pan_x, columns, n);
    canvas.row = first_visible(m / 2.0 + pan_y, rows, m);
    canvas.pan_x = canvas.column + columns / 2 - n / 2.0;
    canvas.pan_y = canvas.row + rows / 2 - m / 2.0;
    return canvas;
}

} // namespace ui
