// The table of counters: that its rows are told apart, and that each has its own place in Totals.
#include "analysis/counters.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using analysis::CounterRow;

TEST(CounterTable, RowsAreInTheOrderOfTheEnumerationAndHaveNamesOfTheirOwn) {
    std::set<std::string> names;
    for (size_t i = 0; i < analysis::counter_rows().size(); ++i) {
        const CounterRow& row = analysis::counter_rows()[i];
        EXPECT_EQ(static_cast<size_t>(row.counter), i) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
    }
}

TEST(CounterTable, EachRowHasItsOwnNumbers) {
    for (const CounterRow& row : analysis::counter_rows()) {
        analysis::Totals totals;
        EXPECT_TRUE(analysis::is_zero(row, totals));
        analysis::set(row, {1, 2, 3, 50, 40}, totals);
        for (const CounterRow& other : analysis::counter_rows())
            EXPECT_EQ(analysis::is_zero(other, totals), other.counter != row.counter) << row.name << other.name;
        std::vector<uint64_t> values;
        for (const analysis::CounterField& field : analysis::fields(row, totals)) values.push_back(field.value);
        using enum analysis::Sum;
        const std::vector<uint64_t> wanted = row.sum == instructions ? std::vector<uint64_t>{1}
                                             : row.sum == threads    ? std::vector<uint64_t>{2}
                                             : row.sum == flop       ? std::vector<uint64_t>{3}
                                                                     : std::vector<uint64_t>{1, 50, 40, 10};
        EXPECT_EQ(values, wanted) << row.name;
    }
}

TEST(CounterTable, RatiosOfNothingAreZero) {
    EXPECT_EQ(analysis::fma_percent({}), 0);
    EXPECT_EQ(analysis::flop_per_instruction({}), 0);
    analysis::Totals totals;
    totals.instructions_executed = 4, totals.thread_instructions = 128;
    totals.ffma_thread_instructions = 16, totals.dfma_thread_instructions = 16, totals.tensor_core_flop = 36;
    EXPECT_EQ(analysis::fma_percent(totals), 25);
    EXPECT_EQ(analysis::flop_per_instruction(totals), 25);
}

} // namespace
