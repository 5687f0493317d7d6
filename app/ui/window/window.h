// The window: GLFW, OpenGL and Dear ImGui around the panels. One frame function spells the flow.
#pragma once

#include "base/result.h"
#include "session/session.h"
#include "views/table.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ui {

struct WindowOptions {
    int width = 1600, height = 900;
    std::filesystem::path assets;                 // i18n
    std::filesystem::path probe_file;             // see probe_file.h; empty: none
    bool first_start = false;                     // nothing was kept: the start page asks where to go
    std::vector<std::filesystem::path> lessons{}; // folders besides the program's
    std::vector<std::filesystem::path> answers{}; // of a class: files and folders
    std::string student{};                        // who hands in
    std::filesystem::path hand_in{};              // a student's, to begin with; empty: none
};

// Opens the window and runs until it is closed. Missing display or OpenGL 3.3: an error that says what to do.
base::Status run_window(session::Options, const session::View& initial, const WindowOptions&);

// A picture of a step of a lesson, in place of the view's own.
struct LessonPicture {
    std::string lesson; // id
    uint32_t step = 0;
    bool answered = false; // the question's answer is told
};

// Steps of the selected warp, one after the other.
struct StepsPicture {
    std::optional<std::pair<uint32_t, uint32_t>>
        events;             // of the block, first and last; nothing: the accesses and barriers from the
                            // barrier before the view's step to the next
    int milliseconds = 250; // for each
};

struct RenderOptions {
    std::string what = "window"; // one of rendered_views()
    int width = 1600, height = 900;
    std::filesystem::path assets, png;
    std::optional<LessonPicture> lesson;
    std::vector<std::filesystem::path> lessons; // folders besides the program's
    std::vector<std::filesystem::path> answers; // of a class, shown at a lesson's question
    bool caption = false;                       // a line below the picture
    std::optional<StepsPicture> steps{};        // an animation of them in place of one picture
};

std::vector<std::string> rendered_views(); // what RenderOptions::what may be

// The text twins of `what`, as the window would show them, once every job is done; of "window" one for each view. Needs no OpenGL.
base::Result<std::vector<views::Table>> tables(session::Options, const session::View&, const RenderOptions&);

// Draws it offscreen once every job is done, and writes a PNG. A kernel that does not compile or run is an error after its picture is
// written.
base::Status render(session::Options, const session::View&, const RenderOptions&);

// Views for a page, drawn with one session.
struct ViewPicturesOptions {
    struct One {
        session::View view;
        std::string what;
        uint32_t first_line = 0, last_line = 0; // of the source, to be shown; 0: none
    };
    int width = 1280, height = 720;
    std::filesystem::path assets;
    std::vector<One> views;
};
struct ViewPicture {
    std::string file, type; // bytes, and what they are: "image/svg+xml" where the view is shapes, else "image/png"
    std::string alternative_text, caption;
};
base::Result<std::vector<ViewPicture>> draw_views(session::Options, const ViewPicturesOptions&);

} // namespace ui
