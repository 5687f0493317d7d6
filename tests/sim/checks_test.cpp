// What the engine says about kernels that do something wrong, and that it says nothing about correct ones.
#include "ptx/parser.h"
#include "sim/engine.h"
#include "sim/names.h"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using trace::FindingKind;

struct Ran {
    sim::Outcome outcome;
    std::vector<uint32_t> out;
    std::shared_ptr<const trace::Listing> listing;
};

// Runs the kernel of `text`, whose only parameter is `out`, of 64 words.
Ran run_file(const std::string& text, uint32_t threads, sim::Options options = {}, uint32_t blocks = 1) {
    auto module = ptx::parse(text);
    EXPECT_TRUE(module.ok());
    EXPECT_TRUE(module->unknown.empty());
    auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    EXPECT_TRUE(program.ok()) << (program ? "" : program.error().sentence());
    if (!program) return {};
    sim::Memory memory;
    const uint64_t out =
        memory.allocate({.name = "C", .bytes = 64 * 4, .element = base::NumberType::f32, .rows = 8, .columns = 8});
    sim::Launch launch{.grid = {blocks, 1, 1},
                       .block = {threads, 1, 1},
                       .dynamic_shared_bytes = 0,
                       .parameters = std::vector<std::byte>(8)};
    std::memcpy(launch.parameters.data(), &out, 8);
    auto outcome = sim::run(**program, launch, memory, options);
    EXPECT_TRUE(outcome.ok());
    if (!outcome) return {};
    Ran r{std::move(*outcome), std::vector<uint32_t>(64), sim::listing(**program)};
    std::memcpy(r.out.data(), memory.bytes(out).data(), 64 * 4);
    return r;
}

// Runs `body` with %t (thread), %out (64-bit) and shared array s of 64 words at %s; out has 64 words.
Ran run(const std::string& body, uint32_t threads = 64, sim::Options options = {}, uint32_t blocks = 1) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b32 s[64];\n.visible .entry k(.param .u64 p) {\n"
        ".reg .b32 %t, %s, %a, %b, %c; .reg .b64 %out, %o; .reg .pred %p, %q;\n"
        "ld.param.u64 %out, [p]; mov.u32 %t, %tid.x; mov.u32 %s, s; mad.lo.u32 %s, %t, 4, %s; mul.wide.u32 %o, %t, 4; add.u64 %o, %o, %out;\n" +
        body + "\nret;\n}\n";
    return run_file(text, threads, options, blocks);
}

// The only finding, which must be of this kind.
trace::Finding only(const Ran& r, FindingKind kind) {
    EXPECT_EQ(r.outcome.findings.size(), 1u);
    for (const auto& f : r.outcome.findings) EXPECT_EQ(f.kind, kind) << f.text.english();
    return r.outcome.findings.empty() ? trace::Finding{} : r.outcome.findings[0];
}

TEST(Checks, NothingIsWrongWithANeighbourExchange) {
    const Ran r = run(
        "st.shared.u32 [%s], %t; bar.sync 0; xor.b32 %a, %t, 63; mov.u32 %b, s; mad.lo.u32 %b, %a, 4, %b; ld.shared.u32 %c, [%b]; st.global.u32 [%o], %c;");
    EXPECT_TRUE(r.outcome.findings.empty()) << r.outcome.findings[0].text.english();
    EXPECT_EQ(r.out[5], 58u);
}

TEST(Checks, OutOfBoundsNamesArrayAndElement) {
    const auto f = only(run("st.global.u32 [%o+4], %t;"), FindingKind::out_of_bounds);
    EXPECT_EQ(f.warp, 1);
    EXPECT_EQ(f.lanes, 0x80000000u);
    EXPECT_EQ(f.text.english(), "lane 31 writes C[8][0]; C has 8 x 8 elements");
    EXPECT_EQ(only(run("ld.global.u32 %a, [%out-8];"), FindingKind::out_of_bounds).text.english(),
              "lane 0 reads 8 bytes before C begins");
    EXPECT_EQ(only(run("ld.shared.u32 %a, [s+256];"), FindingKind::out_of_bounds).text.english(),
              "lane 0 reads element 64 of s, past the end of the block's 256 bytes of shared memory");
    EXPECT_EQ(only(run("st.shared.u32 [s+-4], %t;", 32), FindingKind::out_of_bounds).text.english(),
              "lane 0 writes 4 bytes before the block's shared memory begins");
    only(run("ld.global.u32 %a, [%out+1073741824];"), FindingKind::out_of_bounds);
    only(run("ld.global.u32 %a, [0];"), FindingKind::out_of_bounds);
    only(run("st.shared.u32 [%s+4], %t;"), FindingKind::out_of_bounds);
}

