// The second page of the help (F1): terms, one sentence each, and what others call them.
#pragma once

#include "ui/panel.h"

namespace ui {

// In the free area of the current window: a search field, and the terms that match, which scroll.
void draw_glossary(Context&);

} // namespace ui
