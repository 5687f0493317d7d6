// What a picture says of itself: on the line below it, and to those who do not see it.
#pragma once

#include "ui/draw/draw.h"

#include <optional>
#include <string>

namespace ui {

// "TILE 32  ·  256×256×256  ·  sm_90": the parameters in force and, if given, the size.
std::string setting_text(const Context&, const std::optional<catalog::Problem>&);

// Kernel, setting, what is counted and by which rule, on which device speeds were measured, the program's version. `view`: as
// `gemmscope render` names it.
std::string caption(const Context&, std::string_view view);

// What the picture of a view shows: what the view is, its headline, the setting.
std::string alternative_text(const Context&, std::string_view view);

// The line below a picture, in as many lines of type as its width asks for. Needs an ImGui context, but no frame.
class CaptionStrip {
public:
    // `width`: in ImGui's units, as is height(); `style` must outlive it.
    CaptionStrip(const Style& style, std::string_view words, float width);
    CaptionStrip(const CaptionStrip&) = delete;
    CaptionStrip& operator=(const CaptionStrip&) = delete;

    float height() const { return data_.DisplaySize.y; }
    ImDrawData* data() { return &data_; }

private:
    ImDrawList list_;
    ImDrawList* lists_ = &list_; // older ImDrawData points to such a pointer
    ImDrawData data_;
};

} // namespace ui
