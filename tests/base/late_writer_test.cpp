#include "base/late_writer.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace {

namespace fs = std::filesystem;

struct Folder {
    fs::path path = [] {
        std::string name = (fs::temp_directory_path() / "late-XXXXXX").string();
        return fs::path(::mkdtemp(name.data()));
    }();
    ~Folder() { fs::remove_all(path); }
};

TEST(LateWriter, WritesTheLastOfAllBeforeItGoes) {
    const Folder folder;
    {
        base::LateWriter writer;
        for (const char* text : {"one", "two", "three"}) writer.write(folder.path / "a", [text] { return text; });
        writer.write(folder.path / "deeper" / "b", [] { return "b"; });
    }
    EXPECT_EQ(*base::read_file(folder.path / "a"), "three");
    EXPECT_EQ(*base::read_file(folder.path / "deeper" / "b"), "b");
}

TEST(LateWriter, WritesWhileChangesGoOn) {
    const Folder folder;
    base::LateWriter writer;
    // Never at rest for a fifth of a second: what a hand that types does.
    for (int i = 0; !fs::exists(folder.path / "a"); ++i) {
        writer.write(folder.path / "a", [i] { return std::to_string(i); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    SUCCEED();
}

TEST(LateWriter, WhatIsRemovedStaysAway) {
    const Folder folder;
    ASSERT_TRUE(base::write_file(folder.path / "a", "old").ok());
    {
        base::LateWriter writer;
        writer.write(folder.path / "a", [] { return "new"; });
        writer.remove(folder.path / "a");
    }
    EXPECT_FALSE(fs::exists(folder.path / "a"));
}

TEST(LateWriter, TellsOnceWhyItCouldNotWrite) {
    const Folder folder;
    ASSERT_TRUE(base::write_file(folder.path / "file", "").ok());
    std::atomic<int> troubles = 0;
    base::LateWriter writer([&] { ++troubles; });                     // a window at rest is to look
    writer.write(folder.path / "file" / "below", [] { return "x"; }); // no folder can be there
    std::optional<base::Error> problem;
    while (troubles == 0) std::this_thread::yield();
    while (!(problem = writer.take_problem())) std::this_thread::yield();
    EXPECT_FALSE(problem->sentence().empty());
    EXPECT_FALSE(writer.take_problem());
    writer.write(folder.path / "a", []() -> std::string { throw std::bad_alloc(); });
    while (!(problem = writer.take_problem())) std::this_thread::yield();
    writer.write(folder.path / "a", [] { return "x"; });
    while (!fs::exists(folder.path / "a")) std::this_thread::yield();
}

} // namespace
