// What the checks found, as a list: a click goes to the instruction, lane and line.
#pragma once

#include "ui/panel.h"
#include "ui/text_table.h"

namespace ui {

// Of the whole grid, or of the traced block while the grid has not run; nullptr while neither has.
const std::vector<trace::Finding>* findings_of(const session::Products&);

// Below the cursor, as high as it needs. Marks "finding.<n>".
void draw_findings(Context&, const std::vector<trace::Finding>&);

void append_findings(TextTable&, const Context&, const std::vector<trace::Finding>&);

} // namespace ui
