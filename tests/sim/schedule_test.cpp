// The order in which the warps of a block run: what it is, that every order is one that a GPU may take, and that waits end in each.
#include "ptx/parser.h"
#include "sim/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace {

using Kind = trace::Schedule::Kind;
using trace::Schedule;

struct Ran {
    sim::Outcome outcome;
    std::vector<uint32_t> out;
};

struct Launched {
    std::shared_ptr<const sim::Program> program;
    sim::Memory memory;
    sim::Launch launch;
    uint64_t out = 0;

    Ran run(Schedule schedule, base::Dim3 traced = {0, 0, 0}) const {
        sim::Memory copy = memory;
        sim::Options options;
        options.schedule = schedule;
        options.traced_block = traced;
        auto outcome = sim::run(*program, launch, copy, options);
        EXPECT_TRUE(outcome.ok());
        Ran r{std::move(*outcome), std::vector<uint32_t>(256)};
        std::memcpy(r.out.data(), copy.bytes(out).data(), 1024);
        return r;
    }
};

// `body` has %t (thread), %w (warp), %m (shared address of an mbarrier), %s (of 1 KB of shared memory), %o (64-bit, of the thread's word of
// out), %a to %d, %p, %q (thread 0).
Launched launched(const std::string& body, uint32_t threads, uint32_t blocks = 1) {
    auto module = ptx::parse(R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 8 .b64 bar;
.shared .align 16 .b8 room[1024];
.visible .entry k(.param .u64 p) {
.reg .b32 %t, %w, %m, %s, %a, %b, %c, %d; .reg .b64 %o; .reg .pred %p, %q;
ld.param.u64 %o, [p]; mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; mov.u32 %m, bar; mov.u32 %s, room; mad.wide.u32 %o, %t, 4, %o; setp.eq.u32 %q, %t, 0; mov.u32 %a, 0;
)" + body + "\nret;\n}\n");
    EXPECT_TRUE(module.ok() && module->unknown.empty());
    Launched l;
    l.program = *sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    l.out =
        l.memory.allocate({.name = "out", .bytes = 1024, .element = base::NumberType::f32, .rows = 1, .columns = 256});
    l.launch = {.grid = {blocks, 1, 1},
                .block = {threads, 1, 1},
                .dynamic_shared_bytes = 0,
                .parameters = std::vector<std::byte>(8)};
    std::memcpy(l.launch.parameters.data(), &l.out, 8);
    return l;
}

// Two stretches with a barrier between.
Launched two_stretches(uint32_t blocks = 1) {
    return launched(
        "add.u32 %a, %a, %t; mul.lo.u32 %b, %a, 3; add.u32 %c, %b, 1; bar.sync 0; add.u32 %c, %c, %a; add.u32 %c, %c, 1;",
        128, blocks);
}

std::vector<uint16_t> warps(const trace::Trace& trace) {
    std::vector<uint16_t> warps;
    for (const trace::Event& e : trace.events) warps.push_back(e.warp);
    return warps;
}

// Where the event's warp is another than the one before.
size_t changes(const std::vector<uint16_t>& warps) {
    size_t changes = 0;
    for (size_t i = 1; i < warps.size(); ++i) changes += warps[i] != warps[i - 1];
    return changes;
}

std::vector<Schedule> several() {
    std::vector<Schedule> all{{}};
    for (uint64_t n = 0; n < 4; ++n) all.push_back({Kind::warp_first, n}), all.push_back({Kind::shuffled, n});
    return all;
}

TEST(Schedule, InOrderAndWarpFirstRunEachWarpToItsBarrier) {
    const Launched l = two_stretches();
    const auto order = [&](Schedule schedule) {
        std::vector<uint16_t> turns = warps(l.run(schedule).outcome.trace);
        turns.erase(std::unique(turns.begin(), turns.end()), turns.end());
        return turns;
    };
    using Warps = std::vector<uint16_t>;
    EXPECT_EQ(order({}), (Warps{0, 1, 2, 3, 0, 1, 2, 3}));
    EXPECT_EQ(order({Kind::warp_first, 0}), order({}));
    EXPECT_EQ(order({Kind::warp_first, 2}), (Warps{2, 0, 1, 3, 2, 0, 1, 3}));
    EXPECT_EQ(order({Kind::warp_first, 3}), (Warps{3, 0, 1, 2, 3, 0, 1, 2}));
}

