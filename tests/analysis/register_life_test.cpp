#include "analysis/register_life.h"

#include "listed.h"
#include "trace/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace {

using trace::Kind;

struct Executed {
    trace::Trace trace;
    std::vector<uint32_t> events;
    std::unordered_map<std::string, analysis::RegisterLife> lives(uint32_t now) const {
        const analysis::RegisterUses uses(*trace.listing); // names are views into it
        const auto found = uses.at(trace, events, analysis::executions(trace, events), now);
        return {found.begin(), found.end()};
    }
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
    auto lives = run.lives(1);
    EXPECT_TRUE(lives.at("%f1").live());
    EXPECT_EQ(lives.at("%f3").written, 1u);
    EXPECT_TRUE(lives.at("%f3").live());
    EXPECT_FALSE(lives.contains("%f4")) << "not written yet";
    EXPECT_FALSE(lives.contains("%r1")) << "an address is read, and nobody wrote it";
    lives = run.lives(2);
    EXPECT_FALSE(lives.at("%f1").live());
    EXPECT_FALSE(lives.at("%f2").live());
    EXPECT_TRUE(lives.at("%f4").live()) << "a store reads it";
    EXPECT_FALSE(run.lives(3).at("%f4").live());
}

TEST(RegisterLife, OverwritingEndsALifeUnlessSomeLanesKeepTheOldValue) {
    const std::vector<std::pair<std::string, Kind>> lines = {{"mov.u32 %r1, 1;", Kind::arithmetic},
                                                             {"mov.u32 %r1, 2;", Kind::arithmetic},
                                                             {"add.s32 %r2, %r1, 1;", Kind::arithmetic}};
    const Executed whole = run_of(lines), partly = run_of(lines, 1);
    EXPECT_FALSE(whole.lives(0).at("%r1").live());
    EXPECT_TRUE(partly.lives(0).at("%r1").live());
}

TEST(RegisterLife, AGuardIsReadAndItsWriteEndsNothing) {
    const Executed run = run_of({{"setp.lt.s32 %p1|%p2, %r1, %r2;", Kind::arithmetic},
                                 {"mov.f32 %f1, 0f00000000;", Kind::arithmetic},
                                 {"@%p1 mov.f32 %f1, 0f3F800000;", Kind::arithmetic},
                                 {"st.shared.f32 [%r3], %f1;", Kind::store}});
    const auto lives = run.lives(1);
    EXPECT_TRUE(lives.at("%p1").live());
    EXPECT_FALSE(lives.at("%p2").live());
    EXPECT_TRUE(lives.at("%f1").live()) << "where the guard does not hold, the store reads the first value";
}

// As the definition has it: what is written by `now`, and read afterwards before all lanes overwrite it.
std::unordered_map<std::string, analysis::RegisterLife> looked_at_each(const Executed& run, uint32_t now) {
    const trace::Listing& listing = *run.trace.listing;
    std::unordered_map<std::string, analysis::RegisterLife> lives;
    for (int32_t name = 0; name < std::ssize(listing.names); ++name) {
        analysis::RegisterLife life;
        bool over = false;
        for (const uint32_t event : run.events) {
            const trace::Event& executed = run.trace.events[event];
            const trace::Instruction& i = listing.instructions[executed.pc];
            const auto has = [&](const std::vector<int32_t>& list) {
                return std::count(list.begin(), list.end(), name) > 0;
            };
            const bool reads = has(i.read) || has(i.address) || (i.guarded() && i.guard == name);
            if (event <= now && has(i.written)) life.written = event;
            if (event <= now || over) continue;
            if (reads) life.read = event;
            over = reads || (has(i.written) && !i.guarded() && executed.active == ~0u);
        }
        if (life.written != analysis::RegisterLife::never) lives[listing.names[static_cast<size_t>(name)]] = life;
    }
    return lives;
}

TEST(RegisterLife, AgreesWithALookAtEachEvent) {
    std::mt19937 random(7);
    const auto any = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
    size_t live = 0, dead = 0;
    for (int round = 0; round < 50; ++round) {
        std::vector<std::pair<std::string, Kind>> lines;
        for (int n = 0; n < 12; ++n) {
            const std::string guard = any(4) == 0 ? "@%p1 " : "", to = std::to_string(any(6)),
                              from = std::to_string(any(6));
            lines.emplace_back(guard + "add.s32 %r" + to + ", %r" + from + ", 1;", Kind::arithmetic);
        }
        Executed run = run_of(lines);
        run.trace.block = {2 * trace::warp_size, 1, 1};
        run.trace.events.clear(), run.events.clear();
        for (uint32_t event = 0; event < 60; ++event) {
            run.trace.events.push_back(
                {any(12), any(5) == 0 ? 1u : ~0u, trace::no_access, static_cast<uint16_t>(any(2))});
            if (run.trace.events.back().warp == 0) run.events.push_back(event);
        }
        for (uint32_t now = 0; now < 60; ++now) {
            const auto expected = looked_at_each(run, now);
            const auto lives = run.lives(now);
            ASSERT_EQ(lives.size(), expected.size());
            for (const auto& [name, life] : lives) {
                EXPECT_EQ(life.written, expected.at(name).written) << name << " at " << now;
                EXPECT_EQ(life.read, expected.at(name).read) << name << " at " << now;
                ++(life.live() ? live : dead);
            }
        }
    }
    EXPECT_GT(live, 100u);
    EXPECT_GT(dead, 100u);
}

} // namespace
