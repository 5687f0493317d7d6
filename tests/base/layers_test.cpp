// Who may include whom: the tables of CONTRIBUTING.md, held against every #include line of app/.
#include "base/file.h"
#include "base/text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace {
namespace fs = std::filesystem;

// Of the two tables of CONTRIBUTING.md: what each folder may include, itself left out. "" is app/ itself, with main.cpp.
struct Tables {
    std::map<std::string, std::set<std::string>> may;
    std::set<std::string> houses; // folders whose rooms have rows of their own: "ui", whose edges its rooms share
};

std::string parent_of(const std::string& folder) { return fs::path(folder).parent_path().generic_string(); }

// The rows of the table that begins with the heading, whose last column is a list of folders, or "nothing". Folders in the table of
// rooms are those beside the room. What is no such row is said in `problems`.
void read_table(const std::string& page, const std::string& heading, bool rooms, Tables& tables,
                std::vector<std::string>& problems) {
    static const std::regex row(R"(\| `app((?:/[a-z_]+)*)` \|.*\| (nothing|[a-z_/]+(?:, [a-z_/]+)*) \|)");
    static const std::regex folder("[a-z_/]+");
    std::istringstream lines(page.substr(std::min(page.find(heading), page.size())));
    std::string line;
    std::getline(lines, line); // the headings
    std::getline(lines, line); // |---|
    for (std::smatch match; std::getline(lines, line) && line.starts_with('|');) {
        if (!std::regex_match(line, match, row)) {
            problems.push_back("the last column is not a list of folders: " + line);
            continue;
        }
        const std::string path = match[1], from = path.empty() ? "" : path.substr(1), list = match[2];
        if (rooms) tables.houses.insert(parent_of(from));
        std::set<std::string>& may = tables.may[from];
        for (std::sregex_iterator one(list.begin(), list.end(), folder), end; list != "nothing" && one != end; ++one)
            may.insert(rooms ? parent_of(from) + "/" + one->str() : one->str());
    }
}

Tables read_tables(const std::string& page, std::vector<std::string>& problems) {
    Tables tables;
    read_table(page, "| folder |", false, tables, problems);
    read_table(page, "| room |", true, tables, problems);
    for (const auto& [from, to] : tables.may)
        for (const std::string& one : to)
            if (one == from || !tables.may.contains(one))
                problems.push_back("app/" + from + " may include " + one + "?");
    return tables;
}

// The row that a file's folder belongs to: its own, or that of the folder around it. Nothing: there is none.
std::optional<std::string> row_of(const Tables& tables, const std::string& file) {
    std::string folder = parent_of(file);
    if (folder.empty()) return tables.may.contains("") ? std::optional(folder) : std::nullopt;
    for (; !folder.empty() && !tables.may.contains(folder); folder = parent_of(folder))
        if (tables.houses.contains(parent_of(folder))) return {}; // a room that the table does not have
    return folder.empty() ? std::nullopt : std::optional(folder);
}

struct Edge {
    std::string from, to;  // rows; `from` is the house where it is the house's edge that is used
    std::string objection; // empty: the tables allow it
};

// The edge that a line of `file` (relative to app/) is; nothing: it is none.
std::optional<Edge> edge_of(const Tables& tables, const std::string& file, const std::string& line) {
    static const std::regex include(R"re(^\s*#\s*include\s*(["<])([^">]+)[">].*)re");
    std::smatch match;
    if (!std::regex_match(line, match, include)) return {};
    const std::string target = match[2];
    const auto from = row_of(tables, file), to = row_of(tables, target);
    if (match[1] == "<") {
        if (target != "nvrtc.h" || from == "compile") return {};
        return Edge{from.value_or(""), "", "only compile may include nvrtc.h"};
    }
    if (!from) return Edge{"", "", "the folder has no row in the table"};
    if (!to || to->empty()) return Edge{*from, "", "ours are included as \"folder/name.h\": " + target};
    const std::string house = parent_of(*from);
    if (to == from || tables.may.at(*from).contains(*to)) return Edge{*from, *to, ""};
    if (tables.houses.contains(house) && (*to == house || tables.may.at(house).contains(*to)))
        return Edge{house, *to, ""};
    return Edge{*from, *to, *from + " may not include " + *to + ": " + target};
}

