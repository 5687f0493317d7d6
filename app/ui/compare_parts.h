// The two subjects of the comparison, and the parts that compare.cpp puts together.
#pragma once

#include "ui/access.h"
#include "ui/views.h"
#include "views/number_rows.h"

namespace ui {

struct Compared { // the pinned one, or the current one
    const session::Subject* subject = nullptr;
    const session::Products* products = nullptr; // nullptr: none yet
    std::shared_ptr<const catalog::Kernel> kernel;
    std::shared_ptr<const BlockPicture> picture; // of the block that both show; nullptr: not traced yet
    std::vector<NumberGroup> groups;
    bool current = false; // else the baseline
};

// `title`, then the numbers that differ, in two columns, below the cursor in a window of their own; then how many are equal.
void draw_compared_numbers(Context&, const Compared& baseline, const Compared& current, const std::string& title);

// A number, or the word in its place.
std::string shown_number(const Context&, const Number&);

// The access to shared memory, a load or else a store, that costs the selected warp the most wavefronts, all its executions
// together, as a picture in the free area of the current window.
void draw_compared_banks(Context&, const Compared&, bool load);
// The height at which that picture's labels can be read.
float compared_banks_height(Context&, const Compared&, bool load);

// "ld.shared.v4.f32, line 82: 2-way bank conflict: 8 wavefronts, ideal 4", for the table.
std::string bank_words_of(Context&, const Compared&, bool load);

} // namespace ui
