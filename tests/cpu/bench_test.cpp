#include "cpu/bench.h"

#include "cpu/processor.h"
#include "measure/seeded.h"
#include "measure/verify.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

measure::Workload workload(catalog::OperandType operands) {
    measure::Workload workload;
    workload.kernel = "openblas";
    workload.problem = {33, 70, 129}; // no two alike: an exchanged dimension shows
    workload.operands = operands;
    workload.alpha = catalog::as_factor(operands, 0.7);
    workload.beta = catalog::as_factor(operands, -0.3);
    return workload;
}

class OpenBlas : public testing::Test {
protected:
    void SetUp() override {
        if (!found_) GTEST_SKIP() << found_.error().sentence();
    }
    base::Result<cpu::OpenBlas> found_ = cpu::OpenBlas::open();
};

TEST_F(OpenBlas, APointOfEachPrecision) {
    using enum catalog::OperandType;
    for (const auto operands : {f32, f64}) {
        int samples = -1;
        auto point = cpu::bench(*found_, workload(operands), {.samples = 12},
                                [&](const measure::Progress& progress) {
                                    if (progress.phase == measure::Phase::samples) samples = progress.done;
                                },
                                {});
        ASSERT_TRUE(point) << point.error().sentence();
        const measure::BenchPoint& p = point->point;
        EXPECT_EQ(p.operands, operands);
        EXPECT_EQ(p.parameters, (catalog::Values{{"threads", found_->threads()}}));
        EXPECT_EQ(p.device, cpu::name_of(cpu::this_processor()));
        EXPECT_TRUE(p.library.starts_with("OpenBLAS 0.")) << p.library;
        EXPECT_GE(p.samples, 10);
        EXPECT_LE(p.samples, 12);
        EXPECT_EQ(samples, p.samples - 1) << "each is announced before it is taken";
        EXPECT_DOUBLE_EQ(p.gflops, measure::gflops(33, 70, 129, p.median_ms));
        EXPECT_LT(p.max_rel_error, operands == f64 ? 1e-14 : 1e-5);
        EXPECT_GT(p.max_rel_error, 0) << "it was compared";
        EXPECT_GT(p.elements_checked, 0);
        auto read = measure::point_from_json(measure::to_json(p));
        EXPECT_TRUE(read) << read.error().sentence();
    }
}

TEST_F(OpenBlas, MultipliesRowMajorMatrices) {
    const measure::Workload what = workload(catalog::OperandType::f32);
    const base::Numbers a = measure::seeded(what, 'A'), b = measure::seeded(what, 'B'),
                        before = measure::seeded(what, 'C');
    base::Numbers c = before;
    found_->multiply(what, a, b, c);
    const auto expected =
        measure::reference({what.problem, what.alpha, what.beta, a, b, before, what.operands}, 1 << 20);
    EXPECT_EQ(expected.elements.size(), 33u * 70);
    EXPECT_LE(measure::max_abs_error(expected, c), expected.tolerance);
}

TEST_F(OpenBlas, StopsBetweenMultiplications) {
    std::stop_source stop;
    bool stopped_in_time = true;
    auto point = cpu::bench(
        *found_, workload(catalog::OperandType::f32), {.samples = 1000},
        [&](const measure::Progress& progress) {
            stopped_in_time &= !stop.stop_requested();
            if (progress.phase == measure::Phase::samples && progress.done == 2) stop.request_stop();
        },
        stop.get_token());
    ASSERT_FALSE(point);
    EXPECT_EQ(point.error().what.english(), "stopped");
    EXPECT_TRUE(stopped_in_time) << "nothing is begun afterwards";
}

TEST(NoOpenBlas, SaysWhatToInstall) {
    auto none = cpu::OpenBlas::open({"libno_such_blas.so.0"});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().failure, base::Failure::missing);
    EXPECT_NE(none.error().sentence().find("install libopenblas0-pthread"), std::string::npos)
        << none.error().sentence();
    auto other = cpu::OpenBlas::open({"libm.so.6"});
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().sentence().find("lacks a function of OpenBLAS"), std::string::npos)
        << other.error().sentence();
}

} // namespace
