// A test that ends by the clock fails on a busy machine: no test says that something takes less than so many seconds of wall-clock time.
// Processor time (base::thread_cpu_s, std::clock) and waiting for a condition do not depend on the load.
#include "base/file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

namespace {

namespace fs = std::filesystem;

bool bounds_wall_clock(const std::string& line) {
    static const std::regex bound(
        R"re((EXPECT|ASSERT)_L[TE]\(.*(std::chrono|steady_clock|system_clock|seconds_since).*)re");
    return std::regex_search(line, bound);
}

TEST(WallClock, NoTestBoundsIt) {
    int files = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(SOURCE_DIR) / "tests")) {
        if (entry.path().extension() != ".cpp" || entry.path().filename() == "wall_clock_test.cpp") continue;
        ++files;
        auto text = base::read_file(entry.path());
        ASSERT_TRUE(text) << text.error().sentence();
        std::istringstream lines(*text);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number)
            EXPECT_FALSE(bounds_wall_clock(line)) << entry.path().string() << ":" << number << ": " << line;
    }
    EXPECT_GT(files, 100);
}

TEST(WallClock, IsRecognised) {
    EXPECT_TRUE(bounds_wall_clock("EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));"));
    EXPECT_TRUE(bounds_wall_clock("    ASSERT_LE(seconds_since(start), 5);"));
    EXPECT_FALSE(bounds_wall_clock("EXPECT_GE(took, std::chrono::milliseconds(500));"));
    EXPECT_FALSE(bounds_wall_clock("EXPECT_LT(base::thread_cpu_s() - start, 20);"));
}

} // namespace
