#include "base/number.h"
#include "measure/bench_point.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace {

measure::BenchPoint sample_point() {
    measure::BenchPoint p;
    p.kernel = "double_buffer";
    p.parameters = {{"BM", 128}, {"BK", 8}};
    p.m = p.n = p.k = 1024;
    p.samples = 40;
    p.median_ms = 0.0625;
    p.min_ms = 0.0605;
    p.back_to_back_ms = 0.06;
    p.gflops = base::significant(measure::gflops(p.m, p.n, p.k, p.median_ms)); // as they are written
    p.cublas = {"pedantic_fp32", 0.065, base::significant(measure::gflops(p.m, p.n, p.k, 0.065)),
                "cublasSgemm",   0.002, 0.75};
    p.ratio = 0.065 / 0.0625;
    p.max_rel_error = 1.5e-6;
    p.device = "NVIDIA H200";
    p.sm_clock_mhz = 1980;
    p.driver = "580.159.04";
    p.cuda = "13.0";
    p.date = "2026-11-20";
    p.spread = 0.0125;
    p.joules = 0.5;
    p.clock_before_mhz = 1980;
    p.operands = catalog::OperandType::bf16;
    p.library = "OpenBLAS 0.3.21, Haswell kernels";
    p.rounding = 3;
    p.elements_checked = 1024;
    return p;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(BenchPoint, GflopsAreDecimal) {
    EXPECT_DOUBLE_EQ(measure::gflops(1000, 1000, 1000, 1.0), 2000.0);
    EXPECT_EQ(measure::gflops(8192, 8192, 8192, 0), 0);
    EXPECT_NEAR(measure::gflops(8192, 8192, 8192, 71.745537), 15325.16, 0.01); // no overflow of 2 M N K
}

TEST(BenchPoint, ReadsBackWhatItWrote) {
    auto point = sample_point();
    std::string line = measure::to_json(point);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    auto back = measure::point_from_json(line);
    ASSERT_TRUE(back) << back.error().sentence();
    EXPECT_EQ(*back, point);
}

TEST(BenchPoint, HasTheFieldsOfTheContractInItsOrder) {
    std::string line = measure::to_json(sample_point());
    size_t last = 0;
    for (const char* name : {"kernel", "parameters",      "m",      "n",      "k",    "samples",  "median_ms",
                             "min_ms", "back_to_back_ms", "gflops", "cublas", "mode", "ratio",    "max_rel_error",
                             "device", "sm_clock_mhz",    "driver", "cuda",   "date", "rounding", "elements_checked"}) {
        size_t at = line.find("\"" + std::string(name) + "\":", last);
        ASSERT_NE(at, std::string::npos) << name << " in " << line;
        last = at;
    }
}

TEST(BenchPoint, NaNErrorSurvivesAsNull) {
    auto point = sample_point();
    point.max_rel_error = std::nan("");
    point.back_to_back_ms = 0;
    std::string line = measure::to_json(point);
    EXPECT_NE(line.find("\"max_rel_error\":null"), std::string::npos);
    EXPECT_NE(line.find("\"back_to_back_ms\":null"), std::string::npos);
    auto back = measure::point_from_json(line);
    ASSERT_TRUE(back);
    EXPECT_TRUE(std::isnan(back->max_rel_error));
    EXPECT_EQ(back->back_to_back_ms, 0);
}

TEST(BenchPoint, WithoutCublas) {
    auto point = sample_point();
    point.cublas = {};
    point.ratio = 0;
    auto back = measure::point_from_json(measure::to_json(point));
    ASSERT_TRUE(back) << back.error().sentence();
    EXPECT_EQ(*back, point);
}

TEST(BenchPoint, PointsOfOlderFilesLackTheNewerFields) {
    auto json = nlohmann::json::parse(measure::to_json(sample_point()));
    for (const char* newer :
         {"spread", "joules", "sm_clock_before_mhz", "throttled", "operands", "rounding", "elements_checked"})
        EXPECT_EQ(json.erase(newer), 1u) << newer;
    for (const char* newer : {"spread", "joules", "algorithm"}) EXPECT_EQ(json["cublas"].erase(newer), 1u) << newer;
    auto old = measure::point_from_json(json.dump());
    ASSERT_TRUE(old) << old.error().sentence();
    auto expected = sample_point();
    expected.spread = expected.cublas.spread = expected.joules = expected.cublas.joules = {};
    expected.clock_before_mhz = 0;
    expected.operands = catalog::OperandType::f32;
    expected.cublas.algorithm.clear();
    expected.rounding = 1;
    expected.elements_checked = 0;
    EXPECT_EQ(base::significant(old->ratio), base::significant(expected.ratio));
    old->ratio = expected.ratio;
    EXPECT_EQ(*old, expected);
    EXPECT_NE(measure::to_json(*old).find(R"("throttled":null)"), std::string::npos);
    EXPECT_NE(measure::to_json(*old).find(R"("elements_checked":null)"), std::string::npos);
}

TEST(BenchPoint, AClockThatFellIsFlagged) {
    auto point = sample_point();
    EXPECT_NE(measure::to_json(point).find(R"("throttled":false)"), std::string::npos);
    point.sm_clock_mhz = 1900;
    EXPECT_TRUE(measure::throttled(point));
    EXPECT_NE(measure::to_json(point).find(R"("throttled":true)"), std::string::npos);
    point.clock_before_mhz = 1700; // it rose
    EXPECT_FALSE(measure::throttled(point));
}

TEST(BenchPoint, DamageIsNamed) {
    std::string line = measure::to_json(sample_point());
    struct {
        std::string damaged, said;
    } cases[] = {
        {line.substr(0, line.size() / 2), "not JSON"},
        {"[1,2]", "not a JSON object"},
        {"", "not JSON"},
        {replaced(line, "\"m\":1024", "\"m\":0"), "m is not a whole number in 1"},
        {replaced(line, "\"m\":1024", "\"m\":1e99"), "m is not a whole number"},
        {replaced(line, "\"n\":1024", "\"n\":18446744073709551615"), "n is not a whole number"},
        {replaced(line, "\"median_ms\":0.0625", "\"median_ms\":-1"), "median_ms is not above 0"},
        {replaced(line, "\"gflops\"", "\"gflopz\""), "gflops is missing"},
        {replaced(line, "\"pedantic_fp32\"", "7"), "cublas.mode is not text"},
        {replaced(line, "{\"BK\":8,\"BM\":128}", "{\"BK\":\"x\"}"), "parameters.BK is not a whole number"},
        {replaced(line, "{\"BK\":8,\"BM\":128}", "8"), "parameters is not an object"},
        {replaced(line, "\"NVIDIA H200\"", "null"), "device is not text"},
    };
    for (const auto& [damaged, said] : cases) {
        auto point = measure::point_from_json(damaged);
        ASSERT_FALSE(point) << damaged;
        EXPECT_NE(point.error().what.english().find(said), std::string::npos)
            << point.error().what.english() << " should say " << said;
    }
}

TEST(BenchPoint, OddTextsStayValidJson) {
    auto point = sample_point();
    point.device = "quote \" newline \n broken \xff utf-8";
    auto back = measure::point_from_json(measure::to_json(point));
    ASSERT_TRUE(back) << back.error().sentence();
    EXPECT_NE(back->device.find("quote \" newline \n broken "), std::string::npos);
}

} // namespace
