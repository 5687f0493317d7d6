#include "base/file.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;

std::function<int(int)> fsync_here; // what the system does, unless a test sets it

} // namespace

// In place of the C library's.
extern "C" int fsync(int descriptor) {
    return fsync_here ? fsync_here(descriptor) : static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace {

class File : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / ("gemmscope_file_test." + std::to_string(::getpid()));
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }
    fs::path folder;
};

// Sets or clears an environment variable for one test.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        value ? ::setenv(name, value, 1) : ::unsetenv(name);
    }
    ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> old_;
};

TEST_F(File, ReadsBackWhatWasWritten) {
    std::string bytes("a\0\xff\n", 4);
    fs::path path = folder / "new/deeper/file";
    ASSERT_TRUE(base::write_file(path, bytes).ok());
    EXPECT_EQ(*base::read_file(path), bytes);
    ASSERT_TRUE(base::write_file(path, "").ok());
    EXPECT_EQ(*base::read_file(path), "");
    EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1) << "a temporary file was left";
}

// A power cut may come right after the new name is there.
TEST_F(File, IsOnTheDiskBeforeItHasItsName) {
    const fs::path path = folder / "file";
    ASSERT_TRUE(base::write_file(path, "old").ok());
    std::string written, named;
    fsync_here = [&](int descriptor) {
        std::array<char, 16> bytes{};
        const ssize_t count =
            ::pread(::open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), O_RDONLY | O_CLOEXEC), bytes.data(),
                    bytes.size(), 0);
        written.assign(bytes.data(), static_cast<size_t>(std::max<ssize_t>(count, 0)));
        named = *base::read_file(path);
        return 0;
    };
    EXPECT_TRUE(base::write_file(path, "new").ok());
    EXPECT_EQ(written, "new");
    EXPECT_EQ(named, "old");
    fsync_here = [](int) { return errno = EIO, -1; };
    EXPECT_FALSE(base::write_file(path, "lost").ok());
    EXPECT_EQ(*base::read_file(path), "new");
    EXPECT_TRUE(base::write_file(path, "newer", base::Survives::crash).ok())
        << "who does not need the disk does not wait";
    fsync_here = nullptr;
    EXPECT_EQ(*base::read_file(path), "newer");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "a temporary file was left";
}

TEST_F(File, WhoMayReadItStays) {
    const fs::path path = folder / "file";
    ASSERT_TRUE(base::write_file(path, "mine").ok());
    for (const fs::perms mode : {fs::perms::owner_read | fs::perms::owner_write, fs::perms{0640}, fs::perms{0755}}) {
        fs::permissions(path, mode);
        ASSERT_TRUE(base::write_file(path, "still mine").ok());
        EXPECT_EQ(fs::status(path).permissions(), mode);
    }
}

TEST_F(File, WhatAKillLeftBesideItGoes) {
    const fs::path place = folder / "left";
    fs::create_directories(place);
    const auto make = [&](const char* name, bool long_ago) { // by another program
        std::ofstream(place / name) << "half";
        if (long_ago) fs::last_write_time(place / name, fs::file_time_type::clock::now() - std::chrono::minutes(2));
    };
    make(".gemmscope-part-0123456789abcdef", true);
    make(".gemmscope-part-0123456789abcde0", false); // somebody may be writing it
    make("view.json.damaged", true);
    make("other.0123456789abcdef", true);
    ASSERT_TRUE(base::write_file(place / "view.json", "whole").ok());
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(place)) names.insert(entry.path().filename().string());
    EXPECT_EQ(names, (std::set<std::string>{".gemmscope-part-0123456789abcde0", "other.0123456789abcdef", "view.json",
                                            "view.json.damaged"}));
    EXPECT_TRUE(base::write_file(place / std::string(255, 'x'), "").ok()) << "a name as long as names may be";
}

TEST_F(File, WritesIntoAPipeAndThroughALink) {
    fs::path pipe = folder / "pipe", file = folder / "file", link = folder / "link";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_TRUE(base::write_file(pipe, "abc").ok());
    char bytes[4] = {};
    EXPECT_EQ(::read(reader, bytes, 3), 3);
    ::close(reader);
    EXPECT_STREQ(bytes, "abc");
    EXPECT_TRUE(fs::is_fifo(pipe)) << "the pipe was replaced by a file";

    ASSERT_TRUE(base::write_file(file, "old").ok());
    fs::create_symlink("file", link);
    ASSERT_TRUE(base::write_file(link, "new").ok());
    EXPECT_TRUE(fs::is_symlink(link)) << "the link was replaced by a file";
    EXPECT_EQ(*base::read_file(file), "new");
}

// Nobody writes to the pipe: whoever opened it would wait.
TEST_F(File, OnlyWhoNamesAPipeOrADeviceReadsIt) {
    const fs::path pipe = folder / "pipe", link = folder / "link";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink("pipe", link);
    for (const fs::path& path : {pipe, link, fs::path("/dev/null")}) {
        const auto read = base::read_file(path);
        ASSERT_FALSE(read) << path;
        EXPECT_EQ(read.error().sentence(), path.string() + ": this is a device or a pipe; give a regular file");
    }
    EXPECT_EQ(*base::read_named("/dev/null"), "");
    std::jthread writer([&] { std::ofstream(pipe) << "abc"; });
    EXPECT_EQ(*base::read_named(pipe), "abc");
}

