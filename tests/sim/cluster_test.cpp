// Clusters: which block is which, what a launch must be like, who reads whose shared memory, and that a
// block's trace and its states are the same however it is executed.
#include "ptx/parser.h"
#include "sim/engine.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace {

using Kind = trace::Schedule::Kind;
using trace::FindingKind;
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

    base::Result<sim::Outcome> try_run(const sim::Options& options) const {
        sim::Memory copy = memory;
        return sim::run(*program, launch, copy, options);
    }
    Ran run(const sim::Options& options = {}) const {
        sim::Memory copy = memory;
        auto outcome = sim::run(*program, launch, copy, options);
        EXPECT_TRUE(outcome.ok()) << outcome.error().sentence();
        Ran r{std::move(*outcome), std::vector<uint32_t>(copy.bytes(out).size() / 4)};
        std::memcpy(r.out.data(), copy.bytes(out).data(), r.out.size() * 4);
        return r;
    }
};

// `body` has %t (thread), %r (rank), %n (blocks of the cluster), %s (shared address of 1 KB), %m (of an
// mbarrier), %o (64-bit, of the thread's word of out: 64 words a block, by the block's linear index), %a to
// %d, %x (64-bit), %p, %q (thread 0).
Launched launched(const std::string& cluster, const std::string& body, base::Dim3 grid, uint32_t threads = 64) {
    auto module = ptx::parse(R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 8 .b64 bar;
.shared .align 16 .b8 room[1024];
.visible .entry k(.param .u64 p) )" +
                             (cluster.empty() ? "" : ".explicitcluster .reqnctapercluster " + cluster) + R"(
{
.reg .b32 %t, %r, %n, %m, %s, %a, %b, %c, %d; .reg .b64 %o, %x; .reg .pred %p, %q;
mov.u32 %t, %tid.x; mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mov.u32 %m, bar; mov.u32 %s, room; setp.eq.u32 %q, %t, 0;
mov.u32 %a, %ctaid.z; mov.u32 %b, %nctaid.y; mov.u32 %c, %ctaid.y; mad.lo.u32 %a, %a, %b, %c; mov.u32 %b, %nctaid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %a, %a, %b, %c;
mad.lo.u32 %a, %a, 64, %t; ld.param.u64 %o, [p]; mad.wide.u32 %o, %a, 4, %o;
)" + body + "\nret;\n}\n");
    EXPECT_TRUE(module.ok() && module->unknown.empty());
    Launched l;
    l.program = *sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    const uint64_t words = grid.count() * 64;
    l.out = l.memory.allocate(
        {.name = "out", .bytes = words * 4, .element = base::NumberType::f32, .rows = 1, .columns = words});
    l.launch = {
        .grid = grid, .block = {threads, 1, 1}, .dynamic_shared_bytes = 0, .parameters = std::vector<std::byte>(8)};
    std::memcpy(l.launch.parameters.data(), &l.out, 8);
    return l;
}

const std::string meet = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n";

// Each block writes words of its own, and adds up those of all.
Launched all_reduce(const std::string& cluster, base::Dim3 grid) {
    return launched(cluster, R"(mad.lo.u32 %a, %t, 4, %s; mad.lo.u32 %b, %r, 1000, %t; st.shared.u32 [%a], %b;
)" + meet + R"(mov.u32 %b, 0; mov.u32 %c, 0;
L: mapa.shared::cluster.u32 %d, %a, %c; ld.shared::cluster.u32 %d, [%d]; add.u32 %b, %b, %d; add.u32 %c, %c, 1; setp.lt.u32 %p, %c, %n; @%p bra L;
)" + meet + "st.global.u32 [%o], %b;",
                    grid);
}

std::vector<Schedule> several() {
    std::vector<Schedule> all{{}, {Kind::warp_first, 1}};
    for (uint64_t seed = 0; seed < 8; ++seed) all.push_back({Kind::shuffled, seed});
    return all;
}

testing::AssertionResult clean(const sim::Outcome& o) {
    return o.findings.empty() ? testing::AssertionSuccess()
                              : testing::AssertionFailure() << o.findings[0].text.english();
}

TEST(Cluster, EveryBlockReadsAllOfItsClusterInEveryOrder) {
    for (const auto& [cluster, grid] : std::map<std::string, base::Dim3>{
             {"2", {4, 1, 1}}, {"1, 1, 8", {2, 1, 8}}, {"2, 2", {4, 2, 3}}, {"3", {3, 1, 1}}}) {
        const Launched l = all_reduce(cluster, grid);
        const uint32_t size = cluster == "2" ? 2 : cluster == "1, 1, 8" ? 8 : cluster == "3" ? 3 : 4;
        for (const Schedule schedule : several())
            for (const int threads : {1, 3}) {
                sim::Options options;
                options.schedule = schedule;
                options.threads = threads;
                const Ran r = l.run(options);
                EXPECT_TRUE(clean(r.outcome)) << to_text(schedule);
                for (uint32_t n = 0; n < r.out.size(); ++n)
                    ASSERT_EQ(r.out[n], size * (size - 1) / 2 * 1000 + size * (n % 64))
                        << to_text(schedule) << ", word " << n;
            }
    }
}

