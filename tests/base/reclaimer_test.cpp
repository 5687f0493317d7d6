#include "base/reclaimer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

namespace {

// Tells which thread freed it.
struct Large {
    std::atomic<std::thread::id>* freed_by = nullptr;
    std::shared_ptr<const Large> within{};
    ~Large() {
        *freed_by = std::this_thread::get_id();
        freed_by->notify_all();
    }
};

TEST(Reclaimer, FreesInAThreadOfItsOwn) {
    const base::Reclaimer reclaimer;
    std::atomic<std::thread::id> by{};
    auto kept = reclaimer.keep(std::shared_ptr<const Large>(std::make_shared<Large>(&by)));
    auto another = kept;
    kept.reset();
    EXPECT_EQ(by.load(), std::thread::id()) << "somebody has it";
    another.reset();
    by.wait(std::thread::id());
    EXPECT_NE(by.load(), std::this_thread::get_id());
}

TEST(Reclaimer, KeepsNothing) {
    const base::Reclaimer reclaimer;
    EXPECT_EQ(reclaimer.keep(std::shared_ptr<const Large>()), nullptr);
}

// A timed block holds the block that it is of.
TEST(Reclaimer, FreesWhatAValueHeld) {
    const base::Reclaimer reclaimer;
    std::atomic<std::thread::id> outer{}, inner{};
    auto within = reclaimer.keep(std::shared_ptr<const Large>(std::make_shared<Large>(&inner)));
    auto kept = reclaimer.keep(std::shared_ptr<const Large>(std::make_shared<Large>(&outer, std::move(within))));
    kept.reset();
    inner.wait(std::thread::id());
    EXPECT_EQ(inner.load(), outer.load());
}

TEST(Reclaimer, HasFreedEverythingWhenItGoes) {
    std::atomic<std::thread::id> early{}, late{};
    std::shared_ptr<const Large> longer;
    {
        const base::Reclaimer reclaimer;
        reclaimer.keep(std::shared_ptr<const Large>(std::make_shared<Large>(&early))).reset();
        longer = reclaimer.keep(std::shared_ptr<const Large>(std::make_shared<Large>(&late)));
    }
    EXPECT_NE(early.load(), std::thread::id());
    EXPECT_EQ(late.load(), std::thread::id());
    longer.reset();
    EXPECT_EQ(late.load(), std::this_thread::get_id()) << "there is nobody else";
}

} // namespace
