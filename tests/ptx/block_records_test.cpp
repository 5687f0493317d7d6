#include "ptx/block_records.h"
#include "ptx/parser.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

const std::string header = ".version 8.0\n.target sm_90\n.address_size 64\n";

ptx::Module parsed(const std::string& text) {
    auto m = ptx::parse(header + text);
    EXPECT_TRUE(m.ok());
    return m ? *m : ptx::Module{};
}

const ptx::Function& function(const ptx::Module& m, const std::string& name) {
    return *std::find_if(m.functions.begin(), m.functions.end(),
                         [&](const ptx::Function& f) { return f.name == name; });
}

// The kernel k with records, parsed again.
ptx::Module recorded(const std::string& text) {
    auto rewritten = ptx::with_block_records(parsed(text), "k");
    EXPECT_TRUE(rewritten.ok()) << rewritten.error().sentence();
    auto m = ptx::parse(rewritten ? *rewritten : std::string(".version 8.0"));
    EXPECT_TRUE(m.ok() && m->unknown.empty()) << (rewritten ? *rewritten : "");
    return *m;
}

size_t count(const ptx::Module& m, const std::string& name, ptx::Opcode opcode) {
    const auto& all = function(m, name).instructions;
    return static_cast<size_t>(
        std::count_if(all.begin(), all.end(), [&](const ptx::Instruction& i) { return i.opcode == opcode; }));
}

TEST(BlockRecords, TheLastParameterIsAnother) {
    for (const std::string list : {"", "()", "(.param .u64 a)", "(.param .u64 a, .param .align 64 .b8 map[128])"}) {
        const std::string text = ".visible .entry k" + list + "\n.maxntid 128, 1, 1\n{ ret; }\n";
        const auto before = parsed(text), after = recorded(text);
        const auto& parameters = function(after, "k").parameters;
        ASSERT_EQ(parameters.size(), function(before, "k").parameters.size() + 1) << list;
        const ptx::Variable& last = after.variables[static_cast<size_t>(parameters.back())];
        EXPECT_EQ(last.bytes, 8u);
        EXPECT_EQ(last.name, "k_block_records");
    }
}

TEST(BlockRecords, EveryWayOutRecords) {
    EXPECT_EQ(count(recorded(".entry k() { ret; }"), "k", ptx::Opcode::red), 1u);
    EXPECT_EQ(count(recorded(".entry k() { .reg .pred %p; @%p bra L; @!%p exit; L: { @%p ret.uni; } ret; }"), "k",
                    ptx::Opcode::red),
              3u);
    EXPECT_EQ(count(recorded(".entry k() { .reg .pred %p; @%p ret; }"), "k", ptx::Opcode::red), 2u)
        << "who has not returned falls off the end";
    EXPECT_EQ(count(recorded(".entry k() { }"), "k", ptx::Opcode::red), 1u);
}

TEST(BlockRecords, OtherFunctionsStayAsTheyAre) {
    const auto m = recorded(".func f() { ret; }\n.entry other() { ret; }\n.entry k(.param .u32 n) { exit: "
                            "call.uni f, (); bra exit; ret; }\n");
    EXPECT_EQ(count(m, "f", ptx::Opcode::red), 0u);
    EXPECT_EQ(count(m, "other", ptx::Opcode::red), 0u);
    EXPECT_EQ(count(m, "k", ptx::Opcode::red), 1u);
    EXPECT_EQ(count(m, "k", ptx::Opcode::st), 2u);
}

TEST(BlockRecords, WhatCannotBeRecordedIsAnError) {
    auto none = ptx::with_block_records(parsed(".entry other() { ret; }"), "k");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().sentence().find("no entry k"), std::string::npos);
    auto inside = ptx::with_block_records(parsed(".func f() { exit; }\n.entry k() { call.uni f, (); ret; }"), "k");
    ASSERT_FALSE(inside);
    EXPECT_NE(inside.error().sentence().find("f ends its thread"), std::string::npos) << inside.error().sentence();
}

} // namespace
