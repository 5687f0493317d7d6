// How values are told: chooses session::Digits.
#pragma once

#include "ui/panel.h"

namespace ui {

// The four buttons, right-aligned on the line that begins at `y`; draws nothing if they do not fit right of `left`.
void digits_switch(Context&, float left, float right, float y);

} // namespace ui
