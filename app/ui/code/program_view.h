// The tabs PTX and SASS of the code panel: one listing widget for both programs, whichever is executed.
#pragma once

#include "ui/code/code_links.h"
#include "views/table.h"

namespace ui {

void draw_program(Context&, const CodeLinks&, trace::Engine);

// The instructions of one source line, below the source.
void draw_peek(Context&, const CodeLinks&, int line, float height);

// One row per instruction: what the margins, both texts, the scheduling and the links between the programs say.
Table program_table(const Context&, const CodeLinks&, trace::Engine);

} // namespace ui
