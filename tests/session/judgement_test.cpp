// What is judged, what points come to, and where a prediction counts as validated.
#include "session/judgement.h"

#include "catalog/catalog.h"
#include "catalog/code_hash.h"
#include "session/expected_error.h"

#include <gtest/gtest.h>

#include <fstream>

namespace {

using catalog::Problem;
using catalog::Values;
using session::Half;
using session::Judged;

// Constants were fitted to one half: a setting that changed sides would be judged by what it helped to fit.
TEST(Judgement, TheHalvesAreFrozen) {
    const auto half = [](const char* kernel, const Values& values) { return session::half_of(kernel, values); };
    EXPECT_EQ(half("shared_tile", {{"TILE", 8}}), Half::judged);
    EXPECT_EQ(half("shared_tile", {{"TILE", 16}}), Half::calibration);
    EXPECT_EQ(half("shared_tile", {{"TILE", 32}}), Half::judged);
    EXPECT_EQ(half("naive_hoisted", {{"BX", 2}, {"BY", 64}}), Half::calibration);
    EXPECT_EQ(half("naive_hoisted", {{"BX", 2}, {"BY", 128}}), Half::judged);
}

TEST(Judgement, PointsComeToQuantilesOfTheirErrors) {
    std::vector<Judged> points;
    for (int n = 0; n <= 10; ++n) points.push_back({"k", {{"A", n}}, {}, 100, 100.0 + (n % 2 ? n : -n)});
    const measure::Accuracy a = session::accuracy(points);
    EXPECT_EQ(a.points, 11u);
    EXPECT_NEAR(a.median, 0.05, 1e-12);
    EXPECT_NEAR(a.p90, 0.09, 1e-12);
    EXPECT_NEAR(a.worst, 0.10, 1e-12);
    EXPECT_NEAR(a.bias, 0, 1e-12);
    EXPECT_NEAR(a.low, -0.08, 1e-12);
    EXPECT_NEAR(a.high, 0.07, 1e-12);
    EXPECT_EQ(a.lines, 1u);
    EXPECT_DOUBLE_EQ(*a.tau, 0) << "all were measured alike, so none is in the right order";
    EXPECT_EQ(session::accuracy({}).points, 0u);
}

TEST(Judgement, TauIsOfLinesAlongOneSlider) {
    std::vector<Judged> points;
    for (int n = 1; n <= 4; ++n) points.push_back({"k", {{"A", n}, {"B", 1}}, {}, 1.0 * n, n == 4 ? 2.5 : 1.0 * n});
    EXPECT_NEAR(*session::accuracy(points).tau, 4.0 / 6, 1e-12) << "of six pairs one is the wrong way round";
    points.resize(2);
    EXPECT_FALSE(session::accuracy(points).tau) << "two settings are no line";
}

TEST(Judgement, RowsAreOfEachSizeAndOfAll) {
    const auto catalog = catalog::load({SOURCE_DIR "/kernels"});
    const auto naive = catalog.find("naive");
    const std::vector<Judged> points{{"naive", {{"BX", 32}}, {2048, 2048, 2048}, 1, 1.1},
                                     {"naive", {{"BX", 32}}, {1024, 1024, 1024}, 1, 1.2}};
    const auto rows = session::accuracy_rows(*naive, points);
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].size, (Problem{1024, 1024, 1024}));
    EXPECT_NEAR(rows[0].accuracy.median, 0.2, 1e-12);
    EXPECT_EQ(rows[1].size, (Problem{2048, 2048, 2048}));
    EXPECT_FALSE(rows[2].size);
    EXPECT_EQ(rows[2].accuracy.points, 2u);
    EXPECT_EQ(rows[2].code, catalog::code_hash(*naive));
    EXPECT_TRUE(session::accuracy_rows(*naive, {}).empty());
}