// The lanes keep their distance from each other, and in the third round the first of them is below zero.
TEST(Checks, AnAccessThatSlidesBelowAddressZeroIsOutOfBounds) {
    for (const char* access : {"ld.shared.u32 %b, [%x];", "st.shared.u32 [%x], %t;"}) {
        const Ran r = run(
            std::string(
                "{ .reg .b64 %x; mov.u64 %x, s; mul.wide.u32 %o, %t, 4; add.u64 %x, %x, %o; st.shared.u32 [%x], %t; st.shared.u32 [%x+128], %t;"
                "bar.sync 0; add.u64 %x, %x, 8; mov.u32 %c, 0;\nagain: ") +
                access + "bar.sync 0; sub.u64 %x, %x, 8; add.u32 %c, %c, 1; setp.lt.u32 %p, %c, 3; @%p bra again; }",
            32);
        const auto f = only(r, FindingKind::out_of_bounds);
        EXPECT_EQ(f.lanes, 3u) << access;
    }
}

// First around the end of the address space, where nothing is; then the same distances where the first lanes find memory.
TEST(Checks, AnAccessAroundTheEndOfTheAddressSpaceHidesNothing) {
    const Ran r = run(
        "{ .reg .b64 %x, %y; mul.wide.u32 %x, %t, 16; sub.u64 %x, %x, 16; add.u64 %y, %out, 16; mov.u32 %c, 0;\nagain: st.global.v4.u32 [%x], {%t, %t, %t, %t};"
        "add.u64 %x, %x, %y; add.u32 %c, %c, 1; setp.lt.u32 %p, %c, 2; @%p bra again; }",
        32);
    ASSERT_EQ(r.outcome.findings.size(), 2u); // one of nobody's memory, one of C
    for (const trace::Finding& f : r.outcome.findings) EXPECT_EQ(f.kind, FindingKind::out_of_bounds);
    EXPECT_EQ(r.outcome.findings[1].lanes, 0xFFFF0000u);
    for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(r.out[n], n / 4) << n;
}

TEST(Checks, EachAccessOfOneRegisterHasItsOwnOffset) {
    const Ran r = run(
        "{ .reg .b32 %d, %e; add.u32 %c, %t, 100; st.shared.u32 [%s], %t; st.shared.u32 [%s+128], %c; bar.sync 0;"
        "ld.shared.u32 %a, [%s+128]; ld.shared.u32 %b, [%s]; xor.b32 %s, %s, 124; ld.shared.u32 %d, [%s]; ld.shared.u32 %e, [%s+128];"
        "setp.lt.u32 %p, %t, 16; @%p ld.shared.u32 %e, [%s]; ld.shared.u32 %s, [%s+128]; and.b32 %s, %s, 4; ld.shared.u32 %c, [%s];"
        "shl.b32 %b, %b, 8; shl.b32 %d, %d, 16; shl.b32 %e, %e, 24; or.b32 %a, %a, %b; or.b32 %d, %d, %e; or.b32 %a, %a, %d; add.u32 %a, %a, %c; st.global.u32 [%o], %a; }",
        32);
    EXPECT_TRUE(r.outcome.findings.empty());
    for (uint32_t t = 0; t < 32; ++t) {
        const uint32_t back = 31 - t, last = (100 + back) >> 2 & 1;
        EXPECT_EQ(r.out[t], ((t + 100) | t << 8 | back << 16 | (t < 16 ? back : 100 + back) << 24) + last) << t;
    }
    const auto f = only(run("st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %a, [%s]; ld.shared.u32 %b, [%s+-4];"),
                        FindingKind::out_of_bounds);
    EXPECT_EQ(f.lanes, 1u);
    EXPECT_EQ(f.warp, 0);
}

TEST(Checks, TheOtherLanesOfAnOutOfBoundsAccessAreServed) { EXPECT_EQ(run("st.global.u32 [%o+4], %t;").out[63], 62u); }

TEST(Checks, Misaligned) {
    const auto f = only(run("ld.global.v2.u32 {%a, %b}, [%out+4];"), FindingKind::misaligned);
    EXPECT_EQ(f.lanes, ~0u);
}

TEST(Checks, UninitialisedShared) {
    const auto f = only(run("setp.ne.u32 %p, %t, 7; @%p st.shared.u32 [%s], %t; ld.shared.u32 %a, [%s];"),
                        FindingKind::uninitialised_shared);
    EXPECT_EQ(f.lanes, 1u << 7);
    EXPECT_EQ(f.text.english(), "lane 7 reads element 7 of s, which nothing has written");
}

TEST(Checks, UninitialisedRegister) {
    // Lanes 0 to 6 come by without writing %a.
    const auto f = only(
        run("setp.lt.u32 %p, %t, 7; @%p bra over; mov.u32 %a, 5;\nover: add.u32 %b, %a, 1; st.global.u32 [%o], %b;"),
        FindingKind::uninitialised_register);
    EXPECT_EQ(f.text.english(), "lane 0 uses %a, to which nothing was written before");
    EXPECT_EQ(f.lanes, 0x7Fu);
    EXPECT_EQ(f.severity, trace::Severity::warning);
    only(run("@%p add.u32 %a, %t, 1;"), FindingKind::uninitialised_register);
    only(run("@%p bra over;\nover: add.u32 %a, %t, 1;"), FindingKind::uninitialised_register);
    only(run("st.global.u32 [%o], %c;"), FindingKind::uninitialised_register);
    only(run("mov.u32 %a, %c; st.global.u32 [%o], %a;"), FindingKind::uninitialised_register);
    EXPECT_EQ(only(run("setp.lt.u32 %p, %t, 7; @%p mov.u32 %a, 5; selp.u32 %b, 6, %a, %p; add.u32 %b, %b, 1;", 32),
                   FindingKind::uninitialised_register)
                  .lanes,
              ~0x7Fu);
}

