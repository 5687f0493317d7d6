#include "analysis/register_life.h"

#include "listed.h"
#include "trace/trace.h"

#include <gtest/gtest.h>

#include <numeric>

namespace {

using trace::Kind;

struct Executed {
    trace::Trace trace;
    std::vector<uint32_t> events;
};

// The lines in this order, each executed once by all lanes of warp 0; `partly`: that line by lane 0 only.
Executed run_of(const std::vector<std::pair<std::string, Kind>>& lines, int partly = -1) {
    Executed run;
    run.trace.block = {trace::warp_size, 1, 1};
    auto listing = std::make_shared<trace::Listing>();
    for (const auto& [text, kind] : lines) {
        trace::Event event;
        event.pc = static_cast<uint32_t>(listing->instructions.size());
        event.active = static_cast<int>(event.pc) == partly ? 1 : ~0u;
        test::Lister(*listing).add(text, kind);
        run.trace.events.push_back(event);
    }
    run.trace.listing = listing;
    run.events.resize(lines.size());
    std::iota(run.events.begin(), run.events.end(), 0u);
    return run;
}

TEST(RegisterLife, AValueLivesUntilItIsReadForTheLastTime) {
    const Executed run = run_of({{"mov.f32 %f1, 0f00000000;", Kind::arithmetic},
                                 {"ld.shared.v2.f32 {%f2, %f3}, [%r1+16];", Kind::load},
                                 {"fma.rn.f32 %f4, %f2, %f3, %f1;", Kind::fma},
                                 {"st.global.f32 [%rd1], %f4;", Kind::store}});
    const analysis::RegisterUses uses(*run.trace.listing);
    auto lives = uses.at(run.trace, run.events, 1);
    EXPECT_TRUE(lives.at("%f1").live());
    EXPECT_EQ(lives.at("%f3").written, 1u);
    EXPECT_TRUE(lives.at("%f3").live());
    EXPECT_FALSE(lives.contains("%f4")) << "not written yet";
    EXPECT_FALSE(lives.contains("%r1")) << "an address is read, and nobody wrote it";
    lives = uses.at(run.trace, run.events, 2);
    EXPECT_FALSE(lives.at("%f1").live());
    EXPECT_FALSE(lives.at("%f2").live());
    EXPECT_TRUE(lives.at("%f4").live()) << "a store reads it";
    EXPECT_FALSE(uses.at(run.trace, run.events, 3).at("%f4").live());
}

TEST(RegisterLife, OverwritingEndsALifeUnlessSomeLanesKeepTheOldValue) {
    const std::vector<std::pair<std::string, Kind>> lines = {{"mov.u32 %r1, 1;", Kind::arithmetic},
                                                             {"mov.u32 %r1, 2;", Kind::arithmetic},
                                                             {"add.s32 %r2, %r1, 1;", Kind::arithmetic}};
    const Executed whole = run_of(lines), partly = run_of(lines, 1);
    EXPECT_FALSE(analysis::RegisterUses(*whole.trace.listing).at(whole.trace, whole.events, 0).at("%r1").live());
    EXPECT_TRUE(analysis::RegisterUses(*partly.trace.listing).at(partly.trace, partly.events, 0).at("%r1").live());
}

TEST(RegisterLife, AGuardIsReadAndItsWriteEndsNothing) {
    const Executed run = run_of({{"setp.lt.s32 %p1|%p2, %r1, %r2;", Kind::arithmetic},
                                 {"mov.f32 %f1, 0f00000000;", Kind::arithmetic},
                                 {"@%p1 mov.f32 %f1, 0f3F800000;", Kind::arithmetic},
                                 {"st.shared.f32 [%r3], %f1;", Kind::store}});
    const analysis::RegisterUses uses(*run.trace.listing);
    const auto lives = uses.at(run.trace, run.events, 1);
    EXPECT_TRUE(lives.at("%p1").live());
    EXPECT_FALSE(lives.at("%p2").live());
    EXPECT_TRUE(lives.at("%f1").live()) << "where the guard does not hold, the store reads the first value";
}

} // namespace
