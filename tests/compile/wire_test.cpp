#include "compile/outcome.h"
#include "compile/wire.h"

#include <gtest/gtest.h>

namespace {
namespace wire = compile::wire;
using wire::Fields;

TEST(Wire, FieldsComeBack) {
    for (const Fields& fields : {Fields{}, {""}, {"a", "", std::string("\0b", 2)}}) {
        EXPECT_EQ(wire::unpacked(wire::packed(fields)), fields);
        EXPECT_EQ(wire::length_of(wire::message(fields)), wire::packed(fields).size());
    }
}

TEST(Wire, ValuesComeBack) {
    const compile::Source source{"text", "name", "entry", {"A=1", "B"}, "sm_80"};
    const auto same = wire::source_of(wire::to_fields(source));
    ASSERT_TRUE(same);
    EXPECT_EQ(same->defines, source.defines);
    EXPECT_EQ(same->arch, "sm_80");
    const compile::NvrtcFacts facts{"path", "13.0", "7", {75, 80}, {"/include"}};
    const auto known = wire::facts_of(wire::to_fields(facts));
    ASSERT_TRUE(known);
    EXPECT_EQ(known->architectures, facts.architectures);
    EXPECT_EQ(known->include_folders, facts.include_folders);
    const compile::Ptx ptx{"text", "k", {{false, 3, base::verbatim("warning")}}};
    const auto read = wire::ptx_of(wire::to_fields(ptx));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->warnings.front().line, 3);
    EXPECT_FALSE(read->warnings.front().error);
    const compile::CompileError failed{{base::Failure::missing, base::say("what"), "where", base::say("todo")},
                                       {{true, 2, base::say("said")}}};
    const auto answer = wire::outcome_of(wire::answer(compile::failure<Fields>(failed)));
    ASSERT_TRUE(answer && answer->failed);
    EXPECT_EQ(answer->failed->error.what, failed.error.what) << "it can be said in another language";
    EXPECT_EQ(answer->failed->error.todo, failed.error.todo);
    EXPECT_EQ(answer->failed->error.sentence(), failed.error.sentence());
    EXPECT_EQ(answer->failed->error.failure, base::Failure::missing);
    EXPECT_EQ(answer->failed->diagnostics.front().text, base::say("said"));
}

// What a crashed or foreign process may say.
TEST(Wire, WhatIsNoValueIsNone) {
    const std::string whole = wire::packed({"good", "text"});
    for (size_t i = 1; i < whole.size(); ++i) {
        if (i == wire::head_bytes + 4) continue;
        EXPECT_FALSE(wire::unpacked(whole.substr(0, i))) << i;
    }
    EXPECT_FALSE(wire::unpacked(std::string(8, '\xff') + "x"));
    for (const Fields& fields : {Fields{},
                                 {"x"},
                                 {"refused"},
                                 {"refused", "9", "", "", ""},
                                 {"refused", "1", "\"\"", "", "\"\"", "error"},
                                 {"refused", "1", "no sentence", "", "\"\""},
                                 {"refused", "1", "\"\"", "", "[]"}})
        EXPECT_FALSE(wire::outcome_of(fields));
    EXPECT_FALSE(wire::ptx_of({"text"}));
    EXPECT_FALSE(wire::ptx_of({"text", "k", "", "no number", "\"said\""}));
    EXPECT_FALSE(wire::ptx_of({"text", "k", "", "1", "no sentence"}));
    EXPECT_FALSE(wire::facts_of({"", "", "", "1000000"}));
    EXPECT_FALSE(wire::facts_of({"", "", "", "1", "x"}));
    EXPECT_FALSE(wire::source_of({"text", "name", "entry"}));
    EXPECT_FALSE(wire::machine_code_of({"", "", "", "short"}));
}

} // namespace
