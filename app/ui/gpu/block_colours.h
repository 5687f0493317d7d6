// Blocks of the grid in the colours of when, or on which multiprocessor, a GPU ran them: the same on the map
// and in the Blocks view.
#pragma once

#include "ui/draw/draw.h"

namespace ui {

// Of `values` things in an order, the one `value`. Along the ramp; of more than nine, every other one is a little nearer to the
// panel, so that neighbours can be told apart.
ImU32 ramp_colour(const Style&, int value, int values);
// `values` colours of the ramp, or nine of them, from left to right.
void draw_ramp(const Style&, int values, const Rect&);

class BlockPaint {
public:
    BlockPaint(const Style&, std::shared_ptr<const measure::BlockTimeline>, const measure::Waves&,
               session::BlockColours by);
    // As the view wants the map; nothing: plain, or no recording of the subject.
    static std::optional<BlockPaint> of(Context&);

    const measure::BlockTimeline& timeline() const { return *timeline_; }
    ImU32 operator()(size_t block) const;
    void draw_ramp(const Rect&) const;       // first to last
    std::string words(const Context&) const; // what the ramp's ends are

private:
    int value_of(size_t block) const;
    int values() const;

    const Style* style_;
    std::shared_ptr<const measure::BlockTimeline> timeline_;
    const measure::Waves* waves_;
    session::BlockColours by_;
};

} // namespace ui
