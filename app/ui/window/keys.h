// Every key of the window, in one table that both acts and explains itself (F1).
#pragma once

#include "ui/key_press.h"
#include "ui/panel.h"

#include <string>
#include <vector>

namespace ui {

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