TEST(Schedule, ShuffledTakesOneInstructionAtATimeByTheSeedAndTheBlock) {
    const Launched l = two_stretches(2);
    const auto order = [&](uint64_t seed, uint32_t block) {
        return warps(l.run({Kind::shuffled, seed}, {block, 0, 0}).outcome.trace);
    };
    const auto one = order(1, 0);
    EXPECT_EQ(one, order(1, 0)) << "a seed says it all";
    EXPECT_NE(one, order(2, 0));
    EXPECT_NE(one, order(1, 1)) << "blocks differ";
    const double share = static_cast<double>(changes(one)) / static_cast<double>(one.size());
    EXPECT_GT(share, 0.5) << "of four warps three of four turns are another's"; // fewer near the barrier
    EXPECT_LT(share, 0.9);
}

TEST(Schedule, ABarrierHoldsInEveryOrder) {
    const Launched l = two_stretches();
    for (const Schedule schedule : several()) {
        const trace::Trace trace = l.run(schedule).outcome.trace;
        EXPECT_EQ(trace.schedule, schedule);
        uint32_t arrived = 0;
        std::vector<bool> beyond(4, false);
        for (const trace::Event& e : trace.events) {
            if (beyond[e.warp]) {
                EXPECT_EQ(arrived, 15u) << to_text(schedule);
            }
            if (trace.listing->instructions[e.pc].kind != trace::Kind::barrier) continue;
            arrived |= 1u << e.warp;
            beyond[e.warp] = true;
        }
        EXPECT_EQ(arrived, 15u);
    }
}

// The state after an event is that of the trace: a warp's word is written as soon as its store is among the events.
TEST(Schedule, StatesFollowTheTrace) {
    const Launched l = launched(
        "mad.lo.u32 %s, %t, 4, %s; add.u32 %a, %t, 1; add.u32 %a, %a, 1; st.shared.u32 [%s], %a; add.u32 %a, %a, 1;",
        128);
    for (const Schedule schedule : {Schedule{Kind::warp_first, 2}, Schedule{Kind::shuffled, 5}}) {
        const trace::Trace trace = l.run(schedule).outcome.trace;
        std::set<uint16_t> stored;
        for (size_t n = 0; n < trace.events.size(); ++n) {
            if (trace.listing->instructions[trace.events[n].pc].kind == trace::Kind::store)
                stored.insert(trace.events[n].warp);
            const auto state = sim::state_at(*l.program, l.launch, l.memory, {0, 0, 0}, n + 1, schedule);
            ASSERT_TRUE(state.ok());
            for (uint16_t warp = 0; warp < 4; ++warp) {
                constexpr size_t room_at = 16; // behind the mbarrier
                ASSERT_EQ(state->shared_written[room_at + warp * 128u], stored.contains(warp))
                    << to_text(schedule) << ", event " << n << ", warp " << warp;
            }
        }
        EXPECT_EQ(stored.size(), 4u);
    }
}

// The last warp waits for what the first one does, and the other way round.
TEST(Schedule, WaitsForAnMbarrierEndInEveryOrder) {
    for (const char* producer : {"0", "3"}) {
        const Launched l = launched(std::string("setp.eq.u32 %p, %w, ") + producer +
                                        R"(; @%q mbarrier.init.shared::cta.b64 [%m], 32; bar.sync 0; @!%p bra W;
mov.u32 %b, 0;
L: add.u32 %b, %b, 1; setp.lt.u32 %p, %b, 3000; @%p bra L;
st.shared.u32 [%s], %b; mbarrier.arrive.shared::cta.b64 _, [%m]; bra.uni END;
W: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra W;
ld.shared.u32 %a, [%s]; st.global.u32 [%o], %a;
END:)",
                                    128);
        for (const Schedule schedule : several()) {
            const Ran r = l.run(schedule);
            EXPECT_TRUE(r.outcome.findings.empty())
                << to_text(schedule) << ": " << r.outcome.findings[0].text.english();
            EXPECT_EQ(r.out[32 + 5], 3000u) << to_text(schedule); // warps 1 and 2 always wait
            EXPECT_LT(r.outcome.warp_instructions, 30000u)
                << to_text(schedule) << ": those who poll take turns from the one they wait for";
        }
    }
}

TEST(Schedule, AWaitForEverIsFoundInEveryOrder) {
    const Launched l = launched(
        "@%q mbarrier.init.shared::cta.b64 [%m], 1; bar.sync 0;\nW: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra W;",
        128);
    for (const Schedule schedule : several()) {
        const auto findings = l.run(schedule).outcome.findings;
        ASSERT_EQ(findings.size(), 1u) << to_text(schedule);
        EXPECT_EQ(findings[0].kind, trace::FindingKind::mbarrier_misuse);
    }
}

