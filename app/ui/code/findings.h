// What the checks found, as a list: a click goes to the instruction, lane and line.
#pragma once

#include "ui/draw/text_table.h"
#include "ui/panel.h"

namespace ui {

// Of the whole grid, or of the traced block while the grid has not run; nullptr while neither has.
const std::vector<trace::Finding>* findings_of(const session::Products&);

// Selects the block, warp and lane of a finding, or the first block; the event once that block has been traced.
void jump(Context&, Jump);
// Carries a jump on. Once a frame, before the panels.
void follow_jump(Context&);

// Below the cursor, as high as it needs. Marks "finding.<n>" and, where there is another access, "finding.<n>.other".
void draw_findings(Context&, const std::vector<trace::Finding>&);

// A row each: its kind, where, what. In the columns of Numbers.
void append_findings(Table&, const Context&, const std::vector<trace::Finding>&);

} // namespace ui
