// The table twin of a view: the same facts as text, to read aloud, to search, to copy.
#pragma once

#include "ui/panel.h"

#include <string>
#include <vector>

namespace ui {

struct TextTable {
    std::vector<std::string> columns;           // headings
    std::vector<std::vector<std::string>> rows; // a shorter row leaves its last cells empty
};

// Cells separated by tabs, as spreadsheets take them.
std::string tab_separated(const TextTable&);

// Fills the free area of the current window, with a button that copies; columns of numbers are set
// right-aligned. Marks "table.copy".
void draw_table(Context&, const TextTable&);

} // namespace ui
