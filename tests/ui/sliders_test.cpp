#include "ui/sliders.h"

#include <gtest/gtest.h>

namespace {

const std::vector<std::string> some{"sm_75", "sm_90", "sm_100", "sm_120"};

TEST(Architectures, HaveNeighboursByNumber) {
    EXPECT_EQ(ui::neighbour(some, "sm_90", 1), "sm_100");
    EXPECT_EQ(ui::neighbour(some, "sm_100", -1), "sm_90");
    EXPECT_EQ(ui::neighbour(some, "sm_120", 1), std::nullopt);
    EXPECT_EQ(ui::neighbour(some, "sm_75", -1), std::nullopt);
}

TEST(Architectures, OfOneThatIsNotAmongThemAreThoseBesideIt) {
    EXPECT_EQ(ui::neighbour(some, "sm_90a", 1), "sm_100");
    EXPECT_EQ(ui::neighbour(some, "sm_90a", -1), "sm_90");
    EXPECT_EQ(ui::neighbour(some, "sm_86", 1), "sm_90");
    EXPECT_EQ(ui::neighbour(some, "sm_35", -1), std::nullopt);
    EXPECT_EQ(ui::neighbour(some, "", 1), "sm_75");
    EXPECT_EQ(ui::neighbour({}, "sm_90", 1), std::nullopt);
}

} // namespace