TEST(Checks, RegistersWrittenUnderTheSameConditionAreInitialised) {
    const char* fine[] = {
        "setp.lt.u32 %p, %t, 7; @%p mov.u32 %a, 5; @%p add.u32 %b, %a, 1;",
        "mov.u32 %a, %c;", // nobody uses it
        "setp.lt.u32 %p, %t, 7; @%p mov.u32 %a, 5; selp.u32 %b, %a, 6, %p; add.u32 %b, %b, 1;",
        "mov.u32 %b, 0; loop: setp.gt.u32 %p, %b, 0; @%p add.u32 %c, %a, 1; mov.u32 %a, %b; add.u32 %b, %b, 1; setp.lt.u32 %q, %b, 5; @%q bra loop;"};
    for (const char* body : fine) EXPECT_TRUE(run(body).outcome.findings.empty()) << body;
}

TEST(Checks, RaceWithTheWriterOfAnotherWarp) {
    const auto f = only(
        run("st.shared.u32 [%s], %t; xor.b32 %a, %t, 32; mov.u32 %b, s; mad.lo.u32 %b, %a, 4, %b; setp.gt.u32 %p, %t, 31; @%p ld.shared.u32 %c, [%b];"),
        FindingKind::shared_race);
    EXPECT_NE(f.text.english().find("warp 0 wrote"), std::string::npos) << f.text.english();
}

TEST(Checks, RaceWithAReaderWhoIsNotTheLast) {
    // Warp 0 reads, warp 1 reads, warp 1 writes: warp 0 may still be reading.
    const auto f = only(
        run("mov.u32 %a, 1; setp.lt.u32 %p, %t, 32; @%p st.shared.u32 [%s], %a; bar.sync 0; ld.shared.u32 %b, [s]; setp.eq.u32 %q, %t, 40; @%q st.shared.u32 [s], %a;"),
        FindingKind::shared_race);
    EXPECT_NE(f.text.english().find("lane 0 of warp 0 read"), std::string::npos) << f.text.english();
}

TEST(Checks, RaceWithAScatteredRead) {
    // Lane n of warp 0 reads word 5 n modulo 32, then modulo 16, where it shares it with another lane: the first one is named.
    for (const char* words : {"31", "15"}) {
        const auto f = only(
            run("st.shared.u32 [%s], %t; bar.sync 0; mul.lo.u32 %a, %t, 5; and.b32 %a, %a, " + std::string(words) +
                "; mov.u32 %b, s; mad.lo.u32 %b, %a, 4, %b;"
                "setp.gt.u32 %p, %t, 31; @%p bra other; ld.shared.u32 %a, [%b]; ret; other: setp.eq.u32 %q, %t, 40; @%q st.shared.u32 [s+60], %t;"),
            FindingKind::shared_race);
        EXPECT_NE(f.text.english().find("element 15 of s, which lane 3 of warp 0 read"), std::string::npos)
            << f.text.english();
    }
}

TEST(Checks, RaceWithAReadThatWasLongAgo) {
    // Warp 0 reads word 0 once and then word 1 twenty thousand times, warp 1 writes word 0.
    const auto f = only(
        run("st.shared.u32 [%s], %t; bar.sync 0; setp.gt.u32 %p, %t, 31; @%p bra other; ld.shared.u32 %a, [s]; mov.u32 %b, 0;"
            "loop: ld.shared.u32 %a, [s+4]; add.u32 %b, %b, 1; setp.lt.u32 %p, %b, 20000; @%p bra loop; ret; other: setp.eq.u32 %q, %t, 40; @%q st.shared.u32 [s], %t;"),
        FindingKind::shared_race);
    EXPECT_NE(f.text.english().find("element 0 of s, which lane 0 of warp 0 read"), std::string::npos)
        << f.text.english();
}

TEST(Checks, AsyncCopiesMakeWrittenMemoryUnreadableAgain) {
    const auto f = only(
        run("st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %a, [%s]; bar.sync 0; cp.async.ca.shared.global [%s], [%o], 4; ld.shared.u32 %a, [%s]; cp.async.wait_all;"),
        FindingKind::unwaited_async_copy);
    EXPECT_EQ(f.lanes, ~0u);
}