// Block 1 reads what block 0 holds, whole warps at a time; meanwhile, or not before it may have ended, somebody else does something there.
TEST(Cluster, WhatAWarpReadsOfAnotherBlockIsInConflictWithWhoeverWritesThereInEveryOrder) {
    const std::string begin =
        "mad.lo.u32 %a, %t, 4, %s; st.shared.u32 [%a], %t;\n" + meet +
        "mov.u32 %c, 0; mapa.shared::cluster.u32 %d, %a, %c; setp.eq.u32 %p, %r, 1; @%p ld.shared::cluster.u32 %b, [%d];\n";
    const std::string others[] = {"setp.eq.u32 %p, %r, 0; @%p st.shared.u32 [%a], %r;\n" + meet, // its own block
                                  "setp.eq.u32 %p, %r, 2; @%p st.shared::cluster.u32 [%d], %r;\n" + meet, // a third one
                                  ""};                                                                    // it ends
    for (const std::string& other : others) {
        const Launched l = launched("3", begin + other, {3, 1, 1});
        for (const Schedule schedule : several()) {
            sim::Options options;
            options.schedule = schedule;
            const Ran r = l.run(options);
            ASSERT_EQ(r.outcome.findings.size(), 1u) << to_text(schedule) << other;
            EXPECT_EQ(r.outcome.findings[0].kind, FindingKind::shared_race) << to_text(schedule) << other;
        }
    }
    EXPECT_TRUE(clean(launched("3", begin + meet, {3, 1, 1}).run().outcome));
}

TEST(Cluster, SpecialRegistersSayWhichBlockIsWhich) {
    const std::vector<std::pair<std::string, uint32_t (*)(base::Dim3)>> registers{
        {"clusterid.x", [](base::Dim3 b) { return b.x / 2; }},
        {"clusterid.y", [](base::Dim3 b) { return b.y; }},
        {"clusterid.z", [](base::Dim3 b) { return b.z / 3; }},
        {"nclusterid.x", [](base::Dim3) { return 2u; }},
        {"nclusterid.y", [](base::Dim3) { return 2u; }},
        {"nclusterid.z", [](base::Dim3) { return 1u; }},
        {"cluster_ctaid.x", [](base::Dim3 b) { return b.x % 2; }},
        {"cluster_ctaid.y", [](base::Dim3) { return 0u; }},
        {"cluster_ctaid.z", [](base::Dim3 b) { return b.z % 3; }},
        {"cluster_nctaid.x", [](base::Dim3) { return 2u; }},
        {"cluster_nctaid.z", [](base::Dim3) { return 3u; }},
        {"cluster_nctarank", [](base::Dim3) { return 6u; }},
        {"cluster_ctarank", [](base::Dim3 b) { return b.x % 2 + 2 * (b.z % 3); }}};
    const base::Dim3 grid{4, 2, 3};
    for (const auto& [name, value] : registers) {
        const Ran r = launched("2, 1, 3", "mov.u32 %a, %" + name + "; st.global.u32 [%o], %a;", grid).run();
        for (uint64_t n = 0; n < grid.count(); ++n)
            EXPECT_EQ(r.out[n * 64], value(base::position(n, grid))) << name << " of block " << n;
    }
    const std::string explicitly = "mov.pred %p, %is_explicit_cluster; selp.u32 %a, 1, 0, %p; st.global.u32 [%o], %a;";
    EXPECT_EQ(launched("2", explicitly, {2, 1, 1}).run().out[0], 1u);
    EXPECT_EQ(launched("", explicitly, {2, 1, 1}).run().out[0], 0u);
}

TEST(Cluster, AddressesKnowTheirBlock) {
    const Ran r =
        launched(
            "4",
            R"(mapa.shared::cluster.u32 %a, %s, 2; getctarank.shared::cluster.u32 %b, %a; getctarank.shared::cluster.u32 %c, %s; mad.lo.u32 %b, %b, 10, %c;
cvt.u64.u32 %x, %s; cvta.shared.u64 %x, %x; mapa.u64 %x, %x, 1; getctarank.u64 %c, %x; mad.lo.u32 %b, %b, 10, %c;
isspacep.shared::cta %p, %x; selp.u32 %c, 1, 0, %p; mad.lo.u32 %b, %b, 10, %c; isspacep.shared::cluster %p, %x; selp.u32 %c, 1, 0, %p; mad.lo.u32 %b, %b, 10, %c;
st.global.u32 [%o], %b;)",
            {4, 1, 1})
            .run();
    EXPECT_TRUE(clean(r.outcome));
    for (uint32_t rank = 0; rank < 4; ++rank)
        EXPECT_EQ(r.out[rank * 64], 20000 + rank * 1000 + 100 + (rank == 1) * 10 + 1);
}

