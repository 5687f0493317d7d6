// Moving through the traced block: what the keys, the transport bar and the buttons do to the selection.
#pragma once

#include "ui/panel.h"

namespace ui {

// The traced block that is shown, or nullptr while there is none.
std::shared_ptr<const BlockPicture> shown_block(Context&);

// The events of the selected warp; nullptr while there is no block.
const WarpOrder* selected_order(Context&, const std::shared_ptr<const BlockPicture>&);

void step(Context&, int64_t instructions);  // of the selected warp; stops at both ends
void step_to(Context&, uint32_t index);     // into the order of the selected warp
void step_barrier(Context&, int direction); // -1 or 1: the previous or next barrier of the selected warp
void step_k_tile(Context&, int direction);  // -1 or 1: where the previous or next k-tile of the selected warp begins
void toggle_mark(Context&);           // marks the step as the moment to compare with; at that step takes the mark away
void select_warp(Context&, int warp); // and stay at the same instruction of the same turn
void select_lane(Context&, int lane);
void select_block(Context&, base::Dim3);
void select_rung(Context&, int direction); // -1 or 1: the neighbour in the same family, or among what was searched for
void select_family(Context&, int direction); // -1 or 1: the first kernel of the family before or after
void select_kernel(Context&, const catalog::Kernel&);

} // namespace ui
