#include "measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using measure::Stop;

TEST(Statistics, MedianOfFew) {
    EXPECT_EQ(measure::median({}), 0);
    EXPECT_EQ(measure::median({7}), 7);
    EXPECT_EQ(measure::median({3, 1, 2}), 2);
    EXPECT_EQ(measure::median({4, 1, 3, 2}), 2.5);
}

TEST(Statistics, HalfTheRangeOfAFew) {
    EXPECT_EQ(measure::half_range({}), 1);
    EXPECT_EQ(measure::half_range({3}), 0);
    EXPECT_DOUBLE_EQ(measure::half_range({2, 1, 4}), 0.75);
}

TEST(Statistics, InterquartileSpread) {
    EXPECT_FALSE(measure::interquartile_spread({1, 2, 3}));
    EXPECT_EQ(measure::interquartile_spread({2, 2, 2, 2}), 0);
    EXPECT_DOUBLE_EQ(*measure::interquartile_spread({5, 1, 4, 2, 3}), 2.0 / 3); // quartiles 2 and 4
    EXPECT_DOUBLE_EQ(*measure::interquartile_spread({4, 1, 3, 2}), 1.5 / 2.5);  // 1.75 and 3.25
    EXPECT_DOUBLE_EQ(*measure::interquartile_spread({1, 1, 1, 1, 1, 1, 9}),
                     0.0); // an outlier is none of its business
}

TEST(Statistics, SpreadNeedsSixSamples) {
    EXPECT_EQ(measure::median_spread({}), 1);
    EXPECT_EQ(measure::median_spread({1, 1, 1, 1, 1}), 1); // all five on one side of the median: 6 of 100 cases
    EXPECT_EQ(measure::median_spread({1, 1, 1, 1, 1, 1}), 0);
}

// Tables of order-statistic intervals (95%): n = 10 gives the 2nd and 9th, n = 20 the 6th and 15th, n = 100 the 40th and 61st.
TEST(Statistics, SpreadIsThatOfTheTables) {
    for (auto [n, low, high] : {std::tuple{6, 1, 6}, {10, 2, 9}, {20, 6, 15}, {25, 8, 18}, {100, 40, 61}}) {
        std::vector<double> samples;
        for (int i = 1; i <= n; ++i) samples.push_back(1000 + i);
        double expected = (high - low) / 2.0 / measure::median(samples);
        EXPECT_NEAR(measure::median_spread(samples), expected, 1e-12) << n;
    }
}

TEST(Statistics, OneOutlierDoesNotWidenTheSpread) {
    std::vector<double> samples(20, 1.0);
    samples[7] = 50;
    EXPECT_EQ(measure::median_spread(samples), 0);
}

TEST(Statistics, ThousandsOfSamples) {
    std::vector<double> samples(5000, 2.0);
    EXPECT_EQ(measure::median_spread(samples), 0);
    for (size_t i = 0; i < samples.size(); i += 2) samples[i] = 3.0;
    EXPECT_GT(measure::median_spread(samples), 0);
}

TEST(StopRule, WaitsForTheLeastEvenIfSettled) {
    measure::StopRule rule;
    std::vector<double> nine(9, 1.0), ten(10, 1.0);
    EXPECT_EQ(measure::stop(rule, {}, {}, 1e9), Stop::not_yet); // one sample at least
    EXPECT_EQ(measure::stop(rule, nine, nine, 0), Stop::not_yet);
    EXPECT_EQ(measure::stop(rule, ten, ten, 0), Stop::settled);
    EXPECT_EQ(measure::stop(rule, ten, {}, 0), Stop::settled);
}

TEST(StopRule, BothMustSettle) {
    measure::StopRule rule;
    std::vector<double> calm(12, 1.0), noisy;
    for (int i = 0; i < 12; ++i) noisy.push_back(i % 2 ? 1.0 : 2.0);
    EXPECT_EQ(measure::stop(rule, calm, noisy, 0), Stop::not_yet);
    EXPECT_EQ(measure::stop(rule, noisy, calm, 0), Stop::not_yet);
    EXPECT_EQ(measure::stop(rule, calm, noisy, rule.time_limit_s), Stop::time_up);
    rule.most = 12;
    EXPECT_EQ(measure::stop(rule, calm, noisy, 0), Stop::sample_cap);
}

TEST(StopRule, OfALongLaunchAFewThatLieCloseWillDo) {
    const measure::StopRule rule{.least = 6, .most = 30, .spread = 0.01, .in_any_case = 3, .long_ms = 2};
    EXPECT_EQ(measure::stop(rule, {5, 5.02}, {}, 0), Stop::not_yet);
    EXPECT_EQ(measure::stop(rule, {5, 5.02, 5.04}, {}, 0), Stop::settled); // half their range is 0.4%
    EXPECT_EQ(measure::stop(rule, {5, 5.02, 5.06}, {}, 0), Stop::not_yet); // 0.6%
    EXPECT_EQ(measure::stop(rule, {1, 1, 1}, {}, 0), Stop::not_yet);       // short: six
    EXPECT_EQ(measure::stop(rule, {5, 5, 5}, {5, 5, 5}, 0),
              Stop::not_yet); // beside a reference: both as many as the rule says
    EXPECT_EQ(measure::stop({}, std::vector<double>(9, 5000.0), {}, 0), Stop::not_yet);
}

TEST(StopRule, NaNNeverSettles) {
    measure::StopRule rule;
    std::vector<double> bad(20, std::nan(""));
    EXPECT_EQ(measure::stop(rule, bad, {}, 0), Stop::not_yet);
}

} // namespace
