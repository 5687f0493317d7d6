// The pages in place of the panels: where to begin, which lesson, which file.
#pragma once

#include "ui/key_press.h"
#include "ui/panel.h"

namespace ui {

void open_page(Context&, Page);
void draw_page(Context&);
// Whether a page is shown and took the key: arrows, Enter, Esc, Backspace.
bool page_takes(Context&, const KeyPress&);

} // namespace ui