Tables tables_of_the_page() {
    const auto page = base::read_file(fs::path(SOURCE_DIR) / "CONTRIBUTING.md");
    EXPECT_TRUE(page);
    std::vector<std::string> problems;
    Tables tables = read_tables(page ? *page : "", problems);
    EXPECT_EQ(problems, std::vector<std::string>());
    return tables;
}

TEST(Layers, OnlyTheTablesEdgesAndAllOfThem) {
    const Tables tables = tables_of_the_page();
    const fs::path app = fs::path(SOURCE_DIR) / "app";
    std::map<std::string, std::set<std::string>> used;
    int includes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(app)) {
        static const std::set<std::string> ours{".h", ".cpp", ".inc", ".cu", ".cuh"};
        if (!ours.contains(entry.path().extension().string())) continue;
        if (entry.path().filename() == "precompiled.h") continue; // of all rooms: it makes no one need another
        const auto text = base::read_file(entry.path());
        ASSERT_TRUE(text) << text.error().sentence();
        const std::string file = fs::relative(entry.path(), app).generic_string();
        if (const auto row = row_of(tables, file)) used.try_emplace(*row);
        int number = 0;
        for (const std::string_view line : base::lines(*text)) {
            ++number;
            const auto edge = edge_of(tables, file, std::string(line));
            if (!edge) continue;
            ++includes;
            EXPECT_EQ(edge->objection, "") << "app/" << file << ":" << number;
            used[edge->from].insert(edge->to);
        }
    }
    EXPECT_GT(includes, 1000);
    for (const auto& [from, may] : tables.may) {
        EXPECT_TRUE(used.contains(from)) << "app/" << from << " is in the table and not in the tree";
        for (const std::string& to : may)
            EXPECT_TRUE(used[from].contains(to))
                << "app/" << from << " may include " << to << ", and nothing of it does";
    }
}

TEST(Layers, ObjectsToEachKindOfWrongEdge) {
    const Tables tables = tables_of_the_page();
    const auto objection = [&](const std::string& file, const std::string& line) {
        const auto edge = edge_of(tables, file, line);
        return edge && !edge->objection.empty();
    };
    EXPECT_FALSE(objection("sim/engine.cpp", "#include \"ptx/module.h\""));
    EXPECT_FALSE(objection("sim/engine.cpp", "#include \"sim/memory.h\" // own folder"));
    EXPECT_FALSE(objection("sim/engine.cpp", "#include <vector>"));
    EXPECT_FALSE(objection("compile/nvrtc.cpp", "#include <nvrtc.h>"));
    EXPECT_FALSE(objection("main.cpp", "#include \"cli/commands.h\""));
    EXPECT_TRUE(objection("analysis/banks.h", "#include \"sim/engine.h\""));
    EXPECT_TRUE(objection("base/file.h", "  #  include \"trace/trace.h\""));
    EXPECT_TRUE(objection("gpu/client.h", "#include \"compile/compiler.h\""));
    EXPECT_TRUE(objection("cpu/bench.cpp", "#include \"gpu/protocol.h\""));
    EXPECT_TRUE(objection("measure/series.h", "#include \"gpu/client.h\""));
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
    EXPECT_TRUE(objection("ui/draw/draw.cpp", "#include \"tools/x.h\""));
}

