#include "ui/style.h"

#include <gtest/gtest.h>

namespace ui {
namespace {

class Themes : public testing::TestWithParam<session::Theme> {};

TEST_P(Themes, TextHasSevenToOneOnEveryGround) {
    const Palette& colour = palette(GetParam());
    for (const ImU32 ground : {colour.panel, colour.background})
        for (const ImU32 ink : {colour.text, colour.dim}) EXPECT_GE(contrast(ink, ground), 7.0f);
}

TEST_P(Themes, MarksHaveThreeToOneOnEveryGround) {
    const Palette& colour = palette(GetParam());
    for (const ImU32 ground : {colour.panel, colour.background})
        for (const ImU32 mark : {colour.selection, colour.load, colour.store, colour.a, colour.b, colour.c,
                                 colour.finding, colour.fma, colour.barrier})
            EXPECT_GE(contrast(mark, ground), 3.0f) << std::hex << mark;
    for (const ImU32 step : colour.ramp) EXPECT_GE(contrast(step, colour.panel), 3.0f) << std::hex << step;
}

TEST_P(Themes, TheRampRunsOneWay) {
    const Palette& colour = palette(GetParam());
    for (size_t i = 1; i < std::size(colour.ramp); ++i)
        EXPECT_GT(contrast(colour.ramp[i], colour.panel), contrast(colour.ramp[i - 1], colour.panel)) << i;
}

TEST_P(Themes, InkOnAMarkCanBeRead) {
    const Palette& colour = palette(GetParam());
    for (const ImU32 mark : {colour.selection, colour.load, colour.store, colour.a, colour.b, colour.c})
        EXPECT_GE(contrast(ink_on(mark), mark), 4.5f) << std::hex << mark;
}

INSTANTIATE_TEST_SUITE_P(, Themes, testing::Values(session::Theme::dark, session::Theme::light));

TEST(Contrast, IsThatOfTheStandard) {
    EXPECT_NEAR(contrast(IM_COL32_WHITE, IM_COL32_BLACK), 21.0f, 1e-3f);
    EXPECT_NEAR(contrast(IM_COL32(0x77, 0x77, 0x77, 255), IM_COL32_WHITE), 4.48f, 0.01f);
}

} // namespace
} // namespace ui
