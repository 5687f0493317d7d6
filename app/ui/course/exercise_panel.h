// The exercise in place of the ladder: what to do, what holds already, and the first thing to look at.
#pragma once

#include "ui/course/workbench.h"

namespace ui {

bool has_exercise(const Context&);
void draw_exercise(Context&);

} // namespace ui
