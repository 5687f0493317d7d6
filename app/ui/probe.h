// Lets a test see what a user sees: panels mark the rectangles that can be clicked. probe_file.h writes them.
#pragma once

#include <string>
#include <vector>

namespace ui {

struct Mark {
    std::string name;                          // "slider.BK", "rung.naive", "banks.lane.13"
    float x = 0, y = 0, width = 0, height = 0; // pixels of the window
};

class Probe {
public:
    bool on = false; // marking costs nothing when off
    void mark(std::string name, float x, float y, float width, float height) {
        if (on) marks_.push_back({std::move(name), x, y, width, height});
    }
    void begin_frame() { marks_.clear(); }
    const std::vector<Mark>& marks() const { return marks_; }

private:
    std::vector<Mark> marks_;
};

} // namespace ui
