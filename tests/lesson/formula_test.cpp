// Arithmetic over figures, and how numbers are written.
#include "lesson/formula.h"
#include "lesson/tell.h"

#include <gtest/gtest.h>

namespace {

using lesson::evaluate;

base::Result<double> lookup(const std::string& name) {
    if (name == "TILE") return 32.0;
    if (name == "see.access.wavefronts") return 8.0;
    return base::Error{base::Failure::usage, base::say("no {}", name), {}, {}};
}

TEST(Formula, CalculatesInDoubles) {
    const std::pair<const char*, double> rows[] = {{"1 + 2 * 3", 7},
                                                   {"TILE / see.access.wavefronts", 4},
                                                   {"33 % TILE", 1},
                                                   {"TILE == 32 && see.access.wavefronts > 7", 1},
                                                   {"TILE != 32 || 0", 0},
                                                   {"TILE > 16 ? 3 : 4", 3},
                                                   {"1 / 4", 0.25},
                                                   {"2 ^ 10", 1024},
                                                   {"ceil_div(33, TILE)", 2},
                                                   {"max(1, 2, 3) + min(4, 5)", 7},
                                                   {"floor(2.9) + ceil(2.1) + round(2.5)", 8},
                                                   {"1e3", 1000},
                                                   {"-TILE", -32}};
    for (const auto& [text, value] : rows) {
        const auto found = evaluate(text, lookup);
        ASSERT_TRUE(found) << text << ": " << found.error().sentence();
        EXPECT_DOUBLE_EQ(*found, value) << text;
    }
}

TEST(Formula, NamesAreWhatIsNotCalled) {
    EXPECT_EQ(lesson::names_in("max(a.b, 2) + a.b * c1 + 1e6"), (std::vector<std::string>{"a.b", "c1"}));
}

TEST(Formula, SaysWhatIsWrong) {
    const std::pair<std::string, const char*> rows[] = {{"", "empty"},
                                                        {"TILE = 32", "compare with =="},
                                                        {"nothing + 1", "no nothing"},
                                                        {"1 / 0", "no value"},
                                                        {"1 +", "\"1 +\""},
                                                        {"\"a\"", "characters"},
                                                        {"1, 2", "more than one"},
                                                        {std::string(300, '('), "too long"}};
    for (const auto& [text, part] : rows) {
        const auto found = evaluate(text, lookup);
        ASSERT_FALSE(found) << text;
        EXPECT_NE(found.error().sentence().find(part), std::string::npos) << found.error().sentence();
    }
}

TEST(Formula, NumbersHaveSeparatorsAndThreeDigits) {
    const std::pair<double, const char*> rows[] = {
        {32, "32"},         {17301504, "17,301,504"}, {5.3333, "5.33"}, {12.5, "12.5"},
        {0.0625, "0.0625"}, {1234.6, "1,235"},        {-3, "-3"},       {0, "0"},
        {0.1, "0.1"},       {1e20, "1e+20"},          {99.96, "100"}};
    for (const auto& [value, text] : rows) EXPECT_EQ(lesson::number_text(value), text);
}

TEST(Formula, FiguresAreWrittenAsAsked) {
    const auto text = [](const char* figure) {
        const auto amount = lesson::figure(figure, lookup);
        return amount ? amount->text : amount.error().sentence();
    };
    EXPECT_EQ(text("TILE * 32"), "1,024");
    EXPECT_EQ(text("TILE / 64 | percent"), "0.5 %");
    EXPECT_EQ(text("TILE * 512|bytes"), "16.4 kB");
    EXPECT_EQ(text("TILE|1"), "32.0");
    EXPECT_EQ(text("TILE || 0"), "1");
    EXPECT_NE(text("TILE|loud").find("percent"), std::string::npos);
}

TEST(Formula, SpeedsAreMeasuredAndTheRestIsCounted) {
    for (const char* text : {"speed.tflops", "2 * see.speed.percent"}) EXPECT_TRUE(lesson::is_measured(text)) << text;
    for (const char* text : {"access.wavefronts", "speed_size", "speed_blocks"})
        EXPECT_FALSE(lesson::is_measured(text)) << text;
}

} // namespace
