// What a user sees as a file that a test reads (--probe FILE).
#pragma once

#include <filesystem>
#include <string>

namespace ui {

struct Context;

// What a test reads: {"frame", "settled", "busy", "faces", "gpu", "help", "field", "slider", "mouse", "editor", "notices", "view", "marks"}.
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
