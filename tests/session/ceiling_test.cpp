#include "session/ceiling.h"

#include "fixture.h"

#include <algorithm>

namespace {

using analysis::Unit;

measure::Series of_kernel(const char* id) {
    measure::Series series;
    series.name = series.kernel = id;
    const auto kernel = fixture::kernels().find(id);
    EXPECT_TRUE(kernel) << id;
    if (kernel) series.operands = kernel->operands;
    return series;
}

measure::Series of_cublas(catalog::OperandType operands) {
    measure::Series series;
    series.operands = operands;
    series.name = measure::cublas_name(operands);
    return series;
}

Unit unit(const measure::Series& series, const char* arch) {
    return session::unit_of(series, fixture::kernels(), *analysis::device_of(arch));
}

TEST(Ceiling, AKernelIsMeasuredAgainstTheUnitsThatComputeIt) {
    for (auto [kernel, wanted] : {std::pair{"champion", Unit::fp32},
                                  {"tensor_tf32", Unit::tensor_tf32},
                                  {"tensor_3xtf32", Unit::tensor_3xtf32},
                                  {"tensor_bf16", Unit::tensor_bf16},
                                  {"dgemm_tile", Unit::fp64},
                                  {"dgemm_tensor", Unit::tensor_fp64},
                                  {"binary_tiled", Unit::popc},
                                  {"binary_tensor", Unit::tensor_b1}})
        EXPECT_EQ(unit(of_kernel(kernel), "sm_90"), wanted) << kernel;
}

// What a file says of its units is what its machine code computes on.
TEST(Ceiling, EveryShippedKernelComputesOnTheUnitsThatItsFileSays) {
    int on_tensor_cores = 0;
    for (const auto& kernel : fixture::kernels().kernels) {
        SCOPED_TRACE(kernel->id);
        session::Subject subject;
        subject.kernel = kernel->id;
        const auto job = session::resolve(*kernel, subject);
        ASSERT_TRUE(job) << job.error().sentence();
        const auto prepared = session::prepare(*job).value;
        ASSERT_TRUE(prepared);
        const trace::Listing& code = *prepared->listing;
        EXPECT_EQ(code.engine, trace::Engine::machine);
        const bool used = std::any_of(code.instructions.begin(), code.instructions.end(),
                                      [](const auto& i) { return i.unit == trace::Unit::tensor_core; });
        EXPECT_EQ(used, analysis::is_tensor(session::unit_of(kernel->operands, kernel->tensor_cores)));
        EXPECT_TRUE(prepared->wrong_units.empty());
        on_tensor_cores += used;
    }
    EXPECT_GE(on_tensor_cores, 4);
}

TEST(Ceiling, AFileThatSaysOtherUnitsIsToldSo) {
    const auto said = [](const char* id, bool tensor_cores, session::Engine engine) {
        catalog::Kernel kernel = *fixture::kernels().find(id);
        kernel.tensor_cores = tensor_cores;
        session::Subject subject;
        subject.kernel = id, subject.engine = engine;
        const auto job = session::resolve(kernel, subject);
        EXPECT_TRUE(job);
        const auto prepared = session::prepare(*job).value;
        EXPECT_TRUE(prepared);
        return prepared ? prepared->wrong_units.english() : "";
    };
    for (const auto engine : {session::Engine::machine, session::Engine::ptx}) {
        EXPECT_TRUE(
            said("dgemm_tensor", false, engine).starts_with("tensor cores multiply, but the file does not say"));
        EXPECT_EQ(said("dgemm_tensor", true, engine), "");
        EXPECT_TRUE(said("binary_tiled", true, engine).starts_with("the file says `tensor_cores = true`, but none"));
        EXPECT_EQ(said("binary_tiled", false, engine), "");
    }
}

TEST(Ceiling, CublasTakesTensorCoresForDoublesWhereThereAreSuch) {
    using enum catalog::OperandType;
    EXPECT_EQ(unit(of_cublas(f64), "sm_90"), Unit::tensor_fp64);
    EXPECT_EQ(unit(of_cublas(f64), "sm_70"), Unit::fp64);
    EXPECT_EQ(unit(of_cublas(bf16), "sm_90"), Unit::tensor_bf16);
    EXPECT_EQ(unit(of_cublas(f32), "sm_90"), Unit::fp32);
    EXPECT_EQ(unit(of_cublas(b1), "sm_90"), Unit::fp32) << "it multiplies bits as floats";
}

TEST(Ceiling, ByArithmeticAndMeasuredWhereThereIsAKernelForIt) {
    analysis::Device device = *analysis::device_of("sm_90");
    device.multiprocessors = 10, device.clock_ghz = 1;
    measure::Peaks measured;
    measured.fma_gflops = 2500, measured.fp64_gflops = 1200;
    EXPECT_EQ(session::ceiling(Unit::fp32, device, &measured), (session::Ceiling{Unit::fp32, 2560, 2500}));
    EXPECT_EQ(session::ceiling(Unit::fp64, device, &measured), (session::Ceiling{Unit::fp64, 1280, 1200}));
    EXPECT_EQ(session::ceiling(Unit::fp64, device, nullptr), (session::Ceiling{Unit::fp64, 1280, 0}));
    EXPECT_EQ(session::ceiling(Unit::tensor_fp64, device, &measured), (session::Ceiling{Unit::tensor_fp64, 2560, 0}));
    EXPECT_EQ(session::ceiling(Unit::tensor_b1, device, &measured), (session::Ceiling{Unit::tensor_b1, 0, 0}));
}

} // namespace
