// The constants of time against the microbenchmarks that they name.
#include "recorded.h"
#include "timing/machine.h"

#include <set>

namespace {

TEST(Machine, IsKnownOfHopperAlone) {
    EXPECT_NE(timing::machine("sm_90"), nullptr);
    EXPECT_EQ(timing::machine("sm_90a"), timing::machine("sm_90"));
    for (const char* other : {"sm_80", "sm_89", "sm_100", "", "sm_9"}) EXPECT_EQ(timing::machine(other), nullptr);
}

TEST(Machine, EveryConstantIsARowAndSaysWhereItComesFrom) {
    std::set<std::string> names;
    for (const timing::ConstantRow& row : timing::constant_rows()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(timing::Machine{}.*row.member, row.value) << row.name;
        EXPECT_STRNE(row.from, "") << row.name;
        EXPECT_STRNE(row.meaning, "") << row.name;
    }
    EXPECT_EQ(names.size() * sizeof(double), sizeof(timing::Machine));
}

// In the unit of the row: what was measured within its spread, or 15 %.
TEST(Machine, AConstantIsWhatItsMicrobenchmarkGave) {
    for (const timing::ConstantRow& row : timing::constant_rows()) {
        const auto found = recorded::microbenchmarks().find(row.from);
        if (found == recorded::microbenchmarks().end())
            continue; // "device", "fitted", what several of them say together
        EXPECT_EQ(row.unit, found->second.unit) << row.name;
        EXPECT_NEAR(row.value, found->second.value, std::max(found->second.spread, 0.15 * found->second.value))
            << row.name << ", by " << row.from;
    }
}

} // namespace
