// What the Result view draws in one frame, and the layers of its picture.
#pragma once

#include "ui/result/live_result.h"
#include "ui/result/result_canvas.h"
#include "ui/time/access.h"

namespace ui {

struct ResultScene {
    Context& context;
    const ResultShown& shown;
    std::shared_ptr<const BlockPicture> block; // nullptr: none traced
    const ArrayPicture* c = nullptr;           // its C; nullptr: none, or of another shape than what is shown
    std::vector<analysis::Element> owned{};    // stored by the selected thread
    Canvas canvas{};

    // How far C is from the reference, in units of the tolerance, is shown in place of C.
    bool error() const {
        return context.session.view().result_field == session::ResultField::error && shown.largest_error;
    }
    double least() const { return error() ? 0.0 : -largest(); } // the ramp's beginning and end
    double largest() const { return !error() && shown.largest > 0 ? static_cast<double>(shown.largest) : 1.0; }
    size_t index(int64_t row, int64_t column) const {
        return static_cast<size_t>(row) * static_cast<size_t>(shown.n) + static_cast<size_t>(column);
    }
    // What is shown of an element; nothing where it is on the GPU alone.
    std::optional<double> value(int64_t row, int64_t column) const {
        const base::NumbersView values = error()                ? base::NumbersView(shown.errors)
                                         : shown.values.empty() ? shown.cpu
                                                                : shown.values;
        return values.empty() ? std::nullopt : std::optional(values[index(row, column)]);
    }
};

// Elements of C of the selected block; scene.c must be there.
analysis::Rectangle selected_box(const ResultScene&);

void draw_field(const ResultScene&);            // the colours, or why there are none
void draw_element_values(const ResultScene&);   // lines between elements, and their values where they can be read
void draw_result_selection(const ResultScene&); // tiles, block, the selected thread's elements, the hovered one
void draw_result_ticks(const ResultScene&);
// The ramp from top to bottom with its numbers at the right, and where the hovered element's value lies on it. Returns
// where it ends.
float draw_ramp(const ResultScene&, const Rect& bar);
float ramp_width(const ResultScene&, const Rect& bar); // numbers included

} // namespace ui