TEST_F(File, DevicesStayDevices) {
    ASSERT_TRUE(fs::is_character_file("/dev/full") && fs::is_character_file("/dev/zero"));
    auto full = base::write_file("/dev/full", "x");
    EXPECT_FALSE(full.ok());
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    auto endless = base::read_named("/dev/zero");
    ASSERT_FALSE(endless);
    EXPECT_NE(endless.error().what.english().find("too large"), std::string::npos) << endless.error().sentence();
}

TEST_F(File, ErrorsNameTheFileAndTheReason) {
    auto missing = base::read_file(folder / "absent.cu");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().where, (folder / "absent.cu").string());
    EXPECT_NE(missing.error().what.english().find("No such file"), std::string::npos);
    EXPECT_FALSE(base::read_file(folder)) << "a folder is not a file";
    ASSERT_TRUE(base::write_file(folder / "plain", "x").ok());
    EXPECT_FALSE(base::write_file(folder / "plain/below", "x").ok());
    EXPECT_FALSE(base::write_file(folder, "x").ok());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "a temporary file was left";
}

// A file may claim any size.
TEST_F(File, RefusesWhatIsTooLargeBeforeItTakesMemory) {
    const fs::path path = folder / "sparse";
    ASSERT_TRUE(base::write_file(path, "").ok());
    fs::resize_file(path, uintmax_t{1} << 42);
    const auto read = base::read_file(path);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().sentence().find("sparse"), std::string::npos);
}

TEST_F(File, AReaderNeverSeesHalfAFile) {
    fs::path path = folder / "shared";
    std::string one(1 << 18, 'a'), other(1 << 17, 'b');
    ASSERT_TRUE(base::write_file(path, one).ok());
    std::atomic<bool> stop = false;
    auto write = [&](const std::string& bytes) {
        while (!stop) EXPECT_TRUE(base::write_file(path, bytes).ok());
    };
    std::thread first(write, one), second(write, other);
    for (int i = 0; i < 100; ++i) {
        auto text = base::read_file(path);
        EXPECT_TRUE(text && (*text == one || *text == other));
    }
    stop = true;
    first.join();
    second.join();
}

TEST(Folders, FollowTheEnvironment) {
    Variable own("GEMMSCOPE_CACHE", nullptr), state("GEMMSCOPE_STATE", nullptr), data("GEMMSCOPE_DATA", nullptr);
    Variable home("HOME", "/home/x"), xdg("XDG_CACHE_HOME", nullptr), xdg_state("XDG_STATE_HOME", nullptr),
        xdg_data("XDG_DATA_HOME", nullptr);
    EXPECT_EQ(base::cache_folder(), "/home/x/.cache/gemmscope");
    EXPECT_EQ(base::state_folder(), "/home/x/.local/state/gemmscope");
    EXPECT_EQ(base::data_folder(), "/home/x/.local/share/gemmscope");
    Variable set("XDG_CACHE_HOME", "/c"), relative("XDG_STATE_HOME", "not/absolute");
    EXPECT_EQ(base::cache_folder(), "/c/gemmscope");
    EXPECT_EQ(base::state_folder(), "/home/x/.local/state/gemmscope");
    Variable explicit_folder("GEMMSCOPE_CACHE", "/mine");
    EXPECT_EQ(base::cache_folder(), "/mine");
    Variable no_home("HOME", nullptr);
    EXPECT_TRUE(base::state_folder().is_absolute());
}

// Others may have made the one of this user, and let it lead elsewhere.
TEST(Folders, WithoutAHomeTheOneInTheTemporaryFolderIsOfThisUserAlone) {
    const fs::path temporary = fs::temp_directory_path() / ("gemmscope_no_home." + std::to_string(::getpid()));
    const fs::path own = temporary / ("gemmscope-" + std::to_string(::geteuid()));
    fs::create_directories(temporary);
    Variable cache("GEMMSCOPE_CACHE", nullptr), state("GEMMSCOPE_STATE", nullptr), xdg("XDG_STATE_HOME", nullptr),
        home("HOME", nullptr), place("TMPDIR", temporary.c_str());
    EXPECT_EQ(base::state_folder(), own);
    EXPECT_EQ(fs::status(own).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(base::write_file(base::state_folder() / "view.json", "{}").ok());

    fs::permissions(own, fs::perms::all);
    EXPECT_EQ(base::state_folder(), own);
    EXPECT_EQ(fs::status(own).permissions(), fs::perms::owner_all) << "others may write into it";

    fs::rename(own, temporary / "elsewhere");
    fs::create_directory_symlink("elsewhere", own);
    EXPECT_NE(base::state_folder(), own) << "it leads to where somebody else wants it";
    EXPECT_FALSE(base::write_file(base::state_folder() / "view.json", "{}").ok());
    EXPECT_FALSE(base::read_file(base::state_folder() / "view.json"));
    fs::remove(own);

    constexpr uid_t nobody = 65534;
    fs::create_directory(own);
    if (::chown(own.c_str(), nobody, nobody) == 0) { // only root gives folders away
        EXPECT_NE(base::state_folder(), own);
    }
    fs::remove_all(temporary);
}

TEST(Folders, FindsWhatIsInstalledWithTheProgram) {
    auto kernels = base::resource_folder("kernels");
    ASSERT_TRUE(kernels) << kernels.error().sentence();
    EXPECT_TRUE(fs::is_directory(*kernels));
    auto absent = base::resource_folder("no_such_folder");
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().failure, base::Failure::missing);
    EXPECT_EQ(base::source_folder() / "kernels", *kernels); // this test lies in its build folder
}

} // namespace
