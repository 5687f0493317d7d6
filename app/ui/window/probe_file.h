// What a user sees as a file that a test reads (--probe FILE).
#pragma once

#include "ui/window/turns.h"

#include <filesystem>
#include <functional>
#include <string>

namespace session {
struct View;
}
namespace ui {

struct Context;

// What a test reads: {"frame", "turns", "longest", "remembered_bytes", "settled", "busy", "faces", "gpu", "help", "field", "slider", "mouse", "editor", "notices", "view", "marks"}.
// Written when anything but the first four has changed, in one step, so that a reader never sees half.
class ProbeFile {
public:
    explicit ProbeFile(std::filesystem::path path) : path_(std::move(path)) {}
    // `settled`: nothing runs and no further frame is due.
    void write(const Context&, const Turns&, int frame, bool settled);

private:
    std::filesystem::path path_;
    std::string last_;
};

// Adds views to FILE.views, one a line: what a window that is killed may have kept.
std::function<void(const session::View&)> log_of_views(const std::filesystem::path& probe_file);

} // namespace ui
