// Lets a test see what a user sees: panels mark the rectangles that can be clicked. probe_file.h writes them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ui {

struct Mark {
    std::string name;                          // "slider.BK", "rung.naive", "banks.lane.13"
    float x = 0, y = 0, width = 0, height = 0; // pixels of the window
    unsigned window = 0;                       // ImGui's, in which it is drawn; while the keyboard walks
};

class Probe {
public:
    bool on = false;      // marking costs nothing when off
    bool walking = false; // the keyboard goes from mark to mark: walk.h
    void mark(std::string name, float x, float y, float width, float height) {
        if (on || walking) marks_.push_back({std::move(name), x, y, width, height, walking ? current_window() : 0});
    }
    void begin_frame() {
        std::swap(marks_, last_);
        marks_.clear();
    }
    const std::vector<Mark>& marks() const { return marks_; } // of this frame, so far
    const std::vector<Mark>& last() const { return last_; }   // of the frame before

private:
    static unsigned current_window();
    std::vector<Mark> marks_, last_;
};

} // namespace ui
