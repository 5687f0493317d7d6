// The LADDER panel's size, for the layout.
#pragma once

#include "ui/panel.h"

namespace ui {

// Pixels that the panel needs, its margins included, to show every kernel of the open families without
// scrolling.
float ladder_height(const Context&);

} // namespace ui
