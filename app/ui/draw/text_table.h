// The table twin of a view: the same facts as text, to read aloud, to search, to copy.
#pragma once

#include "ui/panel.h"
#include "views/table.h"

namespace ui {

// Fills the free area of the current window: the notes, a button that copies, the rows; columns of numbers are set
// right-aligned. Where Chrome::tables asks for them, the table is kept there. Marks "table.copy".
void draw_table(Context&, const Table&);

} // namespace ui
