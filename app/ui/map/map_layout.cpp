#include "ui/map/map_layout.h"

namespace ui {

namespace {

constexpr double least_share = 0.36; // of the panel's height or width that A and B may claim from C
constexpr double block_share_x = 0.5, block_share_y = 0.62; // of the panel that the block fills at zoom 1
constexpr double largest_element = 160;                     // pixels

// Pixels per element at zoom 1 and when the whole grid is seen.
struct Scales {
    double block = 1, whole = 1;
};

Scales scales(double width, double height, const MapSize& size, const analysis::Rectangle& box) {
    const double rows = box.rows ? box.rows : size.m, columns = box.columns ? box.columns : size.n;
    Scales result;
    result.whole = std::min(width / (size.n + size.k), height / (size.m + (size.has_b ? size.k : 0)));
    result.block = std::max(std::min(width * block_share_x / columns, height * block_share_y / rows), result.whole);
    return result;
}

// Pixels along one axis for the operand (k elements) beside C (`along` elements).
double operand_pixels(double room, double k, double along, double scale) {
    const double free = room - along * scale; // what C leaves when all of it is in view
    return std::floor(std::min(k * scale, std::max(room * least_share, free)));
}

// First element in view of `extent`, `visible` fitting, so that `middle` is in the middle if that leaves no gap.
double first_visible(double middle, double visible, double extent) {
    return std::clamp(middle - visible / 2, 0.0, std::max(extent - visible, 0.0));
}

// Turns pages rather than scrolls, so that a walk along k moves the slab and not the picture.
double first_k(const KRange& range, double visible, double extent) {
    if (visible >= extent) return 0;
    const double width = std::max(range.last - range.first, 1.0);
    const double page = std::max(std::floor(visible / width) - 1, 1.0) * width;
    return std::clamp(std::floor(range.first / page) * page, 0.0, std::max(extent - visible, 0.0));
}

} // namespace

double whole_zoom(const Rect& area, const MapSize& size, const analysis::Rectangle& box, float ruler_left,
                  float ruler_top, float gap) {
    const Scales scale =
        scales(std::max(area.width - ruler_left - gap, 1.0f), std::max(area.height - ruler_top - gap, 1.0f), size, box);
    return scale.whole / scale.block;
}

MapLayout map_layout(const Rect& area, const MapSize& size, const analysis::Rectangle& box, KRange k, double zoom,
                     double pan_x, double pan_y, float ruler_left, float ruler_top, float gap) {
    MapLayout map;
    map.area = area;
    map.ruler_left = ruler_left, map.ruler_top = ruler_top;
    const double width = std::max(area.width - ruler_left - gap, 1.0f),
                 height = std::max(area.height - ruler_top - gap, 1.0f);
    const Scales scale = scales(width, height, size, box);
    map.zoom = std::clamp(zoom, scale.whole / scale.block, std::max(largest_element / scale.block, 1.0));
    map.scale = scale.block * map.zoom;

    const auto left = static_cast<float>(operand_pixels(width, size.k, size.n, map.scale));
    const auto above = size.has_b ? static_cast<float>(operand_pixels(height, size.k, size.m, map.scale)) : 0;
    const auto c_width = static_cast<float>(std::min(width - left, size.n * map.scale));
    const auto c_height = static_cast<float>(std::min(height - above, size.m * map.scale));
    const float x = area.x + ruler_left + left + gap, y = area.y + ruler_top + above + gap;

    const double centre_column = box.column + box.columns / 2.0, centre_row = box.row + box.rows / 2.0;
    const double visible_columns = c_width / map.scale, visible_rows = c_height / map.scale;
    const double column = first_visible(centre_column + pan_x, visible_columns, size.n);
    const double row = first_visible(centre_row + pan_y, visible_rows, size.m);
    map.pan_x = std::clamp(column + visible_columns / 2 - centre_column, -size.n, size.n);
    map.pan_y = std::clamp(row + visible_rows / 2 - centre_row, -size.m, size.m);

    map.c = {{x, y, c_width, c_height}, map.scale, row, column};
    map.a = {{x - gap - left, y, left, c_height}, map.scale, row, first_k(k, left / map.scale, size.k)};
    map.b = {{x, y - gap - above, c_width, above}, map.scale, first_k(k, above / map.scale, size.k), column};
    map.corner = {area.x + ruler_left, area.y, left, above + ruler_top};
    return map;
}

} // namespace ui