// Warp 0 spins on a word that warp 1 writes: it never gets there before its next barrier, but in turns it does.
TEST(Schedule, ASpinOnSharedMemoryEndsInEveryOrder) {
    const Launched l = launched(R"(@%q st.shared.u32 [%s], 0; bar.sync 0; setp.eq.u32 %p, %w, 0; @%p bra W;
mov.u32 %b, 7; atom.shared.exch.b32 %c, [%s], %b; bra.uni END;
W: atom.shared.or.b32 %a, [%s], 0; setp.eq.u32 %p, %a, 0; @%p bra W;
END: st.global.u32 [%o], %a;)",
                                64);
    for (const Schedule schedule : {Schedule{}, Schedule{Kind::warp_first, 1}, Schedule{Kind::shuffled, 1}}) {
        const Ran r = l.run(schedule);
        EXPECT_TRUE(r.outcome.findings.empty()) << to_text(schedule) << ": " << r.outcome.findings[0].text.english();
        EXPECT_EQ(r.out[0], 7u) << to_text(schedule);
    }
}

// Warps that pass each other a turn through named barriers, and a warp that leaves early.
TEST(Schedule, NamedBarriersAndEarlyExitsWorkInEveryOrder) {
    const Launched l = launched(R"(setp.eq.u32 %p, %w, 3; @%p exit;
setp.eq.u32 %p, %w, 0; @%p bra FIRST; setp.eq.u32 %p, %w, 1; @%p bra SECOND; bra.uni REST;
FIRST: mov.u32 %b, 41; st.shared.u32 [%s], %b; bar.arrive 1, 64; bra.uni REST;
SECOND: bar.sync 1, 64; ld.shared.u32 %a, [%s]; add.u32 %a, %a, 1;
REST: bar.sync 0; st.global.u32 [%o], %a;)",
                                128);
    for (const Schedule schedule : several()) {
        const Ran r = l.run(schedule);
        EXPECT_TRUE(r.outcome.findings.empty()) << to_text(schedule) << ": " << r.outcome.findings[0].text.english();
        EXPECT_EQ(r.out[32], 42u) << to_text(schedule);
    }
}

// Each warp adds its number to a word without a barrier: what is left says who came last, and all orders show the race.
TEST(Schedule, ARaceHasOtherResultsInOtherOrdersAndIsFoundInAll) {
    const Launched l = launched("st.shared.u32 [%s], %w; ld.shared.u32 %a, [%s]; st.global.u32 [%o], %a;", 128);
    std::set<std::vector<uint32_t>> results;
    for (const Schedule schedule : several()) {
        const Ran r = l.run(schedule);
        results.insert(r.out);
        ASSERT_FALSE(r.outcome.findings.empty()) << to_text(schedule);
        for (const trace::Finding& f : r.outcome.findings)
            EXPECT_EQ(f.kind, trace::FindingKind::shared_race) << to_text(schedule);
    }
    EXPECT_GT(results.size(), 1u);
}

// Warp 1 reads what warp 0 copies there, and nothing makes it wait: whether it comes before, during or after the copy, it is a race.
TEST(Schedule, AReadDuringAnotherWarpsCopyIsARaceInEveryOrder) {
    const Launched l = launched(R"(setp.eq.u32 %p, %w, 0; @!%p bra READ;
cp.async.ca.shared.global [%s], [%o], 4; cp.async.wait_all; bra.uni END;
READ: ld.shared.u32 %a, [%s]; st.global.u32 [%o], %a;
END:)",
                                64);
    for (uint64_t seed = 0; seed < 20; ++seed) {
        const auto findings = l.run({Kind::shuffled, seed}).outcome.findings;
        EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const auto& f) {
            return f.kind == trace::FindingKind::shared_race && f.other;
        })) << seed;
    }
}

TEST(Schedule, AWarpThatTheBlockLacksIsAnError) {
    const Launched l = two_stretches();
    sim::Memory memory = l.memory;
    sim::Options options;
    options.schedule = {Kind::warp_first, 4};
    const auto outcome = sim::run(*l.program, l.launch, memory, options);
    ASSERT_FALSE(outcome.ok());
    EXPECT_NE(outcome.error().sentence().find("warps are 0 to 3"), std::string::npos) << outcome.error().sentence();
    EXPECT_FALSE(sim::state_at(*l.program, l.launch, l.memory, {0, 0, 0}, 1, options.schedule).ok());
}

TEST(Schedule, IsTextAndBack) {
    for (const Schedule schedule : {Schedule{}, Schedule{Kind::warp_first, 31}, Schedule{Kind::shuffled, 0},
                                    Schedule{Kind::shuffled, 9223372036854775807u}}) {
        const auto back = trace::schedule_from_text(to_text(schedule));
        ASSERT_TRUE(back.ok()) << to_text(schedule);
        EXPECT_EQ(*back, schedule);
    }
    for (const char* wrong : {"", "7", "warp:", "warp:32", "warp:-1", "seed:x", "seed:9223372036854775808", "Seed:1",
                              "in order", "seed:1 "})
        EXPECT_FALSE(trace::schedule_from_text(wrong).ok()) << wrong;
}

} // namespace
