// The kernel's planted mistakes: their switches, and what says that one is on.
#pragma once

#include "ui/panel.h"

#include <string>

namespace ui {

// A switch for each of them, off at first; nothing where the kernel has none. Marks "break.<name>".
void draw_breaks(Context&, const catalog::Kernel&);

// A line in the colour of findings that names those that are on; nothing where none is. Marks "broken".
void draw_broken_band(Context&);

// The kernel's file as it is executed: with the subject's mistakes.
std::string executed_source(const catalog::Kernel&, const session::Subject&);

// "No second barrier, no bounds check"; empty: none is on.
std::string broken_words(const Context&);

} // namespace ui
