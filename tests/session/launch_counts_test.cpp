#include "session/launch_counts.h"

#include "fixture.h"

namespace {

using session::Subject;

Subject launch_of(const std::string& kernel, const catalog::Problem& size, const catalog::Values& other = {}) {
    Subject subject;
    subject.kernel = kernel;
    subject.parameters = *catalog::with(*fixture::kernels().find(kernel), other);
    subject.problem = size;
    return subject;
}

session::LaunchCounts counted(const Subject& subject) {
    auto found = session::count_launch(*fixture::kernels().find(subject.kernel), subject, 2);
    EXPECT_TRUE(found.ok());
    return found ? *found : session::LaunchCounts{};
}

TEST(LaunchCounts, AreOfTheSizeAskedForFromAFewOfItsBlocks) {
    // A tile of 8 x 8 fetches every element of A and B from global memory 1000 / 8 times, sector by sector.
    const auto large = counted(launch_of("shared_tile", {1024, 1024, 1024}, {{"TILE", 8}}));
    EXPECT_EQ(large.subject.problem, (catalog::Problem{1024, 1024, 1024}));
    EXPECT_EQ(large.run->totals.global_load.sectors, 2ull * 1024 * 1024 * 4 / 32 * (1024 / 8));
    EXPECT_EQ(large.blocks, 128u * 128u);
    EXPECT_LT(large.executed, 16u);
}

TEST(LaunchCounts, WhereOnlyAllBlocksTogetherCountAreOf256Cubed) {
    const auto whole = counted(launch_of("binary_naive", {1024, 1024, 1024}, {{"TABLE", 1}}));
    EXPECT_EQ(whole.subject.problem, catalog::Problem{});
    EXPECT_EQ(whole.executed, whole.blocks);
    EXPECT_GT(whole.run->totals.instructions_executed, 0u);
}

TEST(LaunchCounts, AreThoseOfWhatIsExecuted) {
    Subject launch = launch_of("double_buffer", {512, 512, 512});
    const auto machine = counted(launch);
    EXPECT_EQ(machine.run->totals.global_store.sectors, 512u * 512u * 4u / 32u);
    launch.engine = session::Engine::ptx;
    EXPECT_GT(counted(launch).run->totals.instructions_executed, machine.run->totals.instructions_executed);
}

TEST(LaunchCounts, OfWhatDoesNotFitAreAnError) {
    Subject subject = launch_of("shared_tile", {512, 512, 512});
    subject.parameters["TILE"] = 7;
    EXPECT_FALSE(session::count_launch(*fixture::kernels().find("shared_tile"), subject, 1).ok());
}

TEST(LaunchCounts, AreCountedInTheOrderOfTheWishesAndKept) {
    session::CountsOfLaunches counts({}, 2, false);
    const auto kernel = fixture::kernels().find("naive");
    const Subject one = launch_of("naive", {512, 512, 512}), other = launch_of("naive", {1024, 1024, 1024});
    counts.want({{kernel, one}, {kernel, other}});
    EXPECT_TRUE(counts.busy());
    EXPECT_FALSE(counts.find(one));
    counts.wait();
    ASSERT_TRUE(counts.find(one) && counts.find(other));
    counts.want({{kernel, one}});
    EXPECT_FALSE(counts.busy()) << "it is known";
    counts.want({{kernel, launch_of("naive", {256, 512, 512})}, {kernel, launch_of("naive", {512, 256, 512})}});
    counts.want({}); // nobody shows it any more
    counts.wait();
    EXPECT_TRUE(counts.find(launch_of("naive", {256, 512, 512})));
    EXPECT_FALSE(counts.find(launch_of("naive", {512, 256, 512})));
    counts.forget("naive");
    EXPECT_FALSE(counts.find(one));
}

} // namespace
