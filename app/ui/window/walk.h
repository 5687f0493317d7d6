// Everything by keyboard: F8 puts the pointer on the first thing that can be clicked, Tab and Shift+Tab on the next and the one before,
// arrows on the nearest in their direction, Ctrl+Tab on the next panel. Enter clicks, Shift+Enter holds and lets go, Shift+arrows move the
// pointer on what has the focus, PgUp and PgDn scroll it, Esc or the mouse ends it. The pointer is ImGui's: what the mouse shows and does, hints
// included, the keyboard shows and does. (Dear ImGui's own keyboard navigation knows its items only, and takes the program's keys.)
#pragma once

#include "ui/key_press.h"
#include "ui/panel.h"

namespace ui {

void begin_walk(Context&);
// False: the key means something else.
bool walk_takes(Context&, const KeyPress&);
// Before ImGui's NewFrame: the pointer. `marks`: of the last frame.
void put_pointer(Chrome&, const std::vector<Mark>& marks);
// When all has been drawn: keeps the focus on something that is there, and draws its frame.
void end_walk_frame(Context&);

// What the keyboard can reach: the marks that nothing lies over, in the order in which they are drawn.
std::vector<Mark> walkable(const std::vector<Mark>&);

} // namespace ui
