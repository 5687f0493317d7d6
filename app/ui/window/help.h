// F1: the table of keys, or the glossary.
#pragma once

#include "ui/panel.h"

namespace ui {

void draw_help(Context&);

} // namespace ui
