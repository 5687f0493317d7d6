#include "views/warp_track.h"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>

namespace {

// 100 events; the loop over k begins at the 20th, its turns are 20 long.
views::WarpOrder order(std::vector<uint32_t> turns = {20, 40, 60}) {
    static std::deque<analysis::WarpSteps> kept; // that orders look into
    analysis::WarpSteps& steps = kept.emplace_back(analysis::WarpSteps{std::vector<uint32_t>(100), std::move(turns)});
    std::iota(steps.events.begin(), steps.events.end(), 0u);
    return {steps.events, steps.k_tiles, {}, {}, {}, {}};
}

TEST(TurnPlace, CountsTurnsOfTheLoop) {
    EXPECT_DOUBLE_EQ(views::turn_place(order(), 20), 0);
    EXPECT_DOUBLE_EQ(views::turn_place(order(), 50), 1.5);
    EXPECT_DOUBLE_EQ(views::turn_place(order(), 10), -0.5) << "half of what comes before it";
    EXPECT_DOUBLE_EQ(views::turn_place(order(), 80), 2.5) << "what follows is the last turn's";
    EXPECT_DOUBLE_EQ(views::turn_place(order({}), 25), 0.25) << "no loop";
}

TEST(TurnPlace, LeadsBackToTheSameEvent) {
    for (const auto& warp : {order(), order({}), order({0, 7, 99})})
        for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(views::index_at_turn(warp, views::turn_place(warp, i)), i);
    EXPECT_EQ(views::index_at_turn(order(), 1e9), 99u);
    EXPECT_EQ(views::index_at_turn(order(), -7), 0u);
}

// A turn of twice as much k is half as many turns.
TEST(TurnPlace, IsTheSameShareOfKInAnotherKernel) {
    const auto fine = order({20, 30, 40, 50}), coarse = order({10, 60});
    EXPECT_DOUBLE_EQ(views::same_turn(fine, coarse, 3), 1.5);
    EXPECT_DOUBLE_EQ(views::same_turn(coarse, fine, 1.5), 3);
    EXPECT_DOUBLE_EQ(views::same_turn(fine, coarse, -0.5), -0.5) << "before the loop";
}

} // namespace
