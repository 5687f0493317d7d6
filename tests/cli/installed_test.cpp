// The program as it is installed: found by its own place, and what it tells packages about itself.
#include "program.h"

#include "compile/compiler.h"

namespace {
namespace fs = std::filesystem;

using program::run;

TEST(Installed, FindsItsKernelsByItsOwnPlaceAndNothingInASourceTree) {
    const fs::path prefix = program::folder() / "some prefix", source = SOURCE_DIR;
    fs::create_directories(prefix / "bin");
    fs::copy_file(GEMMSCOPE, prefix / "bin/gemmscope");
    const auto list = [&] {
        const std::string out = (program::folder() / "list").string();
        EXPECT_GE(std::system(
                      (program::quoted((prefix / "bin/gemmscope").string()) + " list --ids >" + out + " 2>&1").c_str()),
                  0);
        return *base::read_file(out);
    };
    EXPECT_NE(list().find("the folder kernels/ is missing"), std::string::npos) << list();
    // Of the place that packages install to, even where the prefix has a folder of this name.
    for (const char* place : {"kernels", "share/gemmscope/kernels"}) {
        fs::create_directories(prefix / place / "races");
        fs::copy_file(source / "kernels/families.toml", prefix / place / "families.toml");
    }
    fs::copy_file(source / "kernels/tile.cu", prefix / "share/gemmscope/kernels/tile.cu");
    fs::copy_file(source / "kernels/naive.cu", prefix / "kernels/naive.cu");
    EXPECT_EQ(list(), "tile\n");
    fs::remove_all(prefix / "share");
    EXPECT_EQ(list(), "naive\n");
}

// A copy of the program with these of its folders, as links.
fs::path installed(const std::string& name, std::initializer_list<const char*> folders) {
    const fs::path prefix = program::folder() / name, share = prefix / "share/gemmscope";
    fs::create_directories(prefix / "bin");
    fs::create_directories(share);
    fs::copy_file(GEMMSCOPE, prefix / "bin/gemmscope");
    for (const char* folder : folders) fs::create_directory_symlink(fs::path(SOURCE_DIR) / folder, share / folder);
    return prefix / "bin/gemmscope";
}

TEST(Installed, TuneWritesIntoTheUsersOwnFolder) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    const fs::path gemmscope = installed("tuned prefix", {"kernels", "assets"}),
                   data = program::folder() / "tuned data";
    const auto call = [&](const std::string& arguments) {
        const std::string out = (program::folder() / "out").string();
        const std::string command = "GEMMSCOPE_DATA=" + program::quoted(data.string()) +
                                    " GEMMSCOPE_STATE=" + program::quoted(program::folder().string()) + " " +
                                    program::quoted(gemmscope.string()) + " " + arguments + " >" + out;
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
        return *base::read_file(out);
    };
    const auto tuned = [&] { return nlohmann::json::parse(call("show warp_tile --json"))["tuned"]; };
    const auto shipped = tuned();
    const std::string before = *base::read_file(fs::path(SOURCE_DIR) / "kernels/warp_tile.tuned.toml");
    ASSERT_FALSE(shipped.empty());
    call("tune warp_tile --sizes 64 --most 2 --worker 'exec python3 \"" SOURCE_DIR
         "/tests/gpu/fake_worker.py\" tiles' 2>&1");
    EXPECT_EQ(*base::read_file(fs::path(SOURCE_DIR) / "kernels/warp_tile.tuned.toml"), before);
    EXPECT_TRUE(fs::exists(data / "tuned/warp_tile.tuned.toml"));
    const auto both = tuned();
    ASSERT_EQ(both.size(), shipped.size() + 1);
    EXPECT_EQ(both[0], shipped[0]) << "what is shipped is there still";
    EXPECT_EQ(both.back()["device"], "Fake");

