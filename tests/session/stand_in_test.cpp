// The check on fewer rows and columns of C: what it takes, what it finds, and that it says where it knows
// nothing.
#include "fixture.h"

#include "session/stand_in.h"

namespace {

using session::StandIn;
using session::Subject;

catalog::Problem problem_of(const std::string& kernel, catalog::Problem problem) {
    const auto found = fixture::kernels().find(kernel);
    return session::stand_in_problem(*found, catalog::initial_values(*found), problem)
        .value_or(catalog::Problem{0, 0, 0});
}

TEST(StandIn, HasTwoFullTilesAndTheSameEdgeEachWay) {
    const catalog::Kernel& kernel = *fixture::kernels().find("register_tile");
    catalog::Values tiles = catalog::initial_values(kernel);
    ASSERT_EQ(tiles.at("BM"), 128);
    EXPECT_EQ(problem_of("register_tile", {4096, 4096, 4096}), (catalog::Problem{256, 256, 4096}));
    EXPECT_EQ(problem_of("register_tile", {4099, 260, 17}), (catalog::Problem{259, 260, 17}));
    EXPECT_EQ(problem_of("naive", {1000, 1, 8}).n, 1);
    EXPECT_EQ(problem_of("split_k", {4096, 4096, 512}),
              (catalog::Problem{64, 128, 512})); // of 32 x 64, by two blocks each
    EXPECT_EQ(problem_of("register_tile", {200, 300, 8}), (catalog::Problem{0, 0, 0})) << "no smaller than the whole";
}

session::Stage<StandIn> check(const catalog::Kernel& kernel, const Subject& subject) {
    const auto job = session::resolve(kernel, subject);
    EXPECT_TRUE(job.ok());
    const auto prepared = session::prepare(*job);
    EXPECT_TRUE(prepared.value);
    return session::check_stand_in(kernel, subject, *job, *prepared.value, 2, {});
}

// Every rung, also those with a ring in shared memory that the copy engine fills: with long sums, whole and
// with edges.
TEST(StandIn, EveryKernelPasses) {
    for (const auto& kernel : fixture::kernels().kernels)
        for (const catalog::Problem problem : {catalog::Problem{1024, 1024, 512}, {1000, 520, 68}}) {
            Subject subject;
            subject.kernel = kernel->id;
            subject.problem = problem;
            subject.parameters = catalog::initial_values(*kernel);
            if (!session::stand_in_problem(*kernel, subject.parameters, problem)) continue;
            const auto checked = check(*kernel, subject);
            ASSERT_TRUE(checked.value) << kernel->id << (checked.failed ? checked.failed->error.sentence() : "");
            EXPECT_EQ(checked.value->verdict, StandIn::Verdict::passed) << kernel->id << ' ' << problem.m;
        }
}

// naive with a part of its source changed.
catalog::Kernel changed(const std::string& right, const std::string& wrong) {
    catalog::Kernel kernel = *fixture::kernels().find("naive");
    const size_t at = kernel.source.find(right);
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) kernel.source.replace(at, right.size(), wrong);
    return kernel;
}

StandIn::Verdict verdict(const catalog::Kernel& kernel) {
    Subject subject;
    subject.kernel = kernel.id;
    subject.problem = {512, 512, 16};
    subject.parameters = catalog::initial_values(kernel);
    const auto checked = check(kernel, subject);
    EXPECT_TRUE(checked.value);
    return checked.value ? checked.value->verdict : StandIn::Verdict::passed;
}

TEST(StandIn, FindsWhatIsWrongInEveryTile) {
    EXPECT_EQ(verdict(changed("beta == 0 ? alpha * sum", "beta == 0 ? 1.5f * alpha * sum")), StandIn::Verdict::wrong);
}

TEST(StandIn, FindsWhatIsWrongWhereTheAddressesAreLargest) {
    EXPECT_EQ(verdict(changed("beta == 0 ? alpha * sum", "beta == 0 ? alpha * sum + c[row > 500 ? 1 << 28 : 0]")),
              StandIn::Verdict::wrong);
}

TEST(StandIn, SaysThatItKnowsNothingOfCodeForLargeSizesAlone) {
    EXPECT_EQ(verdict(changed("beta == 0 ? alpha * sum", "M > 400 ? sinf(alpha * sum) : beta == 0 ? alpha * sum")),
              StandIn::Verdict::other_code);
}

} // namespace
