#include "fixture.h"
#include "session/opcode_index.h"

#include <algorithm>

namespace {

using Where = session::Match::Where;

catalog::Kernel kernel() {
    catalog::Kernel kernel;
    kernel.id = "ring_of_tiles";
    kernel.title = {"Ring of Tiles", "分块之环"};
    kernel.idea = {"Copies overlap with arithmetic.", "复制与运算重叠。"};
    kernel.story = {"STAGES tiles lie in a ring. No barrier waits for registers.", "环中有 STAGES 个分块。"};
    return kernel;
}
const session::Opcodes opcodes{{"cp.async.cg.shared.global", "ld.shared.v4.f32"}, {"LDGSTS.128", "LDS.128"}};

struct Search {
    const char* text;
    std::vector<std::pair<Where, std::string>> found; // empty: not meant
};
class Searches : public testing::TestWithParam<Search> {};

TEST_P(Searches, SayWhichWordAndWhere) {
    std::vector<std::pair<Where, std::string>> found;
    for (const session::Match& match : session::match(kernel(), &opcodes, GetParam().text))
        found.emplace_back(match.where, match.word);
    EXPECT_EQ(found, GetParam().found) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Session, Searches,
    testing::Values(Search{"ring", {{Where::name, "ring_of_tiles"}}},
                    Search{"RING_of", {{Where::name, "ring_of_tiles"}}}, Search{"之环", {{Where::title, "之环"}}},
                    Search{"overl", {{Where::idea, "overlap"}}}, Search{"重叠", {{Where::idea, "重叠"}}},
                    Search{"registers", {{Where::story, "registers"}}},
                    Search{"ld.shared.v4", {{Where::ptx, "ld.shared.v4.f32"}}},
                    Search{"lds.128", {{Where::machine, "LDS.128"}}}, Search{"128", {{Where::machine, "LDGSTS.128"}}},
                    Search{"barrier cp.async", {{Where::story, "barrier"}, {Where::ptx, "cp.async.cg.shared.global"}}},
                    Search{"barrier wgmma", {}}, Search{"ait", {}}, Search{"wgmma", {}}, Search{"", {}},
                    Search{"   ", {}}));

TEST(Session, ASearchGoesWithoutOpcodesWhileTheyAreNotKnown) {
    EXPECT_TRUE(session::match(kernel(), nullptr, "ld.shared.v4").empty());
    EXPECT_EQ(session::match(kernel(), nullptr, "ring").size(), 1u);
}

TEST(Session, OpcodesAreThoseOfTheCompiledKernel) {
    const auto has = [](const std::vector<std::string>& list, std::string_view begin) {
        return std::any_of(list.begin(), list.end(),
                           [&](const std::string& opcode) { return opcode.starts_with(begin); });
    };
    const auto of = [](const char* id) { return session::opcodes_of(*fixture::kernels().find(id), "sm_80"); };
    const session::Opcodes naive = of("naive"), async = of("async_copy"), tensor = of("tensor_bf16");
    EXPECT_TRUE(has(naive.ptx, "fma.rn.f32"));
    EXPECT_FALSE(has(naive.ptx, "ld.shared"));
    EXPECT_TRUE(has(naive.machine, "FFMA"));
    EXPECT_TRUE(has(async.ptx, "cp.async.cg.shared.global"));
    EXPECT_TRUE(has(async.machine, "LDGSTS"));
    EXPECT_TRUE(has(async.machine, "LDS.128"));
    EXPECT_TRUE(has(tensor.ptx, "wgmma.mma_async")) << "compiled for what it needs";
    EXPECT_TRUE(has(tensor.machine, "HGMMA"));
}

TEST(Session, TheIndexFindsWordsAtOnceAndOpcodesOnceCompiled) {
    session::OpcodeIndex index({});
    catalog::Catalog two;
    two.kernels = {fixture::kernels().find("naive"), fixture::kernels().find("async_copy")};
    EXPECT_EQ(index.search(two, "coalesced").size(), 1u);
    EXPECT_TRUE(index.search(two, "ldgsts").empty());
    index.want(two, "sm_80");
    EXPECT_EQ(index.left(), 2u);
    index.wait();
    EXPECT_EQ(index.left(), 0u);
    const auto found = index.search(two, "ldgsts");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kernel->id, "async_copy");
    EXPECT_EQ(found[0].matches[0].where, Where::machine);
    index.want(two, "sm_80");
    EXPECT_EQ(index.left(), 0u) << "each is compiled once";
}

} // namespace
