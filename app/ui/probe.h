// Lets a test see what a user sees: panels mark the rectangles that can be clicked, and the window writes them
// with the view and the state of the jobs to a file (--probe FILE) after every frame that changed something.
#pragma once

#include <filesystem>
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

struct Context;

// What a test reads: {"frame", "settled", "busy", "faces", "gpu", "help", "field", "slider", "mouse", "notices", "view", "marks"}.
// Written when anything but the frame's number has changed, in one step, so that a reader never sees half.
class ProbeFile {
public:
    explicit ProbeFile(std::filesystem::path path) : path_(std::move(path)) {}
    // `settled`: nothing runs and no further frame is due.
    void write(const Context&, int frame, bool settled);

private:
    std::filesystem::path path_;
    std::string last_;
};

} // namespace ui
