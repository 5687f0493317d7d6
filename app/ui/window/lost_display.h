// The X server may end before the window does.
#pragma once

namespace ui {

// After glfwInit(): then says so and ends the program at once, as a kill would. Xlib calls exit(), which destroys what is static while
// jobs still use it. Does nothing where there is no Xlib.
void end_when_display_is_lost();

} // namespace ui