    // A damaged file of one's own does not take what is shipped away.
    EXPECT_TRUE(base::write_file(data / "tuned/warp_tile.tuned.toml", "[best]\n"));
    EXPECT_EQ(nlohmann::json::parse(call("show warp_tile --json 2>/dev/null"))["tuned"], shipped);
}

// By an upgrade, while it runs: its worker is of its own version, and found.
TEST(Installed, AfterItsFileIsReplacedItGoesOn) {
    const fs::path prefix = program::folder() / "upgraded", source = SOURCE_DIR;
    fs::create_directories(prefix);
    fs::copy_file(GEMMSCOPE, prefix / "gemmscope");
    for (const char* folder : {"assets", "kernels"}) fs::create_directory_symlink(source / folder, prefix / folder);
    const fs::path out = program::folder() / "told";
    const std::string script = "cd " + program::quoted(prefix.string()) +
                               " && exec 9<gemmscope && echo '#!/bin/false' >new && mv new gemmscope && "
                               "exec /proc/self/fd/9 device >" +
                               program::quoted(out.string()) + " 2>&1";
    const int status = std::system(("bash -c " + program::quoted(script)).c_str());
    ASSERT_TRUE(WIFEXITED(status));
    const std::string told = *base::read_file(out);
    EXPECT_TRUE(WEXITSTATUS(status) == 0 || told.find("NVIDIA") != std::string::npos)
        << "neither a GPU, nor its worker's word that there is no driver: " << told;
}

TEST(Describe, TheManPageHasEveryCommandOfTheHelp) {
    const std::string help = run({"--help"}).out, page = run({"describe", "man"}).out;
    EXPECT_TRUE(page.starts_with(".TH GEMMSCOPE 1")) << page.substr(0, 80);
    std::istringstream lines(help.substr(help.find("Subcommands:")));
    std::string line;
    std::getline(lines, line);
    int commands = 0;
    while (std::getline(lines, line)) {
        if (line.size() < 3 || line[2] == ' ') continue;
        const std::string command = line.substr(2, line.find(' ', 2) - 2);
        EXPECT_NE(page.find("\n.SS " + command + "\n"), std::string::npos) << command;
        ++commands;
    }
    EXPECT_GT(commands, 15);
    EXPECT_NE(page.find("\\fB\\-\\-dynamic\\-shared\\fR \\fIBYTES\\fR\n"), std::string::npos);
    EXPECT_EQ(page.find(".SS compiler"), std::string::npos) << "nobody types it";
    EXPECT_EQ(page.find(".SS describe"), std::string::npos);
}

// What bash offers for the last of these words.
std::string completed(const std::string& words) {
    const std::string script = program::file("completion", run({"describe", "bash"}).out);
    const std::string gemmscope = fs::path(GEMMSCOPE).parent_path().string();
    const std::string command =
        "cd " + program::quoted(program::folder().string()) + "; PATH=" + program::quoted(gemmscope) +
        ":$PATH bash -c 'source completion; COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gemmscope; echo ${COMPREPLY[*]}' >completed";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return *base::read_file(program::folder() / "completed");
}

TEST(Describe, BashCompletesCommandsOptionsValuesAndKernels) {
    EXPECT_EQ(completed("gemmscope occ"), "occupancy\n");
    EXPECT_EQ(completed("gemmscope trace double_buffer_l"), "double_buffer_lean\n");
    EXPECT_EQ(completed("gemmscope trace --dyn"), "--dynamic-shared\n");
    EXPECT_EQ(completed("gemmscope --theme d"), "dark\n");
    EXPECT_EQ(completed("gemmscope trace tile --lang z"), "zh\n");
    EXPECT_EQ(completed("gemmscope setup --cuda \"\""), "12 13\n");
    EXPECT_EQ(completed("gemmscope list completio"), "completion\n") << "a file";
}

TEST(Describe, RefusesOtherShells) { program::expect_refused({"describe", "tcsh"}, 2, "tcsh"); }

} // namespace
