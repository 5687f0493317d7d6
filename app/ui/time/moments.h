// Two moments of the block compared: the marked one and the step, or the step and the picture before it.
#pragma once

#include "ui/time/access.h"

namespace ui {

// Contents to compare the step's with; nullptr while there is nothing. `marked`: they are the marked moment's.
struct Earlier {
    std::shared_ptr<const sim::BlockState> state;
    bool marked = false;
};
Earlier earlier_contents(Context&);

// The line that says what the mark of changed values means, `words` about how many there are; only with a marked moment. Leaves the
// cursor below.
void draw_moment_line(Context&, const BlockPicture&, const Earlier&, std::string_view words);

// How a value is marked that differs between the two.
void mark_changed(const Context&, const Rect&);

} // namespace ui
