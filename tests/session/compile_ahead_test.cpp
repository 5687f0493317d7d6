#include "fixture.h"
#include "session/compile_ahead.h"

#include <algorithm>

namespace {

using session::Subject;

Subject initial(const std::string& kernel) {
    Subject subject;
    subject.kernel = kernel;
    subject.parameters = catalog::initial_values(*fixture::kernels().find(kernel));
    return subject;
}

TEST(LikelyNext, AreTheOtherValuesOfTheSliderThatMovesTheNearestFirstAndThoseAheadBeforeThoseBehind) {
    const Subject before = initial("double_buffer"); // BK is 8
    Subject now = before;
    now.parameters["BK"] = 16;
    std::vector<int> depths;
    for (const Subject& subject : session::likely_next(fixture::kernels(), before, now)) {
        EXPECT_TRUE(session::resolve(fixture::kernels(), subject).ok());
        if (subject.kernel == now.kernel && subject.parameters.at("BK") != 16)
            depths.push_back(subject.parameters.at("BK"));
        else break;
    }
    EXPECT_EQ(depths, (std::vector{32, 8, 64, 4}));
    std::vector<int> other_way;
    for (const Subject& subject : session::likely_next(fixture::kernels(), now, before)) {
        if (subject.kernel == now.kernel && subject.parameters.at("BK") != 8)
            other_way.push_back(subject.parameters.at("BK"));
        else break;
    }
    EXPECT_EQ(other_way, (std::vector{4, 16, 32, 64}));
}

TEST(LikelyNext, AreTheRungsBesideAnotherKernelAndThenEveryMoveOfOneSliderOnce) {
    const auto found = session::likely_next(fixture::kernels(), initial("naive"), initial("shared_tile"));
    ASSERT_GT(found.size(), 2u);
    EXPECT_EQ(found[0], initial("register_tile_scalar"));
    EXPECT_EQ(found[1], initial("tile"));
    std::vector<int> tiles;
    for (size_t i = 2; i < found.size(); ++i) {
        EXPECT_EQ(found[i].kernel, "shared_tile");
        tiles.push_back(found[i].parameters.at("TILE"));
    }
    std::sort(tiles.begin(), tiles.end());
    std::vector<int> others = fixture::kernels().find("shared_tile")->parameters.front().values;
    std::erase(others, initial("shared_tile").parameters.at("TILE"));
    EXPECT_EQ(tiles, others);
}

TEST(LikelyNext, AreTheValuesBesideThoseOfAllSlidersBeforeTheRest) {
    const Subject now = initial("warp_tile");
    const auto found = session::likely_next(fixture::kernels(), initial("prefetch"), now);
    const auto steps = [&](const Subject& subject) { // of the slider that moves furthest
        ptrdiff_t most = 0;
        for (const auto& parameter : fixture::kernels().find("warp_tile")->parameters) {
            const auto at = [&](const Subject& s) {
                return std::find(parameter.values.begin(), parameter.values.end(), s.parameters.at(parameter.name));
            };
            most = std::max(most, std::abs(at(subject) - at(now)));
        }
        return most;
    };
    ASSERT_GT(found.size(), 12u);
    EXPECT_EQ(steps(found[2]), 1);
    EXPECT_EQ(steps(found[8]), 1);
    EXPECT_GT(steps(found.back()), 1);
}

TEST(LikelyNext, OfTheFirstRungIsTheSecondAndOfAnUnknownKernelNothing) {
    const auto found = session::likely_next(fixture::kernels(), {}, initial("naive_uncoalesced"));
    EXPECT_EQ(found.front(), initial("naive"));
    EXPECT_EQ(
        std::count_if(found.begin(), found.end(), [](const Subject& s) { return s.kernel != "naive_uncoalesced"; }), 1);
    Subject unknown;
    unknown.kernel = "unknown";
    EXPECT_TRUE(session::likely_next(fixture::kernels(), {}, unknown).empty());
}

} // namespace
