// What warps wait for, summed and told; the switches that no GPU has.
#include "views/wait_rows.h"
#include "views/what_if.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace {

using session::Language;
using timing::Lost;
using timing::Wait;
using views::WaitRow;

views::Strings strings(Language language) {
    auto loaded = views::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
    EXPECT_TRUE(loaded) << loaded.error().sentence();
    loaded->use(language);
    return *std::move(loaded);
}

Lost lost(uint64_t issued, uint64_t long_scoreboard, uint64_t barrier) {
    Lost lost;
    lost[Wait::selected] = issued, lost[Wait::long_scoreboard] = long_scoreboard, lost[Wait::barrier] = barrier;
    return lost;
}

// Two instructions of line 7, one of another file, one that is never executed.
trace::Listing listing() {
    trace::Listing listing;
    listing.instructions.resize(4);
    for (trace::Instruction& i : listing.instructions) i.source_line = 7;
    listing.instructions[2].source_file = 1;
    return listing;
}

TEST(WaitRows, OfALineAreThoseOfItsInstructions) {
    const std::vector<Lost> all{lost(4, 30, 10), lost(4, 0, 40), lost(2, 0, 20), lost(0, 0, 0)};
    const auto lines = views::waits_by_line(all, listing());
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].line, 7);
    EXPECT_EQ(lines[0].issued, 8u);
    EXPECT_EQ(lines[0].lost, 80u);
    EXPECT_DOUBLE_EQ(lines[0].share, 0.8);
    ASSERT_EQ(lines[0].reasons.size(), 2u);
    EXPECT_EQ(lines[0].reasons[0].why, Wait::barrier);
    EXPECT_EQ(lines[0].reasons[0].cycles, 50u);
    EXPECT_DOUBLE_EQ(lines[0].reasons[1].share, 30.0 / 80);
    EXPECT_EQ(lines[1].line, 0) << "another file's";

    const auto instructions = views::waits_by_instruction(all, listing());
    ASSERT_EQ(instructions.size(), 3u) << "what is never executed is left out";
    EXPECT_EQ(instructions[0].pc, 0) << "of two that lose as much the first";
    EXPECT_EQ(instructions[2].pc, 2);
    EXPECT_EQ(views::all_waits(all).lost, 100u);
}

TEST(WaitRows, NothingLostHasNoShares) {
    const std::vector<Lost> all{lost(4, 0, 0)};
    const WaitRow row = views::all_waits(all);
    EXPECT_TRUE(row.reasons.empty());
    EXPECT_EQ(row.share, 0);
    EXPECT_EQ(views::waits_by_line(all, listing()).front().share, 0);
    EXPECT_EQ(views::largest_waits(strings(Language::en), row, 3), "");
}

TEST(WaitRows, BothLanguagesHaveWordsForEveryWait) {
    for (const Language language : {Language::en, Language::zh}) {
        const views::Strings tr = strings(language);
        std::set<std::string> names;
        for (size_t n = 0; n < static_cast<size_t>(Wait::count); ++n) {
            const auto why = static_cast<Wait>(n);
            names.insert(views::wait_name(tr, why));
            EXPECT_STRNE(views::wait_plain(tr, why), "");
            EXPECT_STRNE(views::wait_tip(tr, why), "");
        }
        EXPECT_EQ(names.size(), static_cast<size_t>(Wait::count)) << "two waits of one name";
        EXPECT_TRUE(tr.missing().empty()) << *tr.missing().begin();
    }
    EXPECT_STREQ(views::nsight_wait(Wait::memory_queue), "Stall MIO Throttle");
    EXPECT_STREQ(views::nsight_wait(Wait::global_queue), "Stall LG Throttle");
    const views::Strings tr = strings(Language::en);
    const std::vector<Lost> all{lost(1, 60, 40)};
    EXPECT_EQ(views::largest_waits(tr, views::all_waits(all), 2), "Long Scoreboard 60 %, Barrier 40 %");
    EXPECT_EQ(views::largest_waits(tr, views::all_waits(all), 1), "Long Scoreboard 60 %");
}

TEST(WhatIf, EachSwitchTurnsOneThingAndBack) {
    for (const timing::Switch& one : timing::switches()) {
        timing::WhatIf what_if;
        EXPECT_FALSE(one.is_on(what_if)) << one.name;
        one.turn(what_if, true);
        for (const timing::Switch& other : timing::switches())
            EXPECT_EQ(other.is_on(what_if), &other == &one) << one.name << " turns " << other.name;
        one.turn(what_if, false);
        EXPECT_EQ(what_if, timing::WhatIf{}) << one.name;
        EXPECT_EQ(timing::find_switch(one.name), &one);
    }
    EXPECT_EQ(timing::find_switch("faster"), nullptr);
}

TEST(WhatIf, SaysWhatIsOn) {
    for (const Language language : {Language::en, Language::zh}) {
        const views::Strings tr = strings(language);
        timing::WhatIf what_if;
        EXPECT_EQ(views::what_if_text(tr, what_if), "");
        for (const timing::Switch& one : timing::switches()) {
            one.turn(what_if, true);
            EXPECT_STRNE(views::switch_tip(tr, one), "");
        }
        EXPECT_NE(views::what_if_text(tr, what_if), "");
        EXPECT_TRUE(tr.missing().empty()) << *tr.missing().begin();
    }
    timing::WhatIf what_if;
    what_if.bank_conflicts = false, what_if.memory_latency = 2;
    EXPECT_EQ(views::what_if_text(strings(Language::en), what_if), "no bank conflicts, memory twice as far");
}

} // namespace
