// Kernels whose A and B are bf16, TF32, doubles or bits, from the kernel file to the verified product, on the
// CPU engine.
#include "base/random.h"
#include "fixture.h"
#include "session/stages.h"
#include "trace/tensor_map.h"

#include <cmath>
#include <cstring>

namespace {

struct Case {
    const char* kernel;
    catalog::Values parameters;
    catalog::Problem problem;
    double alpha = 1, beta = 0;
};
void PrintTo(const Case& c, std::ostream* out) {
    *out << c.kernel;
    for (const auto& [name, value] : c.parameters) *out << " " << name << " " << value;
    *out << " at " << c.problem.m << "x" << c.problem.n << "x" << c.problem.k << " beta " << c.beta;
}

session::Job job_of(const Case& c) {
    session::Subject subject;
    subject.kernel = c.kernel;
    subject.parameters = c.parameters;
    subject.problem = c.problem;
    subject.alpha = c.alpha;
    subject.beta = c.beta;
    auto job = session::resolve(fixture::test_kernels(), subject);
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

class OperandKernels : public testing::TestWithParam<Case> {};

TEST_P(OperandKernels, AreVerified) {
    ASSERT_TRUE(fixture::test_kernels().problems.empty()) << fixture::test_kernels().problems[0].sentence();
    const session::FullRun done = run(job_of(GetParam()));
    for (const trace::Finding& f : done.findings)
        ADD_FAILURE() << trace::name(f.kind) << ", line " << f.source_line << ": " << f.text.english();
    ASSERT_TRUE(done.verification);
    EXPECT_TRUE(done.verification->passed) << done.verification->max_abs_error;
    EXPECT_GT(done.verification->max_abs_error, 0);
    const bool doubles = job_of(GetParam()).gemm->operands == catalog::OperandType::f64;
    EXPECT_LT(done.verification->max_rel_error, doubles ? 1e-14 : 0.1);
}

INSTANTIATE_TEST_SUITE_P(Kernels, OperandKernels,
                         testing::Values(Case{"mma_bf16", {{"MAPPED", 1}}, {64, 64, 64}},
                                         Case{"mma_bf16", {{"MAPPED", 1}}, {100, 37, 72}, 1.1, 0.7},
                                         Case{"mma_bf16", {{"MAPPED", 1}}, {100, 37, 65}, 1.1},
                                         Case{"mma_bf16", {{"MAPPED", 0}}, {129, 130, 131}, 1, -0.3},
                                         Case{"mma_bf16", {{"MAPPED", 1}}, {32, 32, 8192}},
                                         Case{"mma_tf32", {{"ROUNDED", 0}}, {64, 64, 64}},
                                         Case{"mma_tf32", {{"ROUNDED", 0}}, {100, 37, 65}, 1.1, 0.7},
                                         Case{"mma_tf32", {{"ROUNDED", 1}}, {129, 130, 131}, 1, -0.3},
                                         Case{"mma_tf32", {{"ROUNDED", 0}}, {32, 32, 8192}},
                                         Case{"mma_tf32", {{"ROUNDED", 1}}, {32, 32, 8192}},
                                         Case{"double_naive", {}, {64, 64, 64}},
                                         Case{"double_naive", {}, {100, 37, 65}, 0.1, -0.3},
                                         Case{"double_naive", {}, {16, 16, 8192}, 1, 0.7}));

TEST(Operands, OfBf16AreTheFloatsOfTheSameStreamRounded) {
    const session::Job job = job_of({"mma_bf16", {}, {3, 8, 16}});
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto inputs = session::make_inputs(job, *prepared.value->program);
    ASSERT_TRUE(inputs.ok()) << inputs.error().sentence();
    const auto bytes = inputs->memory.bytes(inputs->addresses[4]);
    ASSERT_EQ(bytes.size(), 3u * 16 * 2);
    const base::RandomStream random(job.seed, 4);
    for (size_t i = 0; i < 48; ++i) {
        uint16_t stored = 0;
        std::memcpy(&stored, bytes.data() + 2 * i, 2);
        EXPECT_LE(std::fabs(base::from_bf16(stored) - random(i)), std::fabs(random(i)) * 0x1p-8f) << i;
    }
    trace::TensorMap map;
    std::memcpy(&map, inputs->parameters.data() + sim::parameters(*prepared.value->program)[8].offset, sizeof map);
    EXPECT_EQ(map.element_bytes, 2);
    EXPECT_EQ(map.size[0], 16u);
    EXPECT_EQ(map.stride[0], 32u);
    EXPECT_EQ(map.box[0], 16u);
}

TEST(Operands, OfDoublesFillTheirWholeFraction) {
    const session::Job job = job_of({"double_naive", {}, {3, 8, 16}, 0.1, 0.3});
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto inputs = session::make_inputs(job, *prepared.value->program);
    ASSERT_TRUE(inputs.ok()) << inputs.error().sentence();
    for (auto [argument, count] : {std::pair{4, 48u}, {5, 128u}, {7, 24u}}) {
        const auto bytes = inputs->memory.bytes(inputs->addresses[static_cast<size_t>(argument)]);
        ASSERT_EQ(bytes.size(), count * sizeof(double)) << argument;
        size_t floats = 0;
        for (size_t i = 0; i < count; ++i) {
            double value = 0;
            std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
            EXPECT_LE(std::fabs(value), 1);
            floats += static_cast<double>(static_cast<float>(value)) == value;
        }
        EXPECT_EQ(floats, 0u) << "a kernel that rounds them to floats must not go unnoticed";
    }
    double alpha = 0;
    std::memcpy(&alpha, inputs->parameters.data() + sim::parameters(*prepared.value->program)[3].offset, sizeof alpha);
    EXPECT_EQ(alpha, 0.1);
}

// +1 and -1 as the signs of the floats that another kernel would get, and zeros behind K.
TEST(Operands, OfBitsAreTheSignsOfTheSameStream) {
    session::Subject subject;
    subject.kernel = "binary_naive";
    subject.problem = {3, 5, 70};
    auto job = session::resolve(fixture::kernels(), subject);
    ASSERT_TRUE(job.ok()) << job.error().sentence();
    auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value) << prepared.failed->error.sentence();
    auto inputs = session::make_inputs(*job, *prepared.value->program);
    ASSERT_TRUE(inputs.ok()) << inputs.error().sentence();
    const auto word = [&](size_t argument, size_t index) {
        uint32_t value = 0;
        std::memcpy(&value, inputs->memory.bytes(inputs->addresses[argument]).data() + index * 4, 4);
        return value;
    };
    EXPECT_EQ(inputs->memory.bytes(inputs->addresses[4]).size(), 3u * 3 * 4);
    EXPECT_EQ(inputs->memory.bytes(inputs->addresses[5]).size(), 3u * 5 * 4);
    const base::RandomStream a(job->seed, 4), b(job->seed, 5);
    for (uint64_t k = 0; k < 96; ++k) {
        for (uint64_t row = 0; row < 3; ++row)
            EXPECT_EQ(word(4, row * 3 + k / 32) >> k % 32 & 1, k < 70 && a(row * 70 + k) < 0) << row << ", " << k;
        for (uint64_t column = 0; column < 5; ++column)
            EXPECT_EQ(word(5, k / 32 * 5 + column) >> k % 32 & 1, k < 70 && b(k * 5 + column) < 0)
                << k << ", " << column;
    }
}

TEST(Operands, OfDoublesAreNotToBeMultipliedAsFloats) {
    const auto done = run(job_of({"double_by_floats", {}, {33, 17, 9}}));
    ASSERT_TRUE(done.verification);
    EXPECT_FALSE(done.verification->passed);
    EXPECT_LT(done.verification->max_rel_error, 1e-6) << "which FP32 would pass with";
}

// alpha and beta of the other types are floats, for the reference as for the kernel.
TEST(Operands, AlphaIsWhatTheKernelTakes) {
    EXPECT_EQ(job_of({"mma_tf32", {}, {1, 1, 1}, 0.1}).gemm->alpha, static_cast<double>(0.1f));
    EXPECT_EQ(job_of({"double_naive", {}, {1, 1, 1}, 0.1}).gemm->alpha, 0.1);
}

TEST(Operands, OfTensorCoresAreCounted) {
    for (auto [kernel, deep] : {std::pair{"mma_bf16", 16}, {"mma_tf32", 8}}) {
        const auto done = run(job_of({kernel, {}, {64, 96, 64}}));
        EXPECT_EQ(done.totals.tensor_core_flop, 2u * 64 * 96 * 64) << kernel;
        const auto edges = run(job_of({kernel, {}, {33, 1, 1}})); // two blocks, whole tiles, one step
        EXPECT_EQ(edges.totals.tensor_core_flop, 2u * 2 * 32 * 32 * static_cast<unsigned>(deep)) << kernel;
    }
    session::Subject subject; // of wgmma, which four warps execute together
    subject.kernel = "tensor_bf16";
    subject.parameters = {{"BM", 64}, {"BN", 128}, {"STAGES", 2}};
    subject.problem = {64, 128, 64};
    auto job = session::resolve(fixture::kernels(), subject);
    ASSERT_TRUE(job.ok()) << job.error().sentence();
    EXPECT_EQ(run(*job).totals.tensor_core_flop, 2u * 64 * 128 * 64);
    subject.kernel = "binary_tensor"; // an element is a bit
    subject.parameters = {};
    subject.problem = {128, 128, 512};
    job = session::resolve(fixture::kernels(), subject);
    ASSERT_TRUE(job.ok()) << job.error().sentence();
    EXPECT_EQ(run(*job).totals.tensor_core_flop, 2u * 128 * 128 * 512);
}

// The same file that calls its operands FP32 takes twice the bytes, and what it makes of them is no product.
TEST(Operands, MustBeWhatTheKernelTakes) {
    auto kernel = *fixture::test_kernels().find("mma_tf32");
    kernel.operands = catalog::OperandType::f32;
    session::Subject subject;
    subject.kernel = "mma_tf32";
    subject.problem = {64, 64, 64};
    auto job = session::resolve(kernel, subject);
    ASSERT_TRUE(job.ok());
    EXPECT_FALSE(run(*job).verification->passed) << "TF32 is not FP32";
}

TEST(Operands, RowsOfTensorMapsAreCountedInBytes) {
    for (auto [k, mapped] : {std::pair{8, true}, {12, false}, {16, true}}) {
        EXPECT_EQ(catalog::can_be_mapped(
                      catalog::matrix_of({64, 64, k}, catalog::Operation::product, catalog::OperandType::bf16, 'A')),
                  mapped)
            << k;
        EXPECT_TRUE(catalog::can_be_mapped(
            catalog::matrix_of({64, 64, k}, catalog::Operation::product, catalog::OperandType::tf32, 'A')))
            << k;
    }
    EXPECT_TRUE(catalog::can_be_mapped(
        catalog::matrix_of({64, 4, 64}, catalog::Operation::product, catalog::OperandType::bf16, 'C')))
        << "C is FP32";
    EXPECT_FALSE(catalog::can_be_mapped(
        catalog::matrix_of({64, 4, 64}, catalog::Operation::product, catalog::OperandType::bf16, 'B')));
}

} // namespace