TEST(Checks, RacesOfTheSameTwoLinesAreOneFinding) {
    // Four reads of line 9 race with the writes of line 8, each from all lanes of warp 1.
    const Ran r = run(
        "{ .loc 1 8 0\n st.shared.u32 [%s], %t; setp.lt.u32 %p, %t, 32; @%p bra over;\n.loc 1 9 0\n"
        "xor.b32 %a, %t, 32; mov.u32 %b, s; mad.lo.u32 %b, %a, 4, %b; ld.shared.u32 %c, [%b]; ld.shared.u32 %c, [%b]; ld.shared.u32 %c, [%b]; ld.shared.u32 %c, [%b];\nover: }");
    const auto f = only(r, FindingKind::shared_race);
    EXPECT_EQ(
        f.text.english(),
        "lane 0 of warp 1 reads element 0 of s, which lane 0 of warp 0 wrote at line 8 with no barrier between (byte 0 of shared memory; "
        "ld.shared.u32 %c, [%b] by lanes 0-31; st.shared.u32 [%s], %t by lanes 0-31)");
    ASSERT_TRUE(f.other);
    EXPECT_EQ(f.other->source_line, 8);
    EXPECT_EQ(f.other->warp, 0);
    EXPECT_EQ(f.other->lanes, ~0u);
    EXPECT_EQ(f.source_line, 9);
    EXPECT_EQ(f.lanes, ~0u);
    EXPECT_EQ(f.times, 4u);
}

TEST(Checks, TheLowestBlockSpeaksForAll) {
    const char* body = "mov.u32 %a, %ctaid.x; setp.lt.u32 %p, %a, 3; @!%p st.shared.u32 [%s+4096], %t;";
    sim::Options threads;
    threads.threads = 2;
    const auto f = only(run(body, 32, threads, 40), FindingKind::out_of_bounds);
    EXPECT_EQ(f.block.x, 3u);
    EXPECT_EQ(f.times, 37u);
}

TEST(Names, AreThoseOfTheSource) {
    EXPECT_EQ(sim::source_name("As"), "As");
    EXPECT_EQ(sim::source_name("_ZZ13conflict_freeILi64ELi8EEviiifPKfS1_fPfE2As"), "As");
    EXPECT_EQ(sim::source_name("_ZZ1kPfE3A1B"), "A1B");
    EXPECT_EQ(sim::source_name("_ZZ1kPfE3A1B_0"), "A1B");
    EXPECT_EQ(sim::source_name("_ZZ1kPfE3A1B__12_"), "A1B");
    EXPECT_EQ(sim::source_name("_ZN3lib4tileE"), "tile");
    EXPECT_EQ(sim::source_name("_Z4halfi"), "half");
    EXPECT_EQ(sim::source_name("_ZL5table"), "table");
    for (const char* odd :
         {"", "_Z", "_ZZ", "_ZZE", "_ZZE9", "_ZZE99999999999x", "_ZN", "_ZNE", "_ZN3ab", "_ZL", "_Z9k", "_ZTV2Op"})
        EXPECT_EQ(sim::source_name(odd), odd);
}

TEST(Checks, RaceOfTwoWriters) { only(run("shr.u32 %a, %t, 5; st.shared.u32 [s], %a;"), FindingKind::shared_race); }

TEST(Checks, TwoWritersOfOneValueDoNotRace) {
    EXPECT_TRUE(
        run("mov.u32 %a, 5; st.shared.u32 [s], %a; bar.sync 0; st.shared.u32 [s], %a; bar.sync 0; ld.shared.u32 %b, [s];")
            .outcome.findings.empty());
}

TEST(Checks, LanesThatWriteDifferentValuesToOnePlace) {
    const auto f = only(
        run("shr.u32 %a, %t, 1; mad.lo.u32 %b, %a, 4, %s; mov.u32 %b, s; mad.lo.u32 %b, %a, 4, %b; st.shared.u32 [%b], %t;",
            32),
        FindingKind::shared_race);
    EXPECT_EQ(f.lanes, 3u);
    EXPECT_EQ(only(run("st.global.u32 [%out], %t;", 32), FindingKind::global_race).lanes, ~0u);
}

TEST(Checks, ArraysEndWhereTheNextBegins) {
    // The address comes from s through sums and products only; that of t could be either's.
    const char* body =
        "{ .shared .align 4 .b32 t[64]; .reg .b32 %d; st.shared.u32 [%s], %t; mov.u32 %d, t; mad.lo.u32 %d, %t, 4, %d; st.shared.u32 [%d], %t; bar.sync 0; ";
    const auto f = only(run(std::string(body) + "ld.shared.u32 %a, [%s+4]; }"), FindingKind::out_of_bounds);
    EXPECT_EQ(f.text.english(),
              "lane 31 reads element 64 of s; s has 256 bytes, and that address holds element 0 of t");
    EXPECT_EQ(f.warp, 1);
    EXPECT_TRUE(run(std::string(body) +
                    "ld.shared.u32 %a, [%s]; add.u32 %b, %s, 256; sub.u32 %b, %b, 256; ld.shared.u32 %a, [%b]; }")
                    .outcome.findings.empty());
    EXPECT_TRUE(run(std::string(body) + "setp.lt.u32 %p, %t, 7; selp.b32 %b, %s, %d, %p; ld.shared.u32 %a, [%b]; }")
                    .outcome.findings.empty());
}

TEST(Checks, AtomicsDoNotRace) {
    EXPECT_TRUE(
        run("mov.u32 %a, 0; setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [s], %a; bar.sync 0; red.shared.add.u32 [s], %t; bar.sync 0; ld.shared.u32 %b, [s];")
            .outcome.findings.empty());
}

