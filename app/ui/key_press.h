// A key as the window hands it on.
#pragma once

namespace ui {

// Keys that are no characters, by GLFW's numbers; characters are their upper-case code point.
enum Modifier : int { no_modifier = 0, with_shift = 1, with_control = 2, with_alt = 4 }; // GLFW's bits

struct KeyPress {
    int key = 0;            // 'B', '[', ' ' or a GLFW_KEY_ number above 255
    int modifiers = 0;      // of a character shift counts for letters alone
    bool repeat = false;    // held down
    char32_t character = 0; // that was typed; 0: none, as of an arrow or with Ctrl
};

} // namespace ui