// A pointer into ImGui's storage is one into freed memory once another value comes in; ui::Kept holds none.
TEST(Layers, ImGuisStorageIsUsedThroughKeptAlone) {
    const fs::path app = fs::path(SOURCE_DIR) / "app";
    std::set<std::string> users;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(app / "ui")) {
        if (!entry.is_regular_file()) continue;
        const auto text = base::read_file(entry.path());
        ASSERT_TRUE(text) << text.error().sentence();
        if (text->find("StateStorage") != std::string::npos)
            users.insert(fs::relative(entry.path(), app).generic_string());
    }
    EXPECT_EQ(users, std::set<std::string>{"ui/draw/kept.h"});
}

// "sim/deep" has no row: it may include what sim may, and whoever may include sim may include it. A room without one is a mistake.
TEST(Layers, AFolderWithoutARowBelongsToTheOneAroundIt) {
    std::vector<std::string> problems;
    const Tables tables = read_tables("# Page\n\n| folder | what | may include |\n|---|---|---|\n"
                                      "| `app` | `main.cpp` | ui/map |\n| `app/base` | x | nothing |\n"
                                      "| `app/gpu` | \"a | b\" | base |\n| `app/gpu/worker` | x | gpu |\n"
                                      "| `app/ui` | x | gpu |\n\n| room | what | may include |\n|---|---|---|\n"
                                      "| `app/ui/draw` | x | nothing |\n| `app/ui/map` | x | draw |\n\nText\n",
                                      problems);
    EXPECT_EQ(problems, std::vector<std::string>());
    const auto objection = [&](const std::string& file, const std::string& target) {
        return edge_of(tables, file, "#include \"" + target + "\"")->objection;
    };
    EXPECT_EQ(objection("gpu/deep/bench.cpp", "base/file.h"), "");
    EXPECT_EQ(objection("gpu/deep/bench.cpp", "gpu/bench.h"), "");
    EXPECT_EQ(objection("gpu/worker/worker.cpp", "gpu/deep/bench.h"), "");
    EXPECT_EQ(objection("gpu/worker/deep/x.cpp", "base/file.h"), "gpu/worker may not include base: base/file.h");
    EXPECT_EQ(objection("gpu/bench.cpp", "ui/panel.h"), "gpu may not include ui: ui/panel.h");
    EXPECT_EQ(objection("main.cpp", "ui/map/scene.h"), "");

    EXPECT_EQ(objection("ui/map/scene.cpp", "ui/panel.h"), "");
    EXPECT_EQ(objection("ui/map/scene.cpp", "ui/draw/draw.h"), "");
    EXPECT_EQ(objection("ui/map/deep/scene.cpp", "gpu/deep/bench.h"), "");
    EXPECT_EQ(objection("ui/map/scene.cpp", "base/file.h"), "ui/map may not include base: base/file.h");
    EXPECT_EQ(objection("ui/draw/draw.cpp", "ui/map/scene.h"), "ui/draw may not include ui/map: ui/map/scene.h");
    EXPECT_EQ(objection("ui/panel.cpp", "ui/map/scene.h"), "ui may not include ui/map: ui/map/scene.h");
    EXPECT_EQ(objection("ui/attic/x.cpp", "ui/panel.h"), "the folder has no row in the table");
}

TEST(Layers, SaysWhatIsNoRow) {
    const auto problems_of = [](const std::string& row) {
        std::vector<std::string> problems;
        read_tables("| folder | what | may include |\n|---|---|---|\n| `app/base` | x | nothing |\n" + row + "\n",
                    problems);
        return problems;
    };
    EXPECT_EQ(problems_of("| `app/ui` | x | base |").size(), 0u);
    EXPECT_EQ(problems_of("| `app/ui` | x | all but cli |").size(), 1u);
    EXPECT_EQ(problems_of("| `app/ui` | x | |").size(), 1u);
    EXPECT_EQ(problems_of("| `app/ui` | x | base, session |").size(), 1u) << "session has no row";
    EXPECT_EQ(problems_of("| `app/ui` | x | ui |").size(), 1u);
    EXPECT_EQ(problems_of("| app/ui | x | base |").size(), 1u);
}

} // namespace