TEST(Checks, BarrierInHalfABlock) {
    only(run("setp.lt.u32 %p, %t, 32; @%p bar.sync 0;"), FindingKind::divergent_barrier);
    only(run("setp.lt.u32 %p, %t, 16; @%p bar.sync 0;", 32), FindingKind::divergent_barrier);
}

TEST(Checks, BarrierInAUniformBranchIsFine) {
    EXPECT_TRUE(
        run("mov.u32 %a, %ntid.x; setp.gt.u32 %p, %a, 32; @!%p bra over; bar.sync 0;\nover:").outcome.findings.empty());
}

TEST(Checks, EndlessLoopIsStopped) {
    const Ran r = run("mov.u32 %a, 0; loop: add.u32 %a, %a, 1; bra loop;");
    EXPECT_NE(only(r, FindingKind::endless_loop).text.english().find("33 million warp instructions"),
              std::string::npos);
    sim::Options options;
    options.instruction_budget = 100000;
    const Ran short_run = run("mov.u32 %a, 0; loop: add.u32 %a, %a, 1; bra loop;", 64, options);
    EXPECT_NE(only(short_run, FindingKind::endless_loop).text.english().find("100000 warp instructions"),
              std::string::npos);
    EXPECT_LE(short_run.outcome.warp_instructions, 100000u);
}

TEST(Checks, ARunHasABoundInTime) {
    sim::Options options;
    options.idle_budget = ~uint64_t{0} / 2;
    options.seconds = 0.05;
    const Ran r = run("mov.u32 %a, 0; loop: add.u32 %a, %a, 1; bra loop;", 64, options);
    EXPECT_NE(only(r, FindingKind::endless_loop).text.english().find("0.05 seconds"), std::string::npos);
}

TEST(Checks, FindingsCountAgainstTheBudget) {
    sim::Options options;
    options.idle_budget = 1 << 20;
    const Ran r = run("loop: ld.global.u32 %a, [%out-8]; bra loop;", 64, options);
    ASSERT_EQ(r.outcome.findings.size(), 2u);
    EXPECT_LE(r.outcome.findings[0].times, 2 * options.idle_budget / options.finding_cost);
    EXPECT_EQ(r.outcome.findings[1].kind, FindingKind::endless_loop);
}

TEST(Checks, OneEndlessBlockEndsTheGrid) {
    const Ran r = run("mov.u32 %a, 0; loop: add.u32 %a, %a, 1; bra loop;", 64, {}, 1000);
    only(r, FindingKind::endless_loop);
    EXPECT_LE(r.outcome.warp_instructions, uint64_t{1} << 26);
}

TEST(Checks, MemoryForRacesBetweenBlocksIsBounded) {
    sim::Options options;
    const Ran all = run("mov.u32 %a, %ctaid.x; st.global.u32 [%o], %a;", 64, options, 2);
    EXPECT_FALSE(all.outcome.unwatched);
    only(all, FindingKind::global_race);
    options.shadow_bytes = 1024;
    const Ran r = run("mov.u32 %a, %ctaid.x; st.global.u32 [%o], %a;", 64, options, 2);
    EXPECT_TRUE(r.outcome.unwatched);
    EXPECT_TRUE(r.outcome.findings.empty());
}

TEST(Checks, RacesBetweenBlocksNameBothAccesses) {
    for (const int threads : {1, 2}) {
        sim::Options options;
        options.threads = threads;
        // Block 0 reads what block 1 writes, or the other way round in time: the finding stands at the write.
        const Ran r = run(
            "mov.u32 %a, %ctaid.x; setp.eq.u32 %p, %a, 0;\n.loc 1 5 0\n@%p ld.global.u32 %b, [%o];\n.loc 1 6 0\n@!%p st.global.u32 [%o], 7;",
            32, options, 2);
        const auto f = only(r, FindingKind::global_race);
        EXPECT_EQ(f.source_line, 6);
        EXPECT_EQ(f.block.x, 1u);
        EXPECT_EQ(f.lanes & 1, 1u);
        ASSERT_TRUE(f.other);
        EXPECT_EQ(f.other->source_line, 5);
        EXPECT_EQ(f.other->block.x, 0u);
        EXPECT_NE(
            f.text.english().find(
                "lane 0 of warp 0 of block (1, 0, 0) writes C[0][0], which lane 0 of warp 0 of block (0, 0, 0) reads at line 5"),
            std::string::npos)
            << f.text.english();
    }
}

