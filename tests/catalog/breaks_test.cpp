// Planted mistakes: as the file declares them, and the source with them on.
#include "catalog/breaks.h"
#include "catalog/catalog.h"
#include "sample.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

// The sample with a body of a few lines, and these tables before its [launch].
std::string with_breaks(const std::string& tables) {
    std::string text = sample;
    text.insert(text.find("[launch]"), tables);
    const std::string body = "(int M) {}";
    return text.replace(text.find(body), body.size(), "(int M) {\n    first();\n    wait();\n    second();\n}");
}

std::string table(const std::string& name, const std::string& find, const std::string& replace) {
    return fmt::format(
        "[[break]]\nname = \"{}\"\nlabel = {{ en = \"{} off\", zh = \"关\" }}\nfinding = \"shared_race\"\n"
        "find = '''{}'''\nreplace = '''{}'''\n\n",
        name, name, find, replace);
}

TEST(Breaks, ChangeTheSourceAndKeepItsLines) {
    const auto kernel = catalog::parse(with_breaks(table("no_wait", "    wait();", "    // no wait") +
                                                   table("exchanged", "first();\n    wait", "wait();\n    first") +
                                                   table("no_second", "second();", "")),
                                       "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    ASSERT_EQ(kernel->breaks.size(), 3u);
    EXPECT_EQ(kernel->breaks[0].label.zh, "关");
    EXPECT_EQ(kernel->breaks[0].findings, std::vector<std::string>{"shared_race"});

    EXPECT_EQ(*catalog::broken_source(*kernel, {}), kernel->source);
    const auto both = catalog::broken_source(*kernel, {"no_wait", "no_second"});
    ASSERT_TRUE(both) << both.error().sentence();
    EXPECT_NE(both->find("    first();\n    // no wait\n    \n}"), std::string::npos) << *both;
    const auto lines = catalog::broken_lines(*kernel, {"no_wait", "no_second"});
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[1], lines[0] + 1);
    EXPECT_EQ(catalog::broken_lines(*kernel, {"exchanged"}), (std::vector<int>{lines[0] - 1, lines[0]}));
    EXPECT_EQ(catalog::broken_lines(*kernel, {}), std::vector<int>{});
}