class Expected : public testing::Test {
protected:
    Expected() {
        subject.kernel = "naive";
        subject.problem = {2000, 2000, 2000};
        const std::string code = catalog::code_hash(*naive);
        measure::AccuracyRecord record;
        record.arch = "sm_90";
        record.rows = {{"naive", code, Problem{1024, 1024, 1024}, {20, 0.01, 0.1, 0.1, 0, 0, 0, {}, 0}},
                       {"naive", code, Problem{2048, 2048, 2048}, {20, 0.02, 0.1, 0.1, 0, 0, 0, {}, 0}},
                       {"naive", code, Problem{4096, 4096, 4096}, {5, 0.03, 0.1, 0.1, 0, 0, 0, {}, 0}},
                       {"naive", code, {}, {45, 0.04, 0.1, 0.1, 0, 0, 0, {}, 0}}};
        records.push_back(record);
    }
    session::ExpectedError found() const { return session::expected_error(records, *naive, subject); }
    void expect_not_validated(const std::string& why) const {
        EXPECT_FALSE(found().accuracy);
        EXPECT_FALSE(found().validated());
        EXPECT_NE(found().not_validated.english().find(why), std::string::npos) << found().not_validated.english();
    }

    const catalog::Catalog catalog = catalog::load({SOURCE_DIR "/kernels"});
    const std::shared_ptr<const catalog::Kernel> naive = catalog.find("naive");
    session::Subject subject;
    std::vector<measure::AccuracyRecord> records;
};

TEST_F(Expected, IsOfTheNearestSize) {
    ASSERT_TRUE(found().accuracy);
    EXPECT_EQ(found().size, (Problem{2048, 2048, 2048}));
    EXPECT_DOUBLE_EQ(found().accuracy->median, 0.02);
    subject.problem = {4096, 4096, 4096};
    EXPECT_FALSE(found().size) << "five points are too few: all sizes together";
    EXPECT_DOUBLE_EQ(found().accuracy->median, 0.04);
}

// The error is known and told; that it is so large is told with it.
TEST_F(Expected, OfPredictionsThatAreFarOffIsNoValidation) {
    EXPECT_TRUE(found().validated());
    measure::Accuracy& nearest = records[0].rows[1].accuracy;
    nearest.p90 = session::largest_p90;
    EXPECT_TRUE(found().validated());
    nearest.p90 = session::largest_p90 + 0.001;
    EXPECT_FALSE(found().validated());
    EXPECT_TRUE(found().unreliable());
    ASSERT_TRUE(found().accuracy);
    EXPECT_DOUBLE_EQ(found().accuracy->median, 0.02);
    EXPECT_EQ(found().not_validated.english(), "more than one in ten of its judged predictions is off by over 25 %");
}

TEST_F(Expected, OfWhatNoGpuHasIsNotTold) {
    timing::WhatIf what_if;
    what_if.bank_conflicts = false;
    const auto error = session::expected_error(records, *naive, subject, what_if);
    EXPECT_FALSE(error.accuracy);
    EXPECT_FALSE(error.validated());
    EXPECT_FALSE(error.unreliable());
}

TEST_F(Expected, IsNotToldOutsideOfWhatWasJudged) {
    const session::Subject judged = subject;
    for (const Problem& size : {Problem{512, 2048, 2048}, {2048, 8192, 2048}, {2048, 2048, 512}}) {
        subject.problem = size;
        expect_not_validated("no size so small or so large");
    }
    subject = judged;
    subject.arch = "sm_80";
    expect_not_validated("on sm_80");
    subject = judged;
    subject.beta = 1;
    expect_not_validated("beta 0");
    subject = judged;
    subject.breaks = {"guard"};
    expect_not_validated("planted mistake");
    subject = judged;
    records[0].rows.back().accuracy.points = 9;
    expect_not_validated("fewer than 10");
    for (auto& row : records[0].rows) row.code = "of another";
    expect_not_validated("another code");
    records.clear();
    expect_not_validated("no setting of this kernel");
}

} // namespace
