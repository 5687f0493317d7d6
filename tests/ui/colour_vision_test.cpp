// Colours that stand beside each other and mean different things can be told apart by everybody, or something else tells them apart.
#include "colour_vision.h"

#include "ui/draw/wait_look.h"
#include "ui/gpu/block_colours.h"
#include "ui/style.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ui {
namespace {

using colour_vision::difference;
using colour_vision::Kind;

// CIEDE2000 of marks whose colour alone says what they are; ten times what is just noticed.
constexpr double apart = 10;

TEST(ColourDifference, IsThatOfThePublishedPairs) { // Sharma, Wu, Dalal: table 1
    struct Pair {
        colour_vision::Vector first, second;
        double difference;
    };
    const Pair pairs[] = {
        {{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
        {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
        {{50, 0, 0}, {50, -1, 2}, 2.3669},
        {{50, 2.49, -0.001}, {50, -2.49, 0.0009}, 7.1792},
        {{50, 2.49, -0.001}, {50, -2.49, 0.0011}, 7.2195},
        {{50, 2.5, 0}, {50, 0, -2.5}, 4.3065},
        {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
        {{50, 2.5, 0}, {58, 24, 15}, 19.4535},
        {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
        {{2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}, 0.9082},
    };
    for (const Pair& pair : pairs) {
        EXPECT_NEAR(difference(pair.first, pair.second), pair.difference, 1e-4);
        EXPECT_NEAR(difference(pair.second, pair.first), pair.difference, 1e-4);
    }
}

TEST(ColourDifference, OfRedAndGreenIsSmallWithoutTheConesThatTellThem) {
    const ImU32 red = IM_COL32(200, 60, 40, 255), green = IM_COL32(110, 115, 40, 255);
    EXPECT_GT(difference(red, green, Kind::normal), 30);
    EXPECT_LT(difference(red, green, Kind::deuteranopia), 15);
    for (const Kind kind : colour_vision::kinds) // whoever lacks a cone sees the greys that we see
        EXPECT_NEAR(colour_vision::lab(IM_COL32(128, 128, 128, 255), kind)[0], 53.585, 0.02);
}

struct Meaning {
    const char* name;
    std::function<ImU32(const Palette&)> colour;
};
// A view and what its colours mean where nothing but them tells.
struct Shown {
    const char* view;
    std::vector<Meaning> meanings;
};

ImU32 blended(const Palette& colour, ImU32 mark, float alpha) { return mixed(colour.panel, mark, alpha); }

const std::vector<Shown>& shown() {
    static const Meaning load{"load", [](const Palette&p) { return p.load; }},
        store{"store", [](const Palette&p) { return p.store; }}, fma{"FMA", [](const Palette&p) { return p.fma; }},
        barrier{"barrier", [](const Palette&p) { return p.barrier; }},
        selection{"selected", [](const Palette&p) { return p.selection; }}, a{"A", [](const Palette&p) { return p.a; }},
        b{"B", [](const Palette&p) { return p.b; }}, c{"C", [](const Palette&p) { return p.c; }},
        finding{"finding", [](const Palette&p) { return p.finding; }},
        text{"reference", [](const Palette&p) { return p.text; }},
        other{"other", [](const Palette&p) { return mixed(p.panel, p.dim, 0.75f); }},
        ground{"nothing", [](const Palette&p) { return p.panel; }};
    static const std::vector<Shown> all{
        {"map", {a, b, c, load, store, selection, ground}},
        {"banks", {load, store, selection, ground}},
        {"sectors", {load, store, selection, ground}},
        {"timeline", {load, store, fma, barrier, selection, ground}},
        {"transport", {load, store, fma, barrier, selection}},
        {"shared",
         {load,
          store,
          selection,
          {"word of A", [](const Palette& p) { return blended(p, p.a, 0.5f); }},
          {"word of B", [](const Palette& p) { return blended(p, p.b, 0.5f); }},
          {"in flight", [](const Palette& p) { return blended(p, p.c, 0.3f); }},
          ground}},
        {"registers", {store, selection, ground}},
        {"stream", {load, store, fma, ground}},
        {"source", {selection, finding, ground}},
        {"numbers", {selection, finding, text, ground}},
        {"plots", {selection, text, other, ground}},
        {"compare", {selection, other, ground}},
        {"ladder", {selection, c, ground}},
        {"parameters", {finding, text, selection, ground}},
        {"result", // its ramp is that of C: see Ramps
         {{"least", [](const Palette& p) { return p.load; }},
          {"most", [](const Palette& p) { return p.store; }},
          {"no number", [](const Palette& p) { return p.finding; }},
          selection}},
        {"exercise", // signs before its rules
         {{"passed", [](const Palette& p) { return legible(p.a, p.panel, p.text); }},
          {"failed", [](const Palette& p) { return p.alarm; }},
          {"not judged", [](const Palette& p) { return p.dim; }},
          ground}},
        {"class",
         {{"right", [](const Palette& p) { return p.a; }},
          {"others", [](const Palette& p) { return mixed(p.panel, p.text, 0.5f); }},
          ground}},
    };
    return all;
}

// Pairs that colour alone does not tell apart for everybody, and what does.
struct Backed {
    const char *view, *one, *other, *by;
};
constexpr Backed backed[] = {
    {"shared", "word of A", "word of B", "each row names its array and its elements; the ground only repeats it"},
    {"shared", "word of A", "in flight", "what is in flight is hatched"},
    {"shared", "word of B", "in flight", "what is in flight is hatched"},
    {"exercise", "passed", "not judged", "one sign is a tick, the other a question mark"},
};

const char* name_of(Kind kind) {
    switch (kind) {
    case Kind::normal: return "normal";
    case Kind::protanopia: return "protanopia";
    case Kind::deuteranopia: return "deuteranopia";
    case Kind::tritanopia: break;
    }
    return "tritanopia";
}

const Backed* backing(const std::string& view, const std::string& one, const std::string& other) {
    for (const Backed& row : backed)
        if (row.view == view && ((row.one == one && row.other == other) || (row.one == other && row.other == one)))
            return &row;
    return nullptr;
}

class ColourVision : public testing::TestWithParam<session::Theme> {};

// What the sign of a wait looks like where all of it is drawn.
TEST_P(ColourVision, TellsEveryTwoWaitsApartByColourOrPattern) {
    Style style;
    style.colour = palette(GetParam());
    const auto mark = [&](const WaitLook& look) {
        const float alpha = static_cast<float>(look.colour >> IM_COL32_A_SHIFT & 255) / 255;
        return blended(style.colour, look.colour | IM_COL32_A_MASK, alpha);
    };
    for (size_t n = 1; n < static_cast<size_t>(timing::Wait::count); ++n)
        for (size_t m = 1; m < n; ++m) {
            const WaitLook one = wait_look(style, static_cast<timing::Wait>(n)),
                           other = wait_look(style, static_cast<timing::Wait>(m));
            if (one.pattern != other.pattern) continue;
            for (const Kind kind : colour_vision::kinds)
                EXPECT_GE(difference(mark(one), mark(other), kind), apart)
                    << timing::name(static_cast<timing::Wait>(n)) << " and "
                    << timing::name(static_cast<timing::Wait>(m)) << ", " << name_of(kind);
        }
}

// With --gtest_output=xml:FILE the report has the nearest pair of each kind of vision.
TEST_P(ColourVision, TellsApartWhatStandsSideBySide) {
    const Palette& colour = palette(GetParam());
    std::map<Kind, std::pair<double, std::string>> nearest;
    for (const Kind kind : colour_vision::kinds) nearest[kind].first = 1000;
    for (const Shown& view : shown())
        for (size_t i = 0; i < view.meanings.size(); ++i)
            for (size_t j = i + 1; j < view.meanings.size(); ++j) {
                const Meaning &one = view.meanings[i], &other = view.meanings[j];
                if (backing(view.view, one.name, other.name)) continue;
                for (const Kind kind : colour_vision::kinds) {
                    const double distance = difference(one.colour(colour), other.colour(colour), kind);
                    const std::string pair = fmt::format("{}: {} and {}", view.view, one.name, other.name);
                    EXPECT_GE(distance, apart) << pair << ", " << name_of(kind);
                    nearest[kind] = std::min(nearest[kind], {distance, pair});
                }
            }
    for (const auto& [kind, found] : nearest)
        RecordProperty(name_of(kind), fmt::format("{:.1f}, {}", found.first, found.second));
}

// The list of exceptions holds no pair that needs none in either theme.
TEST(ColourVisionTable, HasNoExceptionWithoutNeed) {
    for (const Backed& row : backed) {
        double least = 100;
        for (const Shown& view : shown())
            for (const Meaning& one : view.meanings)
                for (const Meaning& other : view.meanings)
                    if (backing(view.view, one.name, other.name) == &row)
                        for (const session::Theme theme : {session::Theme::dark, session::Theme::light})
                            for (const Kind kind : colour_vision::kinds)
                                least = std::min(
                                    least, difference(one.colour(palette(theme)), other.colour(palette(theme)), kind));
        EXPECT_LT(least, apart) << row.view << ": " << row.one << " and " << row.other;
    }
}

// More is lighter on the dark panel and darker on the light one, to everybody; the numbers stand in the cells and at the ends.
TEST_P(ColourVision, RampsRunOneWayAndTheirEndsLieFarApart) {
    const Palette& colour = palette(GetParam());
    const double sign = GetParam() == session::Theme::dark ? 1 : -1;
    for (const Kind kind : colour_vision::kinds) {
        for (size_t i = 1; i < std::size(colour.ramp); ++i)
            EXPECT_GT(
                sign * (colour_vision::lab(colour.ramp[i], kind)[0] - colour_vision::lab(colour.ramp[i - 1], kind)[0]),
                2)
                << i;
        EXPECT_GT(difference(colour.ramp[0], colour.ramp[8], kind), 3 * apart);
        EXPECT_GT(difference(colour.ramp[0], colour.panel, kind), apart) << "nothing and the least";
    }
}

// Without hue as well, as in print: where two grey values are too near, a shape, a place or a label tells. The list names those views
// and no other.
TEST(ColourVisionTable, SaysWhatTellsWhereGreyValuesAreTooNear) {
    struct Said {
        const char *view, *by;
    };
    constexpr Said said[] = {
        {"map",
         "A, B and C lie in their places with their names; what is fetched is hatched, what is selected outlined"},
        {"banks",
         "rows are named; the conflict's degree stands in the cell; one view shows loads or stores, as its line says"},
        {"sectors", "unused bytes are hatched; one view shows loads or stores, as its line says"},
        {"timeline",
         "global, shared and FMA are rows of their own, named at the left; a store follows its loads, and the pointer names it; waits "
         "differ by their patterns, and long ones bear their names"},
        {"transport", "the pointer names the instruction; barriers are ticks below, k-tiles ticks above"},
        {"shared", "each row names its array's elements; what is read is outlined, what has changed underlined"},
        {"stream", "each stream is a row of its own, named at the left; blocks carry tile and piece"},
        {"numbers", "what is wrong is said in words"},
        {"exercise", "the signs are a tick, a cross and a question mark"},
        {"plots", "each line ends at its name; markers have three shapes, cuBLAS has its line"},
        {"compare", "the sides are named"},
        {"parameters", "a broken value is a cross"},
        {"result", "the ramp has its numbers; what is no number is said in words beside it"},
        {"class", "the right answer has a tick"},
    };
    const auto too_near = [](const Shown& view) {
        for (const session::Theme theme : {session::Theme::dark, session::Theme::light})
            for (const Meaning& one : view.meanings)
                for (const Meaning& other : view.meanings) {
                    const auto lightness = [&](const Meaning& m) {
                        return colour_vision::lab(m.colour(palette(theme)))[0];
                    };
                    if (&one < &other && std::abs(lightness(one) - lightness(other)) < apart) return true;
                }
        return false;
    };
    std::set<std::string> needed, named;
    for (const Shown& view : shown())
        if (too_near(view)) needed.insert(view.view);
    for (const Said& row : said) named.insert(row.view);
    EXPECT_EQ(named, needed);
}

// Waves, or SMs, that follow each other on the Blocks view and the map; the stripes carry the number of
// their wave, too, so three times what is just noticed is enough.
TEST_P(ColourVision, TellsNeighbouringWavesApart) {
    Style style;
    style.colour = palette(GetParam());
    for (int waves = 2; waves <= 16; ++waves)
        for (int wave = 1; wave < waves; ++wave)
            for (const Kind kind : colour_vision::kinds)
                EXPECT_GE(difference(ramp_colour(style, wave - 1, waves), ramp_colour(style, wave, waves), kind), 3)
                    << wave << " of " << waves << ", " << name_of(kind);
}

TEST_P(ColourVision, WordsHaveSevenToOneOnEveryGroundTheyStandOn) {
    const Palette& colour = palette(GetParam());
    const auto lifted = [&](float share) { return mixed(colour.panel, colour.text, share); };
    const auto tinted = [&](float share) { return mixed(colour.panel, colour.selection, share); };
    for (const ImU32 ground :
         {colour.panel, colour.background, lifted(0.04f), lifted(0.06f), lifted(0.09f), tinted(0.07f)})
        for (const ImU32 ink : {colour.text, colour.dim, colour.alarm}) EXPECT_GE(contrast(ink, ground), 7.0f);
    for (const ImU32 ground : {lifted(0.12f), lifted(0.18f), tinted(0.15f), mixed(colour.panel, colour.finding, 0.22f),
                               mixed(colour.panel, colour.store, 0.28f)})
        EXPECT_GE(contrast(colour.text, ground), 7.0f);
    for (const ImU32 mark : {colour.load, colour.store, colour.a, colour.b, colour.c, colour.fma, colour.barrier})
        for (const ImU32 ground : {colour.panel, tinted(0.15f)})
            EXPECT_GE(contrast(legible(mark, ground, colour.text), ground), 7.0f) << "a word of the source";
}

TEST_P(ColourVision, MarksHaveThreeToOne) {
    const Palette& colour = palette(GetParam());
    for (const Shown& view : shown())
        for (const Meaning& one : view.meanings) {
            const bool is_ground = // of what is written or hatched on it
                std::string(one.name) == "nothing" || std::string(one.name) == "in flight" ||
                std::string(one.name).starts_with("word of ");
            if (is_ground) continue;
            EXPECT_GE(contrast(one.colour(colour), colour.panel), 3.0f) << view.view << ": " << one.name;
        }
}

INSTANTIATE_TEST_SUITE_P(, ColourVision, testing::Values(session::Theme::dark, session::Theme::light),
                         [](const auto& theme) { return theme.param == session::Theme::dark ? "dark" : "light"; });

} // namespace
} // namespace ui
