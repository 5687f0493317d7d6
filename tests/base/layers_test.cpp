// Who may include whom: the table of CONTRIBUTING.md, held against every #include line of app/.
#include "base/file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace {
namespace fs = std::filesystem;

const std::set<std::string> all_but_ui = {"base",    "trace",    "catalog", "compile",    "ptx",      "sass",
                                          "sim",     "analysis", "gpu",     "gpu/worker", "gpu/live", "cpu",
                                          "session", "views",    "lesson",  "cli"};

const std::set<std::string> below_ui = {"views",   "lesson", "session",  "base", "trace",   "catalog",
                                        "compile", "sim",    "analysis", "gpu",  "gpu/live"};

// Rooms of ui -> those they may include beside ui itself and what it may.
const std::map<std::string, std::set<std::string>> rooms = {
    {"draw", {}},
    {"opengl", {}},
    {"time", {"draw"}},
    {"speed", {"draw"}},
    {"code", {"draw"}},
    {"memory", {"draw", "time", "code"}},
    {"map", {"draw", "time", "gpu"}},
    {"gpu", {"draw", "time"}},
    {"result", {"draw", "time"}},
    {"numbers", {"draw", "code"}},
    {"plot", {"draw", "time", "speed", "gpu"}},
    {"kernel", {"draw", "time", "speed", "code", "plot"}},
    {"compare", {"draw", "time", "speed", "code", "memory", "plot"}},
    {"course", {"draw", "time", "speed"}},
    {"window",
     {"draw", "opengl", "time", "speed", "code", "memory", "map", "gpu", "result", "numbers", "plot", "kernel",
      "compare", "course"}},
};

// Folder -> folders it may include, itself left out.
const std::map<std::string, std::set<std::string>> may_include = {
    {"base", {}},
    {"trace", {"base"}},
    {"catalog", {"base"}},
    {"compile", {"base"}},
    {"ptx", {"base"}},
    {"sass", {"trace", "base"}},
    {"sim", {"ptx", "trace", "base"}},
    {"analysis", {"trace", "base"}},
    {"gpu", {"base", "catalog"}},
    {"gpu/driver", {"base", "catalog", "gpu"}},
    {"gpu/cutlass", {}},
    {"cpu", {"base", "catalog", "gpu"}},
    {"gpu/worker", {"base", "catalog", "gpu", "gpu/driver", "gpu/cutlass"}},
    {"gpu/live", {"base", "catalog", "compile", "gpu", "gpu/driver"}},
    {"session", {"base", "trace", "catalog", "compile", "ptx", "sass", "sim", "analysis", "gpu"}},
    {"views", {"session", "base", "trace", "catalog", "compile", "sim", "analysis", "gpu"}},
    {"lesson", {"session", "base", "trace", "catalog", "compile", "sim", "analysis", "gpu"}},
    {"ui", below_ui},
    {"cli", all_but_ui},
    {"", {"base", "cli", "ui", "ui/draw", "ui/opengl", "ui/window"}}, // main.cpp
};

// "gpu/worker" of "gpu/worker/run.h"; "" of "main.cpp".
std::string folder_of(const std::string& file) { return fs::path(file).parent_path().generic_string(); }

// Why `file` (relative to app/) may not have this line; nothing if it may.
std::optional<std::string> objection(const std::string& file, const std::string& line) {
    static const std::regex include(R"re(^\s*#\s*include\s*(["<])([^">]+)[">].*)re");
    std::smatch match;
    if (!std::regex_match(line, match, include)) return {};
    std::string from = folder_of(file), target = match[2], to = folder_of(target);
    if (match[1] == "<")
        return target == "nvrtc.h" && from != "compile" ? std::optional("only compile may include nvrtc.h")
                                                        : std::nullopt;
    if (from.starts_with("ui/")) {
        const auto room = rooms.find(from.substr(3));
        if (room == rooms.end()) return "the room has no row in the table";
        if (to.starts_with("ui/") && to != from && !room->second.contains(to.substr(3)))
            return from + " may not include " + to + ": " + target;
        if (to == "ui" || to.starts_with("ui/")) return {};
        from = "ui";
    }
    auto row = may_include.find(from);
    if (row == may_include.end()) return "the folder has no row in the table";
    if (to.empty() || (!may_include.contains(to) && !to.starts_with("ui/")))
        return "ours are included as \"folder/name.h\": " + target;
    if (to != from && !row->second.contains(to)) return from + " may not include " + to + ": " + target;
    return {};
}

TEST(Layers, OnlyTheTablesEdges) {
    fs::path app = fs::path(SOURCE_DIR) / "app";
    int files = 0, includes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(app)) {
        if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
        if (entry.path().filename() == "precompiled.h") continue; // of all rooms: it makes no one need another
        ++files;
        auto text = base::read_file(entry.path());
        ASSERT_TRUE(text) << text.error().sentence();
        std::istringstream lines(*text);
        std::string line, file = fs::relative(entry.path(), app).generic_string();
        for (int number = 1; std::getline(lines, line); ++number) {
            includes += line.starts_with("#include \"");
            auto why = objection(file, line);
            EXPECT_FALSE(why) << "app/" << file << ":" << number << ": " << *why;
        }
    }
    EXPECT_GT(files, 20);
    EXPECT_GT(includes, 20);
}

TEST(Layers, ObjectsToEachKindOfWrongEdge) {
    EXPECT_FALSE(objection("sim/engine.cpp", "#include \"ptx/module.h\""));
    EXPECT_FALSE(objection("sim/engine.cpp", "#include \"sim/warp.h\" // own folder"));
    EXPECT_FALSE(objection("sim/engine.cpp", "#include <vector>"));
    EXPECT_FALSE(objection("compile/nvrtc.cpp", "#include <nvrtc.h>"));
    EXPECT_FALSE(objection("main.cpp", "#include \"cli/commands.h\""));
    EXPECT_TRUE(objection("analysis/banks.h", "#include \"sim/engine.h\""));
    EXPECT_TRUE(objection("base/file.h", "  #  include \"trace/trace.h\""));
    EXPECT_TRUE(objection("gpu/bench.h", "#include \"compile/compiler.h\""));
    EXPECT_TRUE(objection("gpu/worker/run.cpp", "#include \"gpu/live/live.h\""));
    EXPECT_TRUE(objection("session/session.cpp", "#include \"ui/window/window.h\""));
    EXPECT_TRUE(objection("ui/window/window.cpp", "#include \"gpu/worker/run.h\""));
    EXPECT_TRUE(objection("cli/commands.cpp", "#include \"ui/window/window.h\""));
    EXPECT_TRUE(objection("ui/window/window.cpp", "#include \"window.h\""));
    EXPECT_TRUE(objection("ui/draw/draw.cpp", "#include \"ui/time/stepping.h\""));
    EXPECT_TRUE(objection("ui/panels.cpp", "#include \"ui/time/stepping.h\""));
    EXPECT_TRUE(objection("ui/attic/x.cpp", "#include \"ui/panel.h\""));
    EXPECT_FALSE(objection("ui/time/timeline.cpp", "#include \"ui/panel.h\""));
    EXPECT_TRUE(objection("tools/x.cpp", "#include \"base/file.h\""));
    EXPECT_TRUE(objection("gpu/worker/run.cpp", "#include <nvrtc.h>"));
}

} // namespace
