#include "../slow_disk.h"
#include "base/file.h"
#include "base/file_watch.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <future>
#include <mutex>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;
using namespace std::chrono_literals;

} // namespace

// In place of the C library's.
extern "C" int stat(const char* path, struct stat* status) {
    if (is_slow(path)) slow_disk.answer();
    return ::fstatat(AT_FDCWD, path, status, 0);
}

namespace {

class FileWatch : public testing::Test {
protected:
    void SetUp() override {
        root = fs::temp_directory_path() / ("gemmscope_watch_test." + std::to_string(::getpid()));
        write("folder/old.cu", "one");
        write("single.cu", "one");
        watch_from_now({root / "folder", root / "single.cu", root / "absent"});
    }
    void TearDown() override { fs::remove_all(root); }
    void write(const std::string& file, const std::string& text) {
        ASSERT_TRUE(base::write_file(root / file, text).ok());
    }
    void watch_from_now(const std::vector<fs::path>& places) { watch.watch(places, base::look_at(places)); }
    // Waits until the watch calls; a minute is for a machine that does something else.
    bool told() {
        std::unique_lock lock(mutex);
        const bool came = called.wait_for(lock, 60s, [&] { return calls > seen; });
        seen = calls;
        return came && watch.take_change();
    }
    fs::path root;
    std::mutex mutex;
    std::condition_variable called;
    int calls = 0, seen = 0;
    base::FileWatch watch{[this] {
                              std::lock_guard lock(mutex);
                              ++calls;
                              called.notify_one();
                          },
                          5ms};
};

TEST_F(FileWatch, TellsOfChangesWhereNothingHasChangedForLong) {
    const std::function<void()> changes[] = {
        [&] { std::ofstream(root / "folder/old.cu", std::ios::app) << "more"; }, // the folder's time stays
        [&] { write("folder/new.cu", "one"); },
        [&] { fs::remove(root / "folder/new.cu"); },
        [&] { write("single.cu", "two"); },
        [&] { write("absent", "here"); },
    };
    for (const auto& change : changes) {
        fs::last_write_time(root / "folder", fs::file_time_type::clock::now() - 1h);
        watch_from_now({root / "folder", root / "single.cu", root / "absent"});
        std::this_thread::sleep_for(30ms); // some looks
        EXPECT_FALSE(watch.take_change());
        change();
        EXPECT_TRUE(told()) << &change - changes;
    }
}

TEST_F(FileWatch, TellsOfEveryKindOfChangeOnce) {
    write("folder/old.cu", "other");
    EXPECT_TRUE(told());
    EXPECT_FALSE(watch.take_change()) << "taken";
    write("folder/new.cu", "one");
    EXPECT_TRUE(told());
    fs::remove(root / "folder/old.cu");
    EXPECT_TRUE(told());
    write("single.cu", "other");
    EXPECT_TRUE(told());
    write("absent", "here now");
    EXPECT_TRUE(told());
}

// A frame is drawn while the disk, or a server behind it, does not answer.
TEST_F(FileWatch, WhoAsksForChangesDoesNotWaitForTheDisk) {
    write("slow.cu", "one");
    watch_from_now({root / "slow.cu"});
    slow_disk.hang(true);
    slow_disk.wait_until_asked();
    auto frame = std::async(std::launch::async, [&] { return watch.take_change(); });
    EXPECT_EQ(frame.wait_for(10s), std::future_status::ready);
    slow_disk.hang(false);
}

TEST_F(FileWatch, WhatChangesWhileTheFilesAreReadIsNews) {
    const auto known = base::look_at({root / "single.cu"});
    write("single.cu", "while it is read");
    watch.watch({root / "single.cu"}, known);
    EXPECT_TRUE(told());
}

TEST_F(FileWatch, WhatIsThereFromTheStartIsNoNews) {
    write("beside.cu", "not watched");
    watch_from_now({root / "folder", root / "beside.cu"});
    write("folder/old.cu", "this is");
    EXPECT_TRUE(told());
    EXPECT_EQ(calls, 1);
}

} // namespace
