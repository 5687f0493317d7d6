#include "base/job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <latch>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

void wait_until_stopped(std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
}

TEST(Jobs, DeliversOnTheOwnersThread) {
    base::Jobs jobs(2);
    std::thread::id worked, delivered;
    int result = 0;
    jobs.start(
        "sum",
        [&](std::stop_token) {
            worked = std::this_thread::get_id();
            return std::make_unique<int>(42);
        },
        [&](std::unique_ptr<int> value) {
            delivered = std::this_thread::get_id();
            result = *value;
        });
    EXPECT_TRUE(jobs.busy());
    EXPECT_TRUE(jobs.busy("sum"));
    EXPECT_FALSE(jobs.busy("other"));
    EXPECT_EQ(result, 0) << "delivered before collect()";
    jobs.wait();
    EXPECT_EQ(result, 42);
    EXPECT_EQ(delivered, std::this_thread::get_id());
    EXPECT_NE(worked, delivered);
    EXPECT_FALSE(jobs.busy());
    EXPECT_FALSE(jobs.collect());
}

size_t threads() {
    namespace fs = std::filesystem;
    return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()));
}

TEST(Jobs, WorkersAreThereWhereThereIsWork) {
    const size_t before = threads();
    base::Jobs jobs(3);
    EXPECT_EQ(threads(), before) << "nothing has been asked for";
    for (int round = 0; round < 2; ++round) {
        std::latch all(3); // three jobs at once, and as many wait for a worker
        int done = 0;
        for (int job = 0; job < 6; ++job)
            jobs.start(
                std::to_string(job),
                [&, job](std::stop_token) {
                    if (job < 3) all.arrive_and_wait();
                    return 1;
                },
                [&](int one) { done += one; });
        jobs.wait();
        EXPECT_EQ(done, 6);
        EXPECT_LE(threads(), before + 3);
        while (threads() > before) std::this_thread::sleep_for(std::chrono::milliseconds(20)); // else ctest ends it
    }
}

TEST(Jobs, TheNewestOfAKeyWins) {
    base::Jobs jobs(2);
    std::latch running(1);
    std::vector<int> delivered;
    jobs.start(
        "tile",
        [&](std::stop_token stop) {
            running.count_down();
            wait_until_stopped(stop);
            return 1;
        },
        [&](int value) { delivered.push_back(value); });
    running.wait();
    jobs.start(
        "tile", [](std::stop_token) { return 2; }, [&](int value) { delivered.push_back(value); });
    jobs.wait();
    EXPECT_EQ(delivered, std::vector{2});
}

// Finished but not yet collected is not too late to be replaced.
TEST(Jobs, AFinishedResultIsDroppedWhenANewerJobHasStarted) {
    std::atomic<int> finished = 0;
    base::Jobs jobs(1, [&] { ++finished; });
    std::vector<int> delivered;
    jobs.start(
        "tile", [](std::stop_token) { return 1; }, [&](int value) { delivered.push_back(value); });
    while (finished == 0) std::this_thread::yield();
    jobs.start(
        "tile", [](std::stop_token) { return 2; }, [&](int value) { delivered.push_back(value); });
    jobs.wait();
    EXPECT_EQ(delivered, std::vector{2});
}

TEST(Jobs, ACancelledJobInTheQueueNeverRuns) {
    base::Jobs jobs(1);
    std::latch release(1);
    std::atomic<bool> ran = false;
    jobs.start(
        "first",
        [&](std::stop_token) {
            release.wait();
            return 0;
        },
        [](int) {});
    jobs.start(
        "second",
        [&](std::stop_token) {
            ran = true;
            return 0;
        },
        [](int) {});
    jobs.cancel("second");
    EXPECT_FALSE(jobs.busy("second"));
    release.count_down();
    jobs.wait();
    jobs.start(
        "third", [](std::stop_token) { return 0; }, [](int) {});
    jobs.wait();
    EXPECT_FALSE(ran);
}

TEST(Jobs, ADeliveryMayStartTheNextStage) {
    base::Jobs jobs(1);
    int result = 0;
    jobs.start(
        "compile", [](std::stop_token) { return 20; },
        [&](int value) {
            jobs.start(
                "run", [value](std::stop_token) { return value + 1; }, [&](int next) { result = next; });
        });
    jobs.wait();
    EXPECT_EQ(result, 21);
}

TEST(Jobs, WorkThatThrowsIsReported) {
    base::Jobs jobs(1);
    std::string said;
    auto fail = [&](base::Error error) { said = error.what.english(); };
    jobs.start(
        "big", [](std::stop_token) -> int { throw std::bad_alloc(); }, [](int) { FAIL(); }, fail);
    jobs.wait();
    EXPECT_EQ(said, "memory ran out");
}

TEST(Jobs, DestructionStopsAndJoins) {
    std::latch running(1);
    std::atomic<bool> ended = false, delivered = false;
    {
        base::Jobs jobs(1);
        jobs.start(
            "endless",
            [&](std::stop_token stop) {
                running.count_down();
                wait_until_stopped(stop);
                ended = true;
                return 0;
            },
            [&](int) { delivered = true; });
        running.wait();
    }
    EXPECT_TRUE(ended);
    EXPECT_FALSE(delivered);
}

TEST(Jobs, AStormOfRequestsDeliversTheLastOfEachKey) {
    base::Jobs jobs(3);
    int last[2] = {-1, -1};
    for (int i = 0; i < 500; ++i)
        for (int key = 0; key < 2; ++key) {
            jobs.start(
                std::to_string(key), [i](std::stop_token) { return i; },
                [&, key](int value) {
                    EXPECT_GT(value, last[key]) << "delivered out of order";
                    last[key] = value;
                });
            if (i % 16 == 0) jobs.collect();
        }
    jobs.wait();
    EXPECT_EQ(last[0], 499);
    EXPECT_EQ(last[1], 499);
}

} // namespace
