#include "base/caught.h"

#include "base/file.h"
#include "base/file_watch.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

TEST(Caught, KeepsWhatAThreadThrewForWhoeverJoinsIt) {
    std::exception_ptr thrown;
    std::thread([&] { thrown = base::caught([] { throw std::bad_alloc(); }); }).join();
    ASSERT_TRUE(thrown);
    EXPECT_EQ(base::error_of(thrown).sentence(), "memory ran out; choose a smaller size");
    EXPECT_EQ(base::caught([] {}), nullptr);
    EXPECT_EQ(
        base::error_of(base::caught([] { throw std::runtime_error("no such place"); }), base::Failure::missing).failure,
        base::Failure::missing);
    EXPECT_EQ(base::error_of(base::caught([] { throw std::runtime_error("no such place"); })).what.english(),
              "no such place");
    EXPECT_FALSE(base::error_of(base::caught([] { throw 7; })).what.empty());
}

// Without it the first call would end the program.
TEST(Caught, AWatchGoesOnWhenItsOwnerThrows) {
    const auto folder = std::filesystem::temp_directory_path() / ("gemmscope_caught." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::mutex mutex;
    std::condition_variable told;
    int calls = 0;
    {
        base::FileWatch watch(
            [&] {
                {
                    std::lock_guard lock(mutex);
                    ++calls;
                }
                told.notify_all();
                throw std::bad_alloc();
            },
            std::chrono::milliseconds(5));
        watch.watch({folder}, base::look_at({folder}));
        for (int n = 1; n <= 2; ++n) {
            ASSERT_TRUE(base::write_file(folder / std::to_string(n), "changed").ok());
            std::unique_lock lock(mutex);
            told.wait(lock, [&] { return calls >= n; });
        }
    }
    EXPECT_EQ(calls, 2);
    std::filesystem::remove_all(folder);
}

} // namespace
