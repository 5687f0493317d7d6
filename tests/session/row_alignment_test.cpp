// Kernels of aligned rows, from the kernel file to the verified product, on the CPU engine.
#include "fixture.h"
#include "session/stages.h"

#include <cmath>
#include <cstring>

namespace {

session::Subject subject(catalog::Problem problem, double alpha = 1, double beta = 0, int threads = 128) {
    session::Subject subject;
    subject.parameters = {{"THREADS", threads}};
    subject.problem = problem;
    subject.alpha = alpha;
    subject.beta = beta;
    return subject;
}

session::Job job_of(const std::string& kernel, const session::Subject& subject) {
    auto job = session::resolve(*fixture::kernels().find(kernel), subject);
    EXPECT_TRUE(job.ok()) << job.error().sentence();
    return *job;
}

// The pitched kernel with the first `from` of its source replaced.
session::Job changed(const std::string& from, const std::string& to, const session::Subject& subject) {
    catalog::Kernel kernel = *fixture::kernels().find("row_per_block_pitched");
    const size_t at = kernel.source.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    kernel.source.replace(at, from.size(), to);
    auto job = session::resolve(kernel, subject);
    EXPECT_TRUE(job.ok()) << job.error().sentence();
    return *job;
}

session::FullRun run(const session::Job& job) {
    auto prepared = session::prepare(job);
    EXPECT_TRUE(prepared.value) << prepared.failed->error.sentence();
    auto run = session::run_grid(job, *prepared.value, 2, {});
    EXPECT_TRUE(run.value) << run.failed->error.sentence();
    return *run.value;
}

// C's elements, without what lies between the rows.
std::vector<float> elements(const session::FullRun& run) {
    const trace::Buffer& c = run.memory.buffers().back();
    EXPECT_EQ(c.name, "C");
    std::vector<float> result(c.rows * c.columns);
    base::remove_padding(c.layout(), sizeof(float), run.memory.bytes(c.address),
                         std::as_writable_bytes(std::span(result)));
    return result;
}

TEST(RowAlignment, GivesTheSameCToTheBit) {
    for (const auto& where : {subject({100, 37, 65}), subject({129, 130, 131}, 1.1, -0.3, 32),
                              subject({1, 1, 1}, 0.5, 1, 1024), subject({33, 32, 64}, 1, 0, 64)}) {
        const auto pitched = run(job_of("row_per_block_pitched", where)), plain = run(job_of("row_per_block", where));
        EXPECT_TRUE(pitched.findings.empty()) << pitched.findings[0].text.english();
        ASSERT_TRUE(pitched.verification);
        EXPECT_TRUE(pitched.verification->passed) << pitched.verification->max_abs_error;
        const auto a = elements(pitched), b = elements(plain);
        ASSERT_EQ(a.size(), b.size());
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
    }
}

TEST(RowAlignment, BeginsRowsAtMultiplesAndLeavesThePaddingAlone) {
    const auto done = run(job_of("row_per_block_pitched", subject({100, 37, 65}, 1, 0.5)));
    ASSERT_EQ(done.memory.buffers().size(), 3u);
    for (const trace::Buffer& matrix : done.memory.buffers()) {
        EXPECT_EQ(matrix.address % 128, 0u);
        EXPECT_EQ(matrix.layout().leading_dimension() * 4 % 128, 0u) << matrix.name;
        const auto bytes = done.memory.bytes(matrix.address);
        for (uint64_t i = 0; i < matrix.layout().stored(); ++i) {
            float value = 0;
            std::memcpy(&value, bytes.data() + i * 4, 4);
            ASSERT_EQ(std::isnan(value), matrix.layout().is_padding(i)) << matrix.name << " " << i;
        }
    }
}

// A warp's 128 bytes of a row are four sectors; where rows follow one another, often five.
TEST(RowAlignment, MakesAWarpsReadFourSectors) {
    const auto read = [](const char* kernel) { return run(job_of(kernel, subject({64, 97, 64}))).totals.global_load; };
    const auto pitched = read("row_per_block_pitched"), plain = read("row_per_block");
    EXPECT_EQ(pitched.instructions, plain.instructions);
    EXPECT_EQ(pitched.sectors, pitched.sectors_ideal);
    EXPECT_GT(plain.sectors, plain.sectors_ideal);
}

// Padding belongs to the allocation, so nothing is out of bounds: C shows it.
TEST(RowAlignment, WhoTakesPaddingForAnElementShowsIt) {
    const auto done = run(changed("fmaf(a[k],", "fmaf(a[k + 1],", subject({8, 37, 65})));
    ASSERT_TRUE(done.verification);
    EXPECT_TRUE(std::isnan(done.verification->max_abs_error)) << "A[row][65] is NaN";
    ASSERT_EQ(done.findings.size(), 1u);
    EXPECT_EQ(done.findings[0].kind, trace::FindingKind::wrong_result) << done.findings[0].text.english();
}

TEST(RowAlignment, AColumnBehindTheLastRowsPaddingIsOutOfBounds) {
    const auto done = run(changed("c[column] =", "c[column + ldc] =", subject({8, 37, 65})));
    bool found = false;
    for (const trace::Finding& f : done.findings)
        found |= f.kind == trace::FindingKind::out_of_bounds &&
                 f.text.english().find("writes C[8][0]; C has 8 x 37 elements, rows padded to 64") != std::string::npos;
    EXPECT_TRUE(found) << (done.findings.empty() ? "nothing was found" : done.findings[0].text.english());
}

TEST(RowAlignment, AKernelWithoutLeadingDimensionsIsToldHowItIsCalled) {
    catalog::Kernel kernel = *fixture::kernels().find("row_per_block");
    kernel.row_alignment = 128;
    auto job = session::resolve(kernel, subject({8, 8, 8}));
    ASSERT_TRUE(job.ok());
    auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value);
    const auto refused = session::run_grid(*job, *prepared.value, 1, {});
    ASSERT_TRUE(refused.failed);
    EXPECT_NE(refused.failed->error.sentence().find("(int M, int N, int K, float alpha, const float* A, int "
                                                    "lda, const float* B, int ldb, float beta, "
                                                    "float* C, int ldc)"),
              std::string::npos)
        << refused.failed->error.sentence();
}

} // namespace
