// The LADDER panel's size, for the layout.
#pragma once

#include "ui/style.h"

#include <cstddef>

namespace ui {

// Pixels that the panel needs, its margins included, to show every kernel without scrolling.
float ladder_height(const Style&, size_t kernels);

} // namespace ui
