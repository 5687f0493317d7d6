// "What am I looking at": one sentence for each view.
#pragma once

#include "ui/panel.h"

namespace ui {

// Of the view of that id (find_panel), in the language in use; "" if there is none of it.
const char* about(const Context&, std::string_view view);

} // namespace ui
