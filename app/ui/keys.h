// Every key of the window, in one table that both acts and explains itself (F1).
#pragma once

#include "ui/panel.h"

#include <string>
#include <vector>

namespace ui {

// Keys that are no characters, by GLFW's numbers; characters are their upper-case code point.
enum Modifier : int { no_modifier = 0, with_shift = 1, with_control = 2, with_alt = 4 }; // GLFW's bits

struct KeyPress {
    int key = 0;         // 'B', '[', ' ' or a GLFW_KEY_ number above 255
    int modifiers = 0;   // of a character shift counts for letters alone
    bool repeat = false; // held down
};

// A line of the table: keys that belong together, and one sentence.
struct KeyRow {
    const char* shown; // "Left  Right"
    const char* help;  // key of the sentence: "keys.step"
    std::vector<KeyPress> presses;
    void (*act)(Context&, size_t which); // index into presses
    bool repeats = false;                // acts again while held down
};
const std::vector<KeyRow>& key_table();

// Whether it is the field's while text is typed into one: all but the function keys; Esc, Up and Down mean something to the search.
bool belongs_to_text(const KeyPress&, const Chrome&);

// Does what the key says. A half-typed block, warp or lane takes digits, arrows, Enter, Backspace and Esc first.
void press(Context&, const KeyPress&);

} // namespace ui
