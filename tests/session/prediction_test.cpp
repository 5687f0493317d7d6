// Predicted times of products whose depth is cut short.
#include "session/prediction.h"

#include "fixture.h"

namespace {

struct Case {
    const char* kernel;
    catalog::Values other = {};
    int k = 2048;
};

class CutDepth : public testing::TestWithParam<Case> {};

TEST_P(CutDepth, TakesAsLongAsTheWhole) {
    const auto kernel = fixture::kernels().find(GetParam().kernel);
    ASSERT_TRUE(kernel);
    session::Subject subject;
    subject.kernel = GetParam().kernel;
    subject.parameters = *catalog::with(*kernel, GetParam().other);
    subject.problem = {256, 256, GetParam().k};
    const auto job = session::resolve(*kernel, subject);
    ASSERT_TRUE(job);
    const auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value);
    const auto cut = session::predict(*kernel, subject, *prepared.value),
               whole = session::predict(*job, *prepared.value);
    ASSERT_TRUE(cut.value && whole.value);
    EXPECT_NEAR(cut.value->cycles / whole.value->cycles, 1, 0.03);
}

INSTANTIATE_TEST_SUITE_P(
    Prediction, CutDepth,
    testing::Values(Case{"champion"}, Case{"split_k", {{"SPLITS", 5}}}, Case{"split_k", {{"SPLITS", 8}}},
                    Case{"split_k", {{"SPLITS", 3}}, 2000}, Case{"binary_tensor", {{"BK", 1024}}, 16384},
                    Case{"binary_tensor", {{"BK", 512}, {"BM", 32}, {"BN", 128}, {"WM", 32}, {"WN", 32}}, 8192}));

} // namespace
