#include "measure/point_log.h"

#include "base/file.h"
#include "measure/series.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

class PointLog : public testing::Test {
protected:
    const fs::path file_ = fs::path(testing::TempDir()) / ("points_" + std::to_string(::getpid()) + ".json");
    ~PointLog() override { fs::remove(file_); }

    static measure::BenchPoint point(int edge) {
        measure::BenchPoint p;
        p.kernel = "naive";
        p.m = p.n = p.k = edge;
        p.samples = 10;
        p.median_ms = p.min_ms = 1;
        p.gflops = edge;
        p.device = "a GPU";
        return p;
    }
};

TEST_F(PointLog, GrowsPointByPointAndIsReadAsARecordedFile) {
    auto log = measure::PointLog::open(file_, "gemmscope bench naive");
    ASSERT_TRUE(log) << log.error().sentence();
    EXPECT_TRUE(log->points().empty());
    ASSERT_TRUE(log->append(point(8)));
    ASSERT_TRUE(log->append(point(16)));
    auto again = measure::PointLog::open(file_, "another command");
    ASSERT_TRUE(again) << again.error().sentence();
    EXPECT_EQ(again->points(), (std::vector{point(8), point(16)}));
    auto series = measure::read_recorded(file_);
    ASSERT_TRUE(series) << series.error().sentence();
    EXPECT_EQ(series->at(0).samples.size(), 2u);
    EXPECT_NE(series->at(0).source.find("gemmscope bench naive"), std::string::npos);
}

TEST_F(PointLog, ALineThatWasBeingWrittenIsCutOff) {
    std::string half = measure::to_json(point(16)).substr(0, 30);
    ASSERT_TRUE(base::write_file(file_, measure::to_json(point(8)) + "\n" + half));
    auto log = measure::PointLog::open(file_, "");
    ASSERT_TRUE(log) << log.error().sentence();
    EXPECT_EQ(log->points(), std::vector{point(8)});
    ASSERT_TRUE(log->append(point(16)));
    EXPECT_EQ(measure::read_points(file_)->points, (std::vector{point(8), point(16)}));
}

TEST_F(PointLog, OtherOperandsOrAnotherLibraryAreAnotherPoint) {
    auto log = measure::PointLog::open(file_, "");
    ASSERT_TRUE(log && log->append(point(8)));
    measure::PointLog::Key key{"naive", {}, catalog::OperandType::f32, {8, 8, 8}, "a GPU", ""};
    EXPECT_TRUE(log->find(key));
    auto other = key;
    other.operands = catalog::OperandType::bf16;
    EXPECT_FALSE(log->find(other));
    other = key;
    other.library = "OpenBLAS 0.3.21, Haswell kernels";
    EXPECT_FALSE(log->find(other));
    auto multiplied = point(16);
    multiplied.library = other.library;
    ASSERT_TRUE(log->append(multiplied));
    other.problem = key.problem = {16, 16, 16};
    EXPECT_TRUE(log->find(other));
    EXPECT_TRUE(log->find(key)) << "any library";
}

TEST_F(PointLog, WhatIsNoLogIsLeftAlone) {
    ASSERT_TRUE(base::write_file(file_, "a shopping list\nmilk\n"));
    auto log = measure::PointLog::open(file_, "");
    ASSERT_FALSE(log);
    EXPECT_NE(log.error().sentence().find(":1: not JSON"), std::string::npos) << log.error().sentence();
    EXPECT_EQ(*base::read_file(file_), "a shopping list\nmilk\n");
    EXPECT_FALSE(measure::PointLog::open("/proc/none/points.json", ""));
}

} // namespace