TEST(Checks, BlocksThatPublishAreInOrder) {
    const std::string write = "mov.u32 %a, %ctaid.x; setp.eq.u32 %p, %t, 0; @%p st.global.u32 [%out+4], %a; ",
                      fence = "membar.gl; ";
    const std::string count = "@%p atom.global.add.u32 %b, [%out], 1; ", add = count + "@%p add.u32 %c, %b, 1; ";
    EXPECT_TRUE(run("setp.eq.u32 %p, %t, 0; " + add + write + fence + add, 32, {}, 4).outcome.findings.empty());
    only(run("setp.eq.u32 %p, %t, 0; " + add + write + add, 32, {}, 4), FindingKind::global_race);
    // Who never looks at what it counted may as well have come first.
    only(run("setp.eq.u32 %p, %t, 0; " + count + write + fence + count, 32, {}, 4), FindingKind::global_race);
    // Another warp's fence does not put this one's store before its atomic access.
    only(run("setp.ge.u32 %q, %t, 32; @%q membar.gl; bar.sync 0; setp.eq.u32 %p, %t, 0; " + add + write + add, 64, {},
             4),
         FindingKind::global_race);
}

TEST(Checks, NamedBarriersOrderOnlyThoseWhoMeet) {
    const std::string numbers =
        "shr.u32 %a, %t, 5; xor.b32 %b, %t, 32; mov.u32 %c, s; mad.lo.u32 %b, %b, 4, %c; setp.lt.u32 %p, %t, 64; ";
    EXPECT_TRUE(
        run(numbers + "@%p st.shared.u32 [%s], %t; @%p bar.sync 1, 64; @%p ld.shared.u32 %c, [%b]; bar.sync 0;", 96)
            .outcome.findings.empty());
    only(run(numbers + "@%p st.shared.u32 [%s], %t; @%p bar.sync %a, 32; @%p ld.shared.u32 %c, [%b]; bar.sync 3;", 96),
         FindingKind::shared_race);
    EXPECT_EQ(only(run("bar.sync 1, 96;", 64), FindingKind::divergent_barrier).text.english(),
              "this barrier waits for 96 threads, and only 64 reach it");
    EXPECT_TRUE(
        run("setp.lt.u32 %p, %t, 32; st.shared.u32 [%s], %t; @%p bar.arrive 1, 64; @%p bra over; bar.sync 1, 64; mov.u32 %b, s; ld.shared.u32 %c, [%b];\nover:")
            .outcome.findings.empty());
}

TEST(Checks, PrintfReturnsAndAFailedAssertionIsOneFinding) {
    const char* head =
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
        ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
        ".global .b8 text[8] = {37, 100, 37, 37, 37, 42, 102, 0};\n.global .b8 what[6] = {105, 32, 60, 32, 51, 0};\n"
        ".visible .entry k(.param .u64 p) { .reg .b32 %t, %r; .reg .b64 %o, %x, %f; .reg .pred %p; ld.param.u64 %o, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x;\n"
        "mov.u64 %f, text; cvta.global.u64 %f, %f; { .param .b64 p0; st.param.b64 [p0], %f; .param .b64 p1; st.param.b64 [p1], 0; .param .b32 q; call.uni (q), vprintf, (p0, p1); ld.param.b32 %r, [q]; }\n"
        "st.global.u32 [%o], %r; setp.lt.u32 %p, %t, 3; @%p bra fine; mov.u64 %f, what; cvta.global.u64 %f, %f;\n"
        "{ .param .b64 p0; st.param.b64 [p0], %f; .param .b64 p1; st.param.b64 [p1], %f; .param .b32 p2; st.param.b32 [p2], 12; .param .b64 p3; st.param.b64 [p3], %f; .param .b64 p4; st.param.b64 [p4], 1;\n"
        "call.uni __assertfail, (p0, p1, p2, p3, p4); }\nfine: bar.sync 0; st.global.u32 [%o], 9; ret; }\n";
    auto module = ptx::parse(head);
    ASSERT_TRUE(module.ok());
    EXPECT_TRUE(module->unknown.empty());
    auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    ASSERT_TRUE(program.ok()) << program.error().sentence();
    sim::Memory memory;
    const uint64_t out =
        memory.allocate({.name = "C", .bytes = 128, .element = base::NumberType::f32, .rows = 1, .columns = 32});
    sim::Launch launch{
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 0, .parameters = std::vector<std::byte>(8)};
    std::memcpy(launch.parameters.data(), &out, 8);
    auto outcome = sim::run(**program, launch, memory, {});
    ASSERT_TRUE(outcome.ok());
    ASSERT_EQ(outcome->findings.size(), 1u);
    EXPECT_EQ(outcome->findings[0].kind, FindingKind::wrong_result);
    EXPECT_EQ(outcome->findings[0].lanes, ~7u);
    EXPECT_EQ(
        outcome->findings[0].text.english(),
        "the assertion \"i < 3\" in line 12 of i < 3 failed: lanes 3-31 of warp 0 of block (0, 0, 0) end here, and what the block lacks without them is not reported");
    uint32_t results[32];
    std::memcpy(results, memory.bytes(out).data(), sizeof results);
    EXPECT_EQ(results[2], 9u);
    EXPECT_EQ(results[3], 3u); // %d, and two for %*f
}

