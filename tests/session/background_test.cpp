#include "fixture.h"
#include "session/background.h"

#include <algorithm>

namespace {

using session::Subject;

Subject initial(const std::string& kernel) {
    Subject subject;
    subject.kernel = kernel;
    subject.parameters = catalog::initial_values(*fixture::kernels().find(kernel));
    return subject;
}

TEST(Neighbours, OfAParameterAreItsNextLegalValues) {
    const Subject before = initial("double_buffer");
    Subject now = before;
    now.parameters["BK"] = 16;
    const auto found = session::neighbours(fixture::kernels(), before, now);
    ASSERT_FALSE(found.empty());
    std::vector<int> depths;
    for (const Subject& subject : found) {
        EXPECT_EQ(subject.kernel, "double_buffer");
        EXPECT_TRUE(session::resolve(fixture::kernels(), subject).ok());
        depths.push_back(subject.parameters.at("BK"));
    }
    EXPECT_EQ(depths.back(), 8);
    EXPECT_GT(depths.front(), 16);
}

TEST(Neighbours, OfAKernelAreTheRungsBesideIt) {
    const auto found = session::neighbours(fixture::kernels(), initial("naive"), initial("shared_tile"));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0], initial("register_tile"));
    EXPECT_EQ(found[1], initial("naive"));
    EXPECT_EQ(session::neighbours(fixture::kernels(), {}, initial("naive_uncoalesced")).size(), 1u); // the first rung
    Subject unknown;
    unknown.kernel = "unknown";
    EXPECT_TRUE(session::neighbours(fixture::kernels(), {}, unknown).empty());
}

TEST(Background, CountsEveryKernelAsItWasMeasured) {
    gpu::Series measured;
    measured.kernel = "shared_tile";
    measured.parameters = {{"TILE", 8}};
    gpu::Series recorded; // of the fastest settings at each size
    recorded.kernel = "shared_tile";
    recorded.samples = {{512, 512, 512, 100, {{"TILE", 16}}}, {512, 256, 512, 100, {{"TILE", 4}}}};
    gpu::Series impossible = measured;
    impossible.parameters = {{"TILE", -1}};
    session::Background background(fixture::kernels(), {}, false);
    background.count_kernels({measured, impossible, recorded}, "sm_90");
    background.count_kernels({}, "sm_90"); // asked for again in every frame
    EXPECT_TRUE(background.counting());
    background.wait();
    const auto& counted = background.counted();
    EXPECT_EQ(counted.size(), fixture::kernels().kernels.size() + 2);
    const auto of = [&](const std::string& kernel, int tile) {
        return std::find_if(counted.begin(), counted.end(), [&](const session::Counted& one) {
            return one.subject.kernel == kernel && (tile == 0 || one.subject.parameters.at("TILE") == tile);
        });
    };
    ASSERT_NE(of("shared_tile", 8), counted.end());
    ASSERT_NE(of("shared_tile", 16), counted.end());
    ASSERT_NE(of("naive", 0), counted.end());
    // A tile of 8 x 8 fetches every element of A and B from global memory 256 / 8 times.
    const auto sectors = of("shared_tile", 8)->totals.global_load.sectors;
    EXPECT_EQ(sectors, 2u * 256 * 256 * 4 / 32 * (256 / 8));
}

} // namespace
