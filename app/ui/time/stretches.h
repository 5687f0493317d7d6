// The rows of the timeline's tables: what each warp executes between two barriers, or in one turn of the loop over k.
#pragma once

#include "ui/panel.h"

#include <cstdint>
#include <vector>

namespace ui {

struct Stretch {
    uint32_t warp = 0, number = 0;
    uint32_t first = 0, last = 0; // events first..last - 1 of the warp's order; at least one
};
std::vector<Stretch> stretches(const BlockPicture&);

// Rows that columns are measured by: each warp's first and last, which differ most, and some of the many that are alike.
std::vector<size_t> measured_rows(const std::vector<Stretch>&);

} // namespace ui
