#include "ui/time/axis_marks.h"

#include "ui/draw/grid.h"
#include "ui/panel.h"
#include "ui/time/track_picture.h"

#include <cmath>

namespace ui {

bool is_tiled(const Context& context, const BlockPicture& picture) {
    const auto kernel = context.session.kernel();
    const bool product = !kernel || kernel->operation == catalog::Operation::product;
    return product && picture.trace().shared_bytes > 0;
}

void draw_turns(const Context& context, const BlockPicture& picture, const Rect& row, AxisRange range,
                const std::vector<double>& places, float label_y) {
    if (label_y <= 0) return;
    const Style& style = context.style;
    const char* const key = is_tiled(context, picture) ? "timeline.k_tile" : "timeline.turn";
    float free = row.x;
    for (size_t turn = 0; turn < places.size(); ++turn) {
        if (places[turn] < range.first || places[turn] >= range.last) continue;
        const float x = x_of(row, range, places[turn]);
        const std::string label = say(context, key, turn);
        const float width = text_size(style.text, label).x;
        if (x < free || x + width > row.right()) continue;
        fill({x, label_y, 1, row.y - label_y}, style.colour.dim);
        text(style.text, {x + style.unit, label_y}, style.colour.dim, label);
        free = x + width + 3 * style.unit;
    }
}

void draw_step(const Style& style, const Rect& row, AxisRange range, double place) {
    if (place < range.first || place > range.last) return;
    const float x = std::floor(x_of(row, range, place)), half = style.unit;
    fill({x - 2, row.y, 4, row.height}, style.colour.background);
    fill({x - 1, row.y, 2, row.height}, style.colour.selection);
    ImGui::GetWindowDrawList()->AddTriangleFilled({x - half, row.y - half}, {x + half, row.y - half},
                                                  {x, row.y + half / 2}, style.colour.selection);
}

} // namespace ui
