// Beside each line what warps lost before its instructions, and to what.
#pragma once

#include "ui/code/code_view.h"
#include "views/wait_rows.h"

#include <string>
#include <vector>

namespace ui {

// Rows by line of a text, from 0: nullptr where nothing is known.
using WaitsOfLines = std::vector<const WaitRow*>;

// Puts their columns before the view's others. The longest sign stands for `most` cycles that are lost, or for more if a row has more.
void add_wait_columns(const Context&, CodeView&, const WaitsOfLines&, uint64_t most = 1);

} // namespace ui
