// The window: GLFW, OpenGL and Dear ImGui around the panels. One frame function spells the flow.
#pragma once

#include "base/result.h"
#include "session/session.h"

#include <filesystem>

namespace ui {

struct WindowOptions {
    int width = 1600, height = 900;
    std::filesystem::path assets;     // i18n
    std::filesystem::path probe_file; // see probe.h; empty: none
};

// Opens the window and runs until it is closed. Missing display or OpenGL 3.3: an error that says what to do.
base::Status run_window(session::Options, const session::View& initial, const WindowOptions&);

// Draws `view_name` ("window" or a panel's id) offscreen once every job is done, and writes a PNG. A kernel that does
// not compile or run is an error after its picture is written.
base::Status render(session::Options, const session::View&, std::string_view view_name, int width, int height,
                    const std::filesystem::path& assets, const std::filesystem::path& png);

} // namespace ui
