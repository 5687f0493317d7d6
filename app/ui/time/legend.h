// Colours and patterns of the timeline with their words.
#pragma once

#include "ui/draw/wait_look.h"

#include <span>
#include <string>
#include <vector>

namespace ui {

struct LegendEntry {
    ImU32 colour;
    std::string words;
    float width, height; // of its swatch
    Pattern pattern = Pattern::plain;
    std::string tip{};
};

float legend_width(const Style&, std::span<const LegendEntry>);
// What is in flight in the block, by what carries it.
void add_flights(const Context&, const BlockPicture&, std::vector<LegendEntry>&);
// From `x` to `right`; left out from the end where there is no room. Returns how many had it.
size_t draw_legend(Context&, std::span<const LegendEntry>, float x, float y, float right);

} // namespace ui
