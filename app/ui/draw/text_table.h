// The table twin of a view: the same facts as text, to read aloud, to search, to copy.
#pragma once

#include "ui/panel.h"
#include "views/table.h"

#include <functional>

namespace ui {

// Fills the free area of the current window: the notes, a button that copies, the rows; columns of numbers are set
// right-aligned. Where Chrome::tables asks for them, the table is kept there. Marks "table.copy".
void draw_table(Context&, const Table&);

// One of so many rows that a frame makes only those that it shows: a recording may have a million.
struct LongTable {
    Table head;                                          // without its rows
    size_t count = 0;                                    // rows
    std::function<std::vector<std::string>(size_t)> row; // of 0..count - 1
    std::vector<size_t> widest;                          // rows that have the widest cell of each column
};
// Likewise. All rows are made when they are copied, and for Chrome::tables.
void draw_table(Context&, const LongTable&);

// Rows of so many that stand for all when columns are measured: about 200 evenly apart, and those that are `wanted`.
std::vector<size_t> sampled_rows(size_t count, const std::function<bool(size_t)>& wanted);

} // namespace ui
