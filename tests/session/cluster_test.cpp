// A product whose depth is split over the blocks of a cluster, from the kernel file to C.
#include "fixture.h"
#include "session/stages.h"

#include <cmath>
#include <cstring>

namespace {

session::Job job_of(int splits, catalog::Problem problem, float beta) {
    session::Subject subject;
    subject.kernel = "cluster_product";
    subject.parameters = {{"SPLITS", splits}};
    subject.problem = problem;
    subject.alpha = 1.1f;
    subject.beta = beta;
    auto job = session::resolve(fixture::test_kernels(), subject);
    EXPECT_TRUE(job.ok()) << job.error().sentence();
    return *job;
}

class SplitK : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Blocks, SplitK, testing::Values(1, 2, 4, 8));

TEST_P(SplitK, VerifiedInEveryOrder) {
    auto job = job_of(GetParam(), {30, 20, 45}, 0.5f);
    for (const trace::Schedule& schedule : {trace::Schedule{}, trace::Schedule{trace::Schedule::Kind::warp_first, 1},
                                            trace::Schedule{trace::Schedule::Kind::shuffled, 7}}) {
        job.schedule = schedule;
        auto prepared = session::prepare(job);
        ASSERT_TRUE(prepared.value) << prepared.failed->error.sentence();
        auto run = session::run_grid(job, *prepared.value, 2, {});
        ASSERT_TRUE(run.value) << run.failed->error.sentence();
        for (const trace::Finding& f : run.value->findings)
            ADD_FAILURE() << trace::to_text(schedule) << ": " << trace::name(f.kind) << ", line " << f.source_line
                          << ": " << f.text.english();
        ASSERT_TRUE(run.value->verification);
        EXPECT_TRUE(run.value->verification->passed) << run.value->verification->max_abs_error;
    }
}

// To the bit what one gets who adds up the blocks' sums in the order of their ranks.
TEST_P(SplitK, SumsAreAddedInTheOrderOfTheRanks) {
    constexpr uint64_t m = 18, n = 17, k = 50;
    const auto splits = static_cast<uint64_t>(GetParam());
    const auto job = job_of(GetParam(), {m, n, k}, 0);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto inputs = session::make_inputs(job, *prepared.value->program);
    ASSERT_TRUE(inputs.ok());
    const auto floats = [&](size_t buffer) {
        const auto bytes = inputs->memory.bytes(inputs->memory.buffers()[buffer].address);
        std::vector<float> all(bytes.size() / 4);
        std::memcpy(all.data(), bytes.data(), all.size() * 4);
        return all;
    };
    const auto a = floats(0), b = floats(1);
    const sim::Launch launch{
        .grid = job.shape.grid, .block = job.shape.block, .dynamic_shared_bytes = 0, .parameters = inputs->parameters};
    auto outcome = sim::run(*prepared.value->program, launch, inputs->memory, {});
    ASSERT_TRUE(outcome.ok()) << outcome.error().sentence();
    const auto c = floats(2);
    const uint64_t share = (k + splits - 1) / splits;
    for (uint64_t row = 0; row < m; ++row)
        for (uint64_t column = 0; column < n; ++column) {
            float all = 0;
            for (uint64_t first = 0; first < splits * share; first += share) {
                float sum = 0;
                for (uint64_t i = first; i < std::min(k, first + share); ++i)
                    sum = std::fma(a[row * k + i], b[i * n + column], sum);
                all += sum;
            }
            ASSERT_EQ(c[row * n + column], 1.1f * all) << row << ", " << column;
        }
}

// The traced block has the others of its cluster beside it.
TEST_P(SplitK, ABlockIsTracedAndShownStepByStep) {
    const auto job = job_of(GetParam(), {16, 16, 40}, 0);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    const base::Dim3 last{static_cast<uint32_t>(GetParam()) - 1, 0, 0};
    auto block = session::run_block(job, *prepared.value, last, {});
    ASSERT_TRUE(block.value) << block.failed->error.sentence();
    EXPECT_TRUE(block.value->findings.empty());
    EXPECT_EQ(block.value->trace.block_index, last);
    EXPECT_EQ(block.value->timeline.barriers.size(), 2u);
}

} // namespace
