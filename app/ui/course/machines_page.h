// The page of remote GPUs: what is remembered, what each answers, where the window runs.
#pragma once

#include "ui/draw/draw.h"

namespace ui {

void draw_machines(Context&, const Rect&);

} // namespace ui
