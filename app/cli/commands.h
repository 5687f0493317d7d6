// The command line: one binary, sub-commands in a table, every number that the window shows.
#pragma once

#include "base/result.h"
#include "session/session.h"
#include "views/page.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

// What needs OpenGL comes from main, so that the commands do not depend on the window.
struct WindowRequest {
    session::Options options;
    session::View view;
    std::filesystem::path assets, probe_file;
    std::vector<std::filesystem::path> lessons; // folders of the user's own
    std::vector<std::filesystem::path> answers; // of a class: files and folders
    std::string student;                        // who hands in
    std::filesystem::path hand_in;              // a student's, to begin with; empty: none
    bool first_start = false;                   // no view was kept and none is named
};
struct RenderRequest {
    session::Options options;
    session::View view;
    std::string what; // "window", a panel or a page
    int width = 1600, height = 900;
    std::filesystem::path assets, png;
    std::string lesson;                         // of "lesson"; empty: none
    uint32_t lesson_step = 0;                   // counted from 0
    bool answered = false;                      // its question
    std::vector<std::filesystem::path> lessons; // folders of the user's own
    std::vector<std::filesystem::path> answers; // of a class
    bool caption = false;                       // a line below the picture
    bool animated = false;                      // steps of the selected warp follow each other
    std::optional<std::pair<uint32_t, uint32_t>>
        steps;              // of the block, first and last; nothing: from barrier to barrier
    int milliseconds = 250; // for each
};
struct PicturesRequest { // views for a page
    struct One {
        session::View view;
        std::string what;                       // a panel
        uint32_t first_line = 0, last_line = 0; // of the source, to be shown; 0: none
    };
    session::Options options;
    std::filesystem::path assets;
    int width = 1280, height = 720;
    std::vector<One> views;
};
struct Check {        // one line of `doctor`
    std::string part; // "OpenGL"
    bool found = false;
    std::string detail; // what was found, or why nothing was
    std::string todo;   // how to get it; empty if found
};
struct Frontend {
    std::function<base::Status(const WindowRequest&)> window;
    std::function<base::Status(const RenderRequest&)> render;
    std::function<base::Result<std::vector<views::PagePicture>>(const PicturesRequest&)> pictures; // one of each view
    std::function<base::Result<std::vector<views::Table>>(const RenderRequest&)> tables; // of the same, without OpenGL
    std::vector<std::string> views;                                                      // what render knows
    std::vector<std::string> panels; // of them those that show a kernel: a lesson's step names them
    std::function<std::vector<Check>()> checks;
};

// Runs what the arguments say and returns the process's exit code: 0, 1 a check failed, 2 bad usage, 3 something is
// missing on this machine. Errors are one sentence on stderr.
int run(int argc, const char* const* argv, const Frontend&);

} // namespace cli
