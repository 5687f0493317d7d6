// Colours and patterns of the timeline with their words.
#pragma once

#include "ui/draw/wait_look.h"
#include "ui/panel.h"

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
// Of a row in cycles: what is issued and what is in flight.
std::vector<LegendEntry> issue_legend(const Context&, const BlockPicture&);
// What warps wait for; `words` stand beside it, `share` above what that is.
LegendEntry wait_entry(const Context&, timing::Wait, std::string words, const std::string& share);
// Both; the largest reason first.
std::vector<LegendEntry> cycle_legend(const Context&, const BlockPicture&, const timing::Run&);
// From `x` to `right`; left out from the end where there is no room. Returns how many had it.
size_t draw_legend(Context&, std::span<const LegendEntry>, float x, float y, float right);

} // namespace ui
