// A kernel that copies boxes of A, B and C by tensor maps, on the CPU engine: every swizzle and ring, sizes
// that divide nothing, and rows that no map can have.
#include "analysis/mapping.h"
#include "fixture.h"
#include "session/stages.h"
#include "trace/tensor_map.h"

#include <cstring>

namespace {

struct Case {
    int bk, swizzle, stages;
    catalog::Problem problem;
    float alpha = 1, beta = 0;
    int cluster = 1;
};
void PrintTo(const Case& c, std::ostream* out) {
    *out << "BK " << c.bk << " SWIZZLE " << c.swizzle << " STAGES " << c.stages << " CLUSTER " << c.cluster << " at "
         << c.problem.m << "x" << c.problem.n << "x" << c.problem.k << " beta " << c.beta;
}

session::Job job_of(const Case& c) {
    session::Subject subject;
    subject.kernel = "tensor_maps";
    subject.parameters = {{"BK", c.bk}, {"SWIZZLE", c.swizzle}, {"STAGES", c.stages}, {"CLUSTER", c.cluster}};
    subject.problem = c.problem;
    subject.alpha = c.alpha;
    subject.beta = c.beta;
    auto job = session::resolve(fixture::test_kernels(), subject);
    EXPECT_TRUE(job.ok()) << job.error().sentence();
    return *job;
}

// A block of bulk_copy as the pictures show it: what it loads of A and B, and that shared memory holds the elements that the
// kernel's swizzle puts there.
TEST(BulkCopies, ThePicturesKnowWhatTheCopyEngineBrings) {
    session::Subject subject;
    subject.kernel = "bulk_copy";
    subject.parameters = {{"BM", 64}, {"BN", 64}, {"BK", 16}, {"TM", 4}, {"TN", 4}, {"STAGES", 2}, {"SWIZZLE", 1}};
    subject.problem = {100, 96, 40};
    auto job = session::resolve(fixture::kernels(), subject);
    ASSERT_TRUE(job) << job.error().sentence();
    auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value) << prepared.failed->error.sentence();
    auto block = session::run_block(*job, *prepared.value, {1, 1, 0}, {});
    ASSERT_TRUE(block.value) << block.failed->error.sentence();
    const trace::Trace& trace = block.value->trace;
    const auto& maps = block.value->mapping;
    EXPECT_EQ(maps[0].loads.size(), 36u * 40); // rows 64 to 99, all of k
    EXPECT_EQ(maps[0].box.row, 64u);
    EXPECT_EQ(maps[1].loads.size(), 40u * 32);
    EXPECT_EQ(maps[1].box.column, 64u);
    ASSERT_EQ(trace.bulk_copies.size(), 2u * 3);
    EXPECT_EQ(trace.bulk_copies[0].thread, 256u); // lane 0 of the warp after the consumers'
    const auto words = analysis::shared_origin(trace, trace.bulk_copies[1].event);
    const auto is = [&](size_t word, int buffer, uint32_t row, uint32_t column) {
        return words[word].buffer == buffer && words[word].row == row && words[word].column == column;
    };
    EXPECT_TRUE(is(0, 0, 64, 0));
    EXPECT_TRUE(is(2 * 16 + 4, 0, 66, 0)); // two rows of 64 bytes further the pieces have changed places
    EXPECT_TRUE(is(64 * 16, 1, 0, 64));
    EXPECT_EQ(words[40 * 16].buffer, -1); // row 104 is below A: zeros
}

class TensorMaps : public testing::TestWithParam<Case> {};

TEST_P(TensorMaps, Verified) {
    ASSERT_TRUE(fixture::test_kernels().problems.empty()) << fixture::test_kernels().problems[0].sentence();
    auto job = job_of(GetParam());
    EXPECT_EQ(job.source.arch, "sm_90a");
    for (const trace::Schedule& schedule : {trace::Schedule{}, trace::Schedule{trace::Schedule::Kind::warp_first, 8},
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
        EXPECT_TRUE(run.value->verification->passed)
            << trace::to_text(schedule) << ": " << run.value->verification->max_abs_error;
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, TensorMaps,
                         testing::Values(Case{32, 1, 2, {128, 64, 96}}, Case{32, 1, 3, {100, 36, 68}, 1.1f},
                                         Case{32, 0, 2, {100, 36, 68}, 1.1f, 0.7f}, Case{16, 1, 2, {70, 132, 44}},
                                         Case{8, 1, 1, {65, 68, 20}}, Case{8, 0, 3, {3, 4, 4}},
                                         Case{32, 1, 2, {70, 37, 65}, 1.1f, -0.3f}, Case{32, 1, 2, {70, 36, 65}},
                                         Case{32, 1, 2, {100, 200, 196}, 1.1f, 0, 2},
                                         Case{8, 0, 3, {65, 68, 64}, 1, 0, 2},
                                         Case{16, 1, 1, {70, 37, 65}, 1, 0.5f, 2}));

TEST(TensorMapArguments, PointToTheirMatrices) {
    const auto job = job_of({32, 1, 2, {10, 20, 30}});
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto inputs = session::make_inputs(job, *prepared.value->program);
    ASSERT_TRUE(inputs.ok()) << inputs.error().sentence();
    const auto parameters = sim::parameters(*prepared.value->program);
    ASSERT_EQ(parameters.size(), 11u);
    trace::TensorMap a, b;
    std::memcpy(&a, inputs->parameters.data() + parameters[8].offset, sizeof a);
    std::memcpy(&b, inputs->parameters.data() + parameters[9].offset, sizeof b);
    EXPECT_EQ(a.mark, 0u) << "rows of 120 bytes";
    EXPECT_EQ(b.address, inputs->addresses[5]);
    EXPECT_EQ(b.size[0], 20u);
    EXPECT_EQ(b.size[1], 30u);
    EXPECT_EQ(b.stride[0], 80u);
    EXPECT_EQ(b.box[0], 64u);
    EXPECT_EQ(b.box[1], 32u);
}

TEST(TensorMapArguments, AreTakenByTheKernel) {
    auto kernel = *fixture::test_kernels().find("tensor_maps");
    kernel.tensor_maps.pop_back();
    session::Subject subject;
    subject.kernel = "tensor_maps";
    auto job = session::resolve(kernel, subject);
    ASSERT_TRUE(job.ok());
    auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value);
    auto inputs = session::make_inputs(*job, *prepared.value->program);
    ASSERT_FALSE(inputs.ok());
    EXPECT_NE(inputs.error().sentence().find("and 2 tensor maps"), std::string::npos) << inputs.error().sentence();
}

} // namespace