// Calls %f, which `choose` sets for each lane, with %t, and stores what comes back.
Ran call_through_register(const std::string& choose) {
    return run_file(
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .func (.param .b32 r) next(.param .b32 v) { .reg .b32 %a; ld.param.b32 %a, [v]; add.u32 %a, %a, 1; st.param.b32 [r], %a; ret; }\n"
        ".visible .func (.param .b32 r) again(.param .b32 v) { .reg .b32 %a; .reg .b64 %f; ld.param.b32 %a, [v]; mov.u64 %f, again;\n"
        "p: .callprototype (.param .b32 _) _ (.param .b32 _); { .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %a; call (r0), %f, (p0), p; } ret; }\n"
        ".visible .entry k(.param .u64 p) { .reg .b32 %t, %v; .reg .b64 %o, %x, %f; .reg .pred %p; ld.param.u64 %o, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x;\n" +
            choose +
            "\nproto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
            "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %t; call (r0), %f, (p0), proto; ld.param.b32 %v, [r0]; } st.global.u32 [%o], %v; ret; }\n",
        32);
}

TEST(Checks, ACallToWhereNoFunctionIsEndsItsLanes) {
    const Ran r = call_through_register("mov.u64 %f, next; setp.lt.u32 %p, %t, 3; @%p mov.u64 %f, 8;");
    EXPECT_EQ(
        only(r, FindingKind::out_of_bounds).text.english(),
        "the call leads to an address where no function of the kernel's file is: lanes 0-2 of warp 0 of block (0, 0, 0) end here, and what the block lacks without them is not reported");
    EXPECT_EQ(r.out[2], 0u);
    EXPECT_EQ(r.out[3], 4u);
}

TEST(Checks, AFunctionThatCallsItselfForEverIsAFinding) {
    EXPECT_TRUE(call_through_register("mov.u64 %f, next; setp.lt.u32 %p, %t, 40; @!%p mov.u64 %f, again;")
                    .outcome.findings.empty())
        << "nobody calls it";
    EXPECT_EQ(
        only(call_through_register("mov.u64 %f, again;"), FindingKind::unsupported).text.english(),
        "the call nests a function more than 64 times in itself, and the engine follows no deeper: lanes 0-31 of warp 0 of block (0, 0, 0) end here, and what the block lacks without them is not reported");
}

// The bound: each activation is the function once more in the program. With two calls in a function those are soon too many.
TEST(Checks, RecursionIsFollowedAsDeepAsTheProgramDoesNotGrowTooLarge) {
    const auto sum_to_lane = [](const char* twice, uint32_t threads) {
        return run_file(
            std::string(
                ".version 8.0\n.target sm_90\n.address_size 64\n.func (.param .b32 r) sum(.param .b32 x) { .reg .b32 %a, %b, %c; .reg .pred %p; ld.param.b32 %a, [x]; mov.u32 %b, 0; setp.eq.u32 %p, %a, 0; @%p bra done; sub.u32 %b, %a, 1; mov.u32 %c, %b;\n"
                "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %b; call (r0), sum, (p0); ld.param.b32 %b, [r0]; }\n") +
                twice +
                "add.u32 %b, %b, %a;\ndone: st.param.b32 [r], %b; ret; }\n"
                ".visible .entry k(.param .u64 p) { .reg .b32 %t, %v; .reg .b64 %o, %x; ld.param.u64 %o, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x;\n"
                "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %t; call (r0), sum, (p0); ld.param.b32 %v, [r0]; } st.global.u32 [%o], %v; ret; }\n",
            threads);
    };
    const Ran once = sum_to_lane("", 64);
    EXPECT_TRUE(once.outcome.findings.empty());
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(once.out[t], t * (t + 1) / 2) << t;
    const char* again =
        "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %c; call (r0), sum, (p0); ld.param.b32 %c, [r0]; }\n";
    EXPECT_TRUE(sum_to_lane(again, 8).outcome.findings.empty());
    EXPECT_NE(
        only(sum_to_lane(again, 64), FindingKind::unsupported).text.english().find("and the engine follows no deeper"),
        std::string::npos);
}

TEST(Checks, EndlessLoopWithBarriersLoadsAndStoresIsStopped) {
    sim::Options options;
    options.idle_budget = 1 << 20;
    const Ran r = run(
        "st.shared.u32 [%s], %t; loop: bar.sync 0; ld.global.u32 %a, [%o]; ld.shared.u32 %b, [%s]; add.u32 %a, %a, %b; st.global.u32 [%o], %a; bra loop;",
        64, options);
    only(r, FindingKind::endless_loop);
    EXPECT_LE(r.outcome.warp_instructions, uint64_t{1} << 21);
}

TEST(Checks, ALongLoopOverMemoryIsNotEndless) {
    // Each of the 60 stores comes after 40,000 instructions: far more than the budget in all, but it gets somewhere.
    sim::Options options;
    options.idle_budget = 1 << 18;
    const Ran r = run(
        "mov.u32 %a, 0; outer: mov.u32 %b, 0; inner: add.u32 %b, %b, 1; setp.lt.u32 %p, %b, 13000; @%p bra inner;"
        "st.global.u32 [%out], %a; add.u64 %out, %out, 4; add.u32 %a, %a, 1; setp.lt.u32 %p, %a, 60; @%p bra outer;",
        1, options);
    EXPECT_TRUE(r.outcome.findings.empty()) << r.outcome.findings[0].text.english();
    EXPECT_GT(r.outcome.warp_instructions, 8 * options.idle_budget);
}