TEST(Breaks, SayWhereTheyCanShow) {
    std::string mistake = table("no_wait", "    wait();", "    // no wait");
    mistake.replace(mistake.find("\"shared_race\""), 13, "[\"shared_race\", \"endless_loop\"]");
    mistake.insert(mistake.find("find ="), "when = \"PAD > 0 && K > 8\"\n");
    const auto kernel = catalog::parse(with_breaks(mistake), "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    const catalog::Break& one = kernel->breaks.front();
    EXPECT_EQ(one.findings, (std::vector<std::string>{"shared_race", "endless_loop"}));
    EXPECT_TRUE(catalog::can_show(*kernel, one, {{"PAD", 1}}, {64, 64, 64}));
    EXPECT_FALSE(catalog::can_show(*kernel, one, {{"PAD", 0}}, {64, 64, 64}));
    EXPECT_FALSE(catalog::can_show(*kernel, one, {{"PAD", 1}}, {64, 64, 8}));
}

TEST(Breaks, ThatAreUnknownOrMeetAreASentence) {
    const auto kernel = catalog::parse(with_breaks(table("no_wait", "    wait();", "    // no wait") +
                                                   table("exchanged", "first();\n    wait", "wait();\n    first")),
                                       "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    const auto unknown = catalog::broken_source(*kernel, {"no_weight"});
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().sentence().find("no planted mistake no_weight; choose among no_wait, exchanged"),
              std::string::npos)
        << unknown.error().sentence();
    EXPECT_TRUE(catalog::broken_lines(*kernel, {"no_weight"}).empty());
    const auto meeting = catalog::broken_source(*kernel, {"no_wait", "exchanged"});
    ASSERT_FALSE(meeting);
    EXPECT_NE(meeting.error().sentence().find("exchanged and no_wait change the same text"), std::string::npos)
        << meeting.error().sentence();
}

// Who edits the code of a kernel still has a kernel.
TEST(Breaks, WhoseTextIsGoneCanNotBeSwitchedOn) {
    const auto kernel = catalog::parse(
        with_breaks(table("gone", "weight();", "// no wait") + table("twice", "();", "(1);")), "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    for (const char* name : {"gone", "twice"}) {
        const auto broken = catalog::broken_source(*kernel, {name});
        ASSERT_FALSE(broken) << name;
        EXPECT_NE(broken.error().sentence().find("does not stand in the code exactly once"), std::string::npos);
        EXPECT_EQ(broken.error().where, "sample.cu");
        EXPECT_FALSE(broken.error().todo.empty());
    }
    EXPECT_TRUE(catalog::broken_source(*kernel, {}).ok());
}

struct Wrong {
    std::string tables;
    int line; // behind the one before [launch] in the sample
    const char* what;
};

class WrongBreak : public testing::TestWithParam<Wrong> {};

TEST_P(WrongBreak, IsAnErrorWithItsLine) {
    constexpr int before = 30; // lines of the sample above its [launch]
    const auto kernel = catalog::parse(with_breaks(GetParam().tables), "sample.cu");
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().where, "sample.cu:" + std::to_string(before + GetParam().line))
        << kernel.error().sentence();
    EXPECT_NE(kernel.error().sentence().find(GetParam().what), std::string::npos) << kernel.error().sentence();
    EXPECT_FALSE(kernel.error().todo.empty());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

const std::string right = table("no_wait", "    wait();", "    // no wait");

INSTANTIATE_TEST_SUITE_P(
    Breaks, WrongBreak,
    testing::Values(Wrong{table("lines", "wait();", "wait();\n\n"), 1, "changes the number of lines"},
                    Wrong{table("nothing", "wait();", "wait();"), 1, "changes nothing"},
                    Wrong{right + right, 9, "already a planted mistake no_wait"},
                    Wrong{replaced(right, "no_wait", "no wait"), 2, "\"no wait\" is not a name"},
                    Wrong{replaced(right, "finding = \"shared_race\"\n", ""), 1, "\"finding\" is missing"},
                    Wrong{replaced(right, "shared_race", "shared race"), 4, "not a kind of finding"},
                    Wrong{replaced(right, "\"shared_race\"", "[]"), 4, "no kind of finding is named"},
                    Wrong{replaced(right, "find =", "when = \"STAGES > 1\"\nfind ="), 5, "STAGES"},
                    Wrong{replaced(right, "replace =", "instead ="), 6, "unknown key \"instead\""}));

TEST(FrontMatter, SaysWhatToLookAtAndHowParametersAreCalled) {
    std::string text = sample;
    text.insert(text.find("[[parameter]]"), "look = { view = \"banks\", en = \"One wavefront.\", zh = \"一个\" }\n\n");
    text.insert(text.find("values = [0, 1]"),
                "label = { en = \"padding\", zh = \"填充\" }\n"
                "words = [{ en = \"off\", zh = \"关\" }, { en = \"on\", zh = \"开\" }]\n");
    const auto kernel = catalog::parse(text, "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    EXPECT_EQ(kernel->look.view, "banks");
    EXPECT_EQ(kernel->look.say.en, "One wavefront.");
    EXPECT_EQ(kernel->look.say.zh, "一个");
    const catalog::Parameter& pad = kernel->parameters.back();
    EXPECT_EQ(pad.label.zh, "填充");
    ASSERT_EQ(pad.words.size(), 2u);
    EXPECT_EQ(pad.words[1].en, "on");
    EXPECT_TRUE(kernel->parameters.front().label.en.empty());

    const auto three = catalog::parse(replaced(text, ", { en = \"on\", zh = \"开\" }", ""), "sample.cu");
    ASSERT_FALSE(three);
    EXPECT_NE(three.error().sentence().find("a text for each value of PAD"), std::string::npos);
    const auto no_view = catalog::parse(replaced(text, "view = \"banks\", ", ""), "sample.cu");
    ASSERT_FALSE(no_view);
    EXPECT_NE(no_view.error().sentence().find("\"view\" is missing"), std::string::npos);
}

} // namespace
