// How C's values become colours.
#pragma once

#include "gpu/live/field_texture.h"
#include "ui/style.h"

namespace ui {

// A ramp from violet (negative) through the panel's own lightness (0) to teal (positive), its ends equally far from
// the middle; all of the matrix, `largest` left to the caller.
gpu::FieldStyle result_colours(const Style&);

} // namespace ui
