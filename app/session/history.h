// Undo and redo of views. A drag, which changes the same thing again and again, is one entry.
#pragma once

#include "session/view.h"

#include <deque>
#include <optional>
#include <string>

namespace session {

class History {
public:
    // The user changed `before` into `after` at `seconds` of any clock. Hovering and playing are no changes.
    void record(const View& before, const View& after, double seconds);
    // What is recorded next is an entry of its own, however soon it comes.
    void separate() { last_change_.clear(); }

    // The view to go back or forward to; nothing where there is none. `now` is kept for the other direction.
    std::optional<View> undo(const View& now);
    std::optional<View> redo(const View& now);

private:
    std::deque<View> past_, future_; // newest last
    std::string last_change_;        // what the newest entry of past_ was changed in
    double last_time_ = 0;
};

} // namespace session