TEST(Checks, AsyncCopyReadBeforeItsWait) {
    const Ran r = run("cp.async.ca.shared.global [%s], [%o], 4; ld.shared.u32 %a, [%s]; cp.async.wait_all;");
    only(r, FindingKind::unwaited_async_copy);
    EXPECT_EQ(only(run("cp.async.ca.shared.global [%s], [%o], 4;"), FindingKind::unwaited_async_copy).severity,
              trace::Severity::warning);
}

TEST(Checks, UnknownStatementsAreFindingsWhenReached) {
    auto module = ptx::parse(
        ".version 8.0\n.target sm_90\n.entry k() {\n.reg .pred %p; .reg .b32 %r;\nmov.u32 %r, %tid.x; setp.gt.u32 %p, %r, 99;\n@%p frob.a %r;\nfrob.b %r;\nret;\n}\n");
    ASSERT_TRUE(module.ok());
    auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    ASSERT_TRUE(program.ok());
    sim::Memory memory;
    auto outcome = sim::run(
        **program, {.grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 0, .parameters = {}}, memory, {});
    ASSERT_TRUE(outcome.ok());
    ASSERT_EQ(outcome->findings.size(), 1u);
    EXPECT_EQ(outcome->findings[0].kind, FindingKind::unsupported);
    EXPECT_NE(outcome->findings[0].text.english().find("frob.b"), std::string::npos);
}

// Notes the space of each access.
struct Spaces : trace::Observer {
    std::vector<trace::Space> seen;
    void access(uint32_t, const trace::Instruction& i, const trace::Footprint&) override { seen.push_back(i.space); }
};

TEST(Trace, GenericAccessesHaveTheSpaceThatTheyLeadTo) {
    using enum trace::Space;
    Spaces spaces;
    sim::Options options;
    options.observer = [&] { return &spaces; };
    options.traced_block = base::Dim3{0, 0, 0};
    // The first three lead to shared memory, as the text shows. The fourth could, but leads to global memory: it is observed
    // as such, and the trace, which has one space for an instruction, keeps no addresses of it.
    const Ran r = run(
        "{ .reg .b64 %g, %h; cvt.u64.u32 %g, %s; cvta.shared.u64 %g, %g; add.u64 %h, %g, 0; st.u32 [%h], %t; ld.u32 %a, [%h];"
        "ld.u32 %a, [%h+-0]; setp.gt.u32 %p, %t, 99; selp.b64 %h, %g, %o, %p; ld.u32 %a, [%h]; st.u32 [%o], %a; }",
        32, options);
    EXPECT_TRUE(r.outcome.findings.empty());
    EXPECT_EQ(spaces.seen, (std::vector{shared, shared, shared, global, global}));
    std::vector<trace::Space> listed;
    for (const trace::Event& e : r.outcome.trace.events)
        if (e.access != trace::no_access) listed.push_back(r.listing->instructions[e.pc].space);
    EXPECT_EQ(listed, (std::vector{shared, shared, shared, global}));
}

TEST(Trace, RecordsEventsWithAddresses) {
    sim::Options options;
    options.traced_block = base::Dim3{0, 0, 0};
    const Ran r = run("setp.lt.u32 %p, %t, 5; @%p st.global.u32 [%o], %t;", 32, options);
    const trace::Trace& t = r.outcome.trace;
    ASSERT_EQ(t.events.size(), r.outcome.warp_instructions);
    const trace::Event& store = t.events[t.events.size() - 2];
    EXPECT_EQ(r.listing->instructions[store.pc].kind, trace::Kind::store);
    EXPECT_EQ(store.active, 0x1Fu);
    ASSERT_NE(store.access, trace::no_access);
    EXPECT_EQ(t.accesses[store.access][3], t.buffers[0].address + 12);
    EXPECT_EQ(r.outcome.counts[store.pc].threads, 5u);
}

// Lanes 5 to 31 fill up with zeros; wherever their source leads, they do not read it.
TEST(Trace, ALaneThatCopiesNothingHasNoSource) {
    sim::Options options;
    options.traced_block = base::Dim3{0, 0, 0};
    const Ran r = run(
        "setp.lt.u32 %p, %t, 5; selp.u32 %a, 4, 0, %p; cp.async.ca.shared.global [%s], [%o], 4, %a; cp.async.wait_all;",
        32, options);
    EXPECT_TRUE(r.outcome.findings.empty());
    const trace::Trace& t = r.outcome.trace;
    const auto copy = std::find_if(t.events.begin(), t.events.end(), [&](const trace::Event& e) {
        return r.listing->instructions[e.pc].kind == trace::Kind::async_copy;
    });
    ASSERT_NE(copy, t.events.end());
    EXPECT_EQ(copy->active, ~0u);
    EXPECT_EQ(t.accesses[copy->access + 1][4], t.buffers[0].address + 16);
    EXPECT_EQ(t.accesses[copy->access + 1][5], 0u);
}

} // namespace
