// The memory accesses of a run as a table: loads and stores down, instructions, wavefronts or sectors, ideal
// and excessive across.
#pragma once

#include "ui/panel.h"
#include "ui/views.h"
#include "views/number_rows.h"

namespace ui {

// Is there room for the table, or must its numbers stand under each other?
bool transfers_fit(const Context&, float width);

// The groups with a `space`, below the cursor; under each row the baseline's, where there is one.
void draw_transfers(Context&, const std::vector<NumberGroup>&, const std::vector<NumberGroup>& baseline);

} // namespace ui
