// Every row of the instruction table against values recorded on a GPU: tests/data/ptx/*.ptx, written by record.py there.
#include "golden.h"
#include "ptx/parser.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using golden::Golden;

class Instructions : public testing::TestWithParam<Golden> {};

TEST_P(Instructions, EqualTheGpu) {
    const Golden& g = GetParam();
    auto parsed = ptx::parse(g.text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().sentence();
    for (const ptx::Unknown& u : parsed->unknown)
        ADD_FAILURE() << g.name << ":" << u.line << ": " << u.why.english() << ": " << u.text;
    auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*parsed)), "test");
    ASSERT_TRUE(program.ok()) << program.error().sentence();
    ASSERT_FALSE(g.expected.empty());

    EXPECT_EQ(golden::differences(g, **program, true), "");
}

INSTANTIATE_TEST_SUITE_P(Goldens, Instructions, testing::ValuesIn(golden::goldens()),
                         [](const auto& each) { return each.param.name; });

TEST(InstructionTable, EveryRowIsInAGolden) {
    std::set<ptx::Opcode> seen;
    for (const Golden& g : golden::goldens()) {
        auto parsed = ptx::parse(g.text);
        ASSERT_TRUE(parsed.ok());
        for (const ptx::Function& f : parsed->functions)
            for (const ptx::Instruction& i : f.instructions) seen.insert(i.opcode);
    }
    for (const ptx::Row& row : ptx::rows())
        EXPECT_TRUE(seen.contains(row.opcode)) << row.mnemonic << " is in no file of tests/data/ptx";
}

} // namespace
