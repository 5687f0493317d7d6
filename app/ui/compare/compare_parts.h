// The two subjects of the comparison, and the parts that compare.cpp puts together.
#pragma once

#include "ui/time/access.h"
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

// What is shown of both sides: the access that costs the selected warp the most, all its executions together, in one k-tile; or its
// timeline.
enum class ComparedView { global_load, shared_load, shared_store, timeline };

// The one whose share of excess transfers differs most; the timeline where none does: there the order of things differs.
ComparedView differing_view(Context&, const Compared& baseline, const Compared& current);

// Both sides show the same place in k, `other` is the other side: a click on either moves both. In the free area of the current window.
void draw_compared_access(Context&, const Compared&, const Compared& other, ComparedView);
void draw_compared_timeline(Context&, const Compared&, const Compared& other);
// Above both timelines, where they are in cycles: what kind of number these are, how many each side takes on their one scale, and what
// the colours and patterns mean.
void draw_compared_cycles(Context&, const Compared& baseline, const Compared& current);
// The whole run as a strip, and how high it is.
void draw_compared_strip(Context&, const Compared&, const Compared& other);
float compared_strip_height(const Style&);
// Of the selected warp's events the one that is shown: the selected step, or on the baseline's side that at the same place in k.
uint32_t compared_index(const Context&, const Compared&, const Compared& other);
// "k-tile 3", "before the loop"; empty without a loop.
std::string turn_name(const Context&, const BlockPicture&, const WarpOrder&, uint32_t index);
// The height at which the view's labels can be read.
float compared_height(Context&, const Compared&, ComparedView);

// "ld.shared.v4.f32, line 82: 2-way bank conflict: 8 wavefronts, ideal 4", for the table.
std::string access_words_of(Context&, const Compared&, const Compared& other, ComparedView);

} // namespace ui
