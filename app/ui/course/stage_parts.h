// What stands beside the views on the stage.
#pragma once

#include "ui/draw/draw.h"

#include <string>

namespace ui {

// What is said: the kernel's idea and what to look at, below each other.
void draw_rail(Context&, const Rect&);

// In place of the views what the class answered to the step's question. False: nothing of it is to be shown.
bool draw_votes(Context&, const Rect&);

// The parameter that the stage's slider sets: the one chosen by Tab, else the one set last, else the first. Empty: the kernel has none.
std::string stage_parameter(const Context&);
// Its name and what it means, and every value at its stop.
void draw_stage_slider(Context&, const Rect&, const std::string& parameter);

} // namespace ui
