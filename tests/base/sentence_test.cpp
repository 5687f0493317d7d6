#include "base/result.h"
#include "base/sentence_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using base::say;
using base::Sentence;

struct Shouted { // another language, which says what is filled in the other way round
    std::string word(const std::string& pattern) const {
        if (pattern == "{} of {}") return "{1} HAS {0}";
        if (pattern == ", ") return " & ";
        std::string text;
        for (char c : pattern) text += static_cast<char>(std::toupper(c));
        return text;
    }
    std::string joined(const std::vector<std::string>& pieces) const { return base::joined(pieces); }
};

std::string filled(std::string_view pattern, const std::vector<std::string>& parts) {
    return base::joined(base::pieces_of(pattern, parts));
}

TEST(Sentence, IsItsPatternAndWhatFillsIt) {
    const Sentence said = say("{} bytes of {}, {:.3g} times", 12, "As", 1.0 / 3);
    EXPECT_EQ(said.text(), "{} bytes of {}, {} times");
    EXPECT_EQ(said.english(), "12 bytes of As, 0.333 times");
    EXPECT_EQ(say("{0} x {0:#x} x {1}", 16, 'c').english(), "16 x 0x10 x c");
    EXPECT_EQ(say("write {{ en = \"{}\" }}", "x").english(), "write { en = \"x\" }");
    EXPECT_EQ(say("nothing is filled in").english(), "nothing is filled in");
    EXPECT_EQ(Sentence(base::phrase("as it {} stands")).english(), "as it {} stands");
    EXPECT_TRUE(Sentence().empty());
    EXPECT_FALSE(say("x").empty());
}

// What others wrote is not looked up, and what fills a pattern is no pattern.
TEST(Sentence, IsSaidInAnotherLanguageWithAllThatFillsIt) {
    const Sentence said = say("{} of {}", say("the end"), base::names(std::vector{"a", "{}"}));
    EXPECT_EQ(said.english(), "the end of a, {}");
    EXPECT_EQ(said.in(Shouted()), "a & {} HAS THE END");
    EXPECT_EQ(base::verbatim("the driver's words").in(Shouted()), "the driver's words");
}

TEST(Sentence, ListsLeaveOutWhatIsEmpty) {
    EXPECT_EQ(base::list({say("one"), {}, base::verbatim("two")}).english(), "one; two");
    EXPECT_EQ(base::list({{}, say("one")}), say("one"));
    EXPECT_TRUE(base::list({}).empty());
    EXPECT_EQ(base::names(std::vector{8, 16, 32}).english(), "8, 16, 32");
}

TEST(Sentence, PlacesOfATranslationMayComeInAnyOrder) {
    const std::vector<std::string> parts = {"a", "b"};
    EXPECT_EQ(filled("{1}{0}", parts), "ba");
    EXPECT_EQ(filled("{1} {}", parts), "b {}");
    EXPECT_EQ(filled("{ {} } {x} {9} {", parts), "{ a } {x} {9} {");
    EXPECT_EQ(filled("{99999999999999999999}", parts), "{99999999999999999999}");
    EXPECT_EQ(base::pattern_of("{0:>8} {{}} {}"), "{} {} {}");
}

TEST(Sentence, AnErrorIsSaidWithPlaceAndCure) {
    const base::Error error{base::Failure::usage, say("{} is missing", "BM"), "tile.cu:3", say("add {}", "BM")};
    EXPECT_EQ(error.sentence(), "tile.cu:3: BM is missing; add BM");
    EXPECT_EQ((base::Error{base::Failure::usage, say("gone"), {}, {}}).said(), say("gone"));
}

Sentence nested(int depth) { return depth == 1 ? base::verbatim("in") : say("({})", nested(depth - 1)); }

TEST(Sentence, GoesThroughJson) {
    for (const Sentence& one :
         {Sentence(), base::verbatim("text"), say("plain"), say("{} of {}", 3, say("the end")),
          base::list({say("one"), say("two")}), base::names(std::vector{1, 2}), nested(base::deepest_sentence)}) {
        const auto read = base::sentence_from_text(base::json_text(one));
        ASSERT_TRUE(read) << base::json_text(one);
        EXPECT_EQ(*read, one) << base::json_text(one);
    }
    EXPECT_EQ(base::json_text(base::verbatim("a\xff")), "\"a\xef\xbf\xbd\"");
}

// Too much is written as English, so that whatever is written can be read.
TEST(Sentence, IsBoundedInDepthSizeAndParts) {
    std::vector<Sentence> many;
    for (int i = 0; i < base::most_parts; ++i) many.push_back(say("one"));
    for (const Sentence& large :
         {nested(base::deepest_sentence + 1), base::list(many), say("{}", std::string(2 * base::longest_sentence, 'x')),
          base::verbatim(std::string(base::longest_sentence, '\xff'))}) {
        const auto read = base::sentence_from_text(base::json_text(large));
        ASSERT_TRUE(read);
        EXPECT_EQ(read->kind(), Sentence::Kind::verbatim);
        EXPECT_LE(read->text().size(), base::longest_sentence);
    }
    std::string deep = "\"in\"";
    for (int i = 0; i < base::deepest_sentence; ++i) deep = R"({"say":"{}","with":[)" + deep + "]}";
    EXPECT_FALSE(base::sentence_from_text(deep));
    std::string wide = R"({"between":"","list":[)";
    for (int i = 0; i < base::most_parts; ++i) wide += i ? ",\"\"" : "\"\"";
    EXPECT_FALSE(base::sentence_from_text(wide + "]}"));
    EXPECT_FALSE(base::sentence_from_text('"' + std::string(base::longest_sentence + 1, 'x') + '"'));
}

TEST(Sentence, WhatIsNoneIsRefused) {
    for (const char* json :
         {"", "1", "null", "[]", "{}", R"({"say":"x"})", R"({"say":1,"with":[]})", R"({"say":"x","with":{}})",
          R"({"say":"{}","with":[1]})", R"({"list":[]})", R"({"list":"x","between":""})"})
        EXPECT_FALSE(base::sentence_from_text(json)) << json;
}

} // namespace