TEST(Cluster, LaunchesThatCudaRefusesAreRefused) {
    const auto refused = [](const std::string& cluster, base::Dim3 grid) {
        const auto outcome = launched(cluster, "", grid).try_run({});
        return outcome.ok() ? "" : outcome.error().sentence();
    };
    EXPECT_EQ(refused("2", {4, 1, 1}), "");
    EXPECT_NE(refused("2", {3, 1, 1}).find("a grid of 3 x 1 x 1 blocks cannot be cut into clusters of 2 x 1 x 1"),
              std::string::npos);
    EXPECT_NE(refused("1, 1, 4", {4, 4, 1}).find("clusters of 1 x 1 x 4"), std::string::npos);
    EXPECT_NE(refused("4, 4", {4, 4, 1}).find("clusters of 16 blocks"), std::string::npos);
}

// What is recorded of a block is the same whether the rest of the grid runs or only its cluster, and so are
// its states.
TEST(Cluster, ATraceAndItsStatesAreThoseOfTheRun) {
    const Launched l = all_reduce("4", {8, 1, 1});
    for (const Schedule schedule : {Schedule{}, Schedule{Kind::warp_first, 1}, Schedule{Kind::shuffled, 3}}) {
        sim::Options options;
        options.schedule = schedule;
        options.traced_block = {6, 0, 0};
        const trace::Trace whole = l.run(options).outcome.trace;
        options.traced_block_only = true;
        const sim::Outcome alone = l.run(options).outcome;
        ASSERT_EQ(whole.events.size(), alone.trace.events.size());
        for (size_t n = 0; n < whole.events.size(); ++n) {
            ASSERT_EQ(whole.events[n].pc, alone.trace.events[n].pc) << to_text(schedule) << ", event " << n;
            ASSERT_EQ(whole.events[n].warp, alone.trace.events[n].warp) << to_text(schedule) << ", event " << n;
        }
        EXPECT_EQ(alone.warp_instructions, alone.trace.events.size())
            << "what the other blocks of the cluster execute is not counted";
        const auto state = sim::state_at(*l.program, l.launch, l.memory, {6, 0, 0}, whole.events.size(), schedule);
        ASSERT_TRUE(state.ok());
        for (const sim::Row& row : state->registers[1]) {
            if (row.name == "%b") {
                EXPECT_EQ(row.lanes[3], 6000u + 4 * (32 + 3)) << to_text(schedule);
            }
        }
    }
}

// Loads from other blocks are of a space of their own; the barrier of the cluster is one that the timeline
// shows.
TEST(Cluster, TheListingTellsDistributedFromOwnSharedMemory) {
    const auto listing = sim::listing(*all_reduce("2", {2, 1, 1}).program);
    int distributed = 0, own = 0, barriers = 0;
    for (const trace::Instruction& i : listing->instructions) {
        distributed += i.space == trace::Space::cluster;
        own += i.space == trace::Space::shared;
        barriers += i.kind == trace::Kind::barrier;
    }
    EXPECT_EQ(distributed, 1);
    EXPECT_EQ(own, 1);
    EXPECT_EQ(barriers, 2);
}

TEST(Cluster, BlocksThatWaitForEachOtherForEverEnd) {
    const std::string wait = "@%q mbarrier.init.shared::cta.b64 [%m], 1;\n" + meet +
                             "W: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra W;";
    for (const Schedule schedule : several()) {
        sim::Options options;
        options.schedule = schedule;
        const auto findings = launched("2", wait, {2, 1, 1}).run(options).outcome.findings;
        ASSERT_EQ(findings.size(), 1u) << to_text(schedule);
        EXPECT_EQ(findings[0].kind, FindingKind::mbarrier_misuse);
    }
}

// One block spins on a word of its own that another one writes.
TEST(Cluster, ASpinOnWhatAnotherBlockWritesEnds) {
    for (const char* spinner : {"0", "1"}) {
        const Launched l =
            launched("2", "@%q st.shared.u32 [%s], 0;\n" + meet + "setp.eq.u32 %p, %r, " + spinner + R"(; @%p bra W;
mov.u32 %b, 0;
L: add.u32 %b, %b, 1; setp.lt.u32 %p, %b, 3000; @%p bra L;
sub.u32 %c, 1, %r; mapa.shared::cluster.u32 %d, %s, %c; atom.release.cluster.shared::cluster.exch.b32 %b, [%d], 7; bra.uni END;
W: atom.acquire.cluster.shared.or.b32 %a, [%s], 0; setp.eq.u32 %p, %a, 0; @%p bra W;
st.global.u32 [%o], %a;
END:
)" + meet,
                     {2, 1, 1}, 32);
        for (const Schedule schedule : {Schedule{}, Schedule{Kind::shuffled, 1}}) {
            sim::Options options;
            options.schedule = schedule;
            const Ran r = l.run(options);
            EXPECT_TRUE(clean(r.outcome)) << to_text(schedule);
            EXPECT_EQ(r.out[spinner[0] == '1' ? 64 : 0], 7u) << to_text(schedule);
        }
    }
}

} // namespace
