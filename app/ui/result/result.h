// How C's values become colours.
#pragma once

#include "gpu/live/field_texture.h"
#include "ui/style.h"

namespace ui {

// A ramp from violet (negative) through the panel's own lightness (0) to teal (positive), its ends equally far from
// the middle; all of the matrix, `largest` left to the caller.
gpu::FieldStyle result_colours(const Style&);
// Of errors in units of the tolerance: from the panel's own lightness (0) through cividis to what the tolerance excludes (1 and more), which has
// the colour of findings. A pixel shows the worst of its elements.
gpu::FieldStyle error_colours(const Style&);

} // namespace ui
