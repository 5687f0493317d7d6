// The MACHINE tab of the code panel.
#pragma once

#include "ui/panel.h"

namespace ui {

void draw_machine(Context&);

} // namespace ui
