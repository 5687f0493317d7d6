// Every access of the kernel to one memory with what it costs, below the picture of one of them where that leaves room.
#pragma once

#include "ui/time/access.h"

namespace ui {

// `space`: shared (wavefronts) or global (sectors). Draws in `area`, with a heading, as many lines as there is room for, the costliest
// first; nothing where there is room for none, or while the grid has not been counted. A click goes to the next execution.
void draw_access_list(Context&, const AccessShown& shown, trace::Space space, const Rect& area);

} // namespace ui
