// Drawing primitives that several panels share. Everything in pixels of the current window, on its draw list.
#pragma once

#include "ui/panel.h"

#include <string_view>

namespace ui {

// Panel title in the heading font with an optional dim remark at the right; leaves the cursor below.
void heading(Context&, std::string_view title, std::string_view remark = {});

// The four faces. Returns true if there is a value to draw; draws the empty and failed faces itself, and says
// "computing" over an old picture, which the caller then dims (see dimmed()).
template <class T>
bool face(Context&, const session::Slot<T>&);
bool face(Context&, int face, bool has_value, const session::Failed*, float progress);

// "label   1,234 unit", the number right-aligned in mono, the unit dim, marked for a moment when it has changed.
void number_row(Context&, const char* label, std::string_view value, std::string_view unit, const char* tooltip);

// Wrapped tooltip for the item or rectangle under the mouse.
void tooltip(Context&, std::string_view text);

std::string thousands(uint64_t value);        // 1,234,567
std::string gflops(double value);             // "51.4 TFLOPS", "812 GFLOPS"

template <class T>
bool face(Context& context, const session::Slot<T>& slot) {
    return face(context, static_cast<int>(slot.face), slot.value != nullptr, slot.failed ? &*slot.failed : nullptr,
                slot.progress);
}

} // namespace ui
