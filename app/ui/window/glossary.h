// The second page of the help (F1): terms, one sentence each, and what others call them.
#pragma once

#include "ui/panel.h"

namespace ui {

// In the free area of the current window: a search field, and the terms that match, which scroll.
void draw_glossary(Context&);

// Puts the view of that id (find_panel) on the screen: its tab, in a panel that is shown. False: there is none of it.
bool show_view(Context&, std::string_view id);

} // namespace ui
