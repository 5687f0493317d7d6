// What stands for the Numbers panel while it is hidden.
#pragma once

#include "ui/panel.h"

namespace ui {

// Its title, and whether C is right; a click shows the panel.
void draw_numbers_line(Context&);

} // namespace ui
