// What goes wrong with mbarriers, bulk copies, matrices and clusters is a finding with its line, and nothing hangs.
#include "ptx/parser.h"
#include "sim/engine.h"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using trace::FindingKind;

struct Ran {
    std::vector<trace::Finding> findings;
    std::vector<uint32_t> out;
};

// `body` has %t (thread), %m (shared address of an mbarrier), %s (of 1 KB of shared memory), %g (64-bit, of `out`), %p, %q, %v, %x.
Ran run(const std::string& body, uint32_t threads = 32) {
    auto module = ptx::parse(R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 8 .b64 bar[2];
.shared .align 128 .b8 room[1024];
.visible .entry k(.param .u64 p) {
.reg .b32 %t, %m, %s, %v<8>; .reg .b64 %g, %x; .reg .pred %p, %q;
ld.param.u64 %g, [p]; mov.u32 %t, %tid.x; mov.u32 %m, bar; mov.u32 %s, room; setp.eq.u32 %q, %t, 0; mov.u32 %v0, 0;
)" + body + "\nret;\n}\n");
    EXPECT_TRUE(module.ok());
    auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    EXPECT_TRUE(program.ok());
    sim::Memory memory;
    const uint64_t out =
        memory.allocate({.name = "out", .bytes = 1024, .element = base::NumberType::f32, .rows = 1, .columns = 256});
    sim::Launch launch{.grid = {1, 1, 1},
                       .block = {threads, 1, 1},
                       .dynamic_shared_bytes = 0,
                       .parameters = std::vector<std::byte>(8)};
    std::memcpy(launch.parameters.data(), &out, 8);
    auto outcome = sim::run(**program, launch, memory, {});
    EXPECT_TRUE(outcome.ok());
    Ran r{std::move(outcome->findings), std::vector<uint32_t>(256)};
    std::memcpy(r.out.data(), memory.bytes(out).data(), 1024);
    return r;
}

int count(const Ran& r, FindingKind kind, const char* text) {
    int n = 0;
    for (const trace::Finding& f : r.findings)
        n += f.kind == kind && f.text.english().find(text) != std::string::npos && f.pc >= 0;
    return n;
}
testing::AssertionResult clean(const Ran& r) {
    return r.findings.empty() ? testing::AssertionSuccess()
                              : testing::AssertionFailure() << r.findings[0].text.english();
}

const std::string initialised = "@%q mbarrier.init.shared::cta.b64 [%m], 1; bar.sync 0;\n";

TEST(Mbarrier, WaitingForEverEnds) {
    const Ran r = run(initialised + "W: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra W;", 64);
    EXPECT_EQ(count(r, FindingKind::mbarrier_misuse, "still needs 1 arrivals and 0 bytes"), 1);
}

TEST(Mbarrier, MisuseIsNamed) {
    EXPECT_EQ(count(run("mbarrier.arrive.shared::cta.b64 _, [%m];"), FindingKind::mbarrier_misuse,
                    "nothing initialised one there"),
              1);
    EXPECT_EQ(count(run("@%q mbarrier.init.shared::cta.b64 [%m], 0;"), FindingKind::mbarrier_misuse,
                    "to wait for 0 arrivals"),
              1);
    EXPECT_EQ(count(run("@%q mbarrier.init.shared::cta.b64 [%m+4], 1;"), FindingKind::mbarrier_misuse,
                    "needs 8 bytes, aligned"),
              1);
    EXPECT_EQ(count(run(initialised + "@%q mbarrier.init.shared::cta.b64 [%m], 1;"), FindingKind::mbarrier_misuse,
                    "an mbarrier already"),
              1);
    EXPECT_EQ(count(run(initialised + "@%q mbarrier.arrive.shared::cta.b64 _, [%m], 3;"), FindingKind::mbarrier_misuse,
                    "more arrivals"),
              1);
    EXPECT_EQ(count(run(initialised + "@%q mbarrier.arrive.noComplete.shared::cta.b64 %x, [%m], 1;"),
                    FindingKind::mbarrier_misuse, ".noComplete"),
              1);
}

// The GPU keeps an mbarrier's state elsewhere: an H200 wrote it over the sums of a kernel that reused the
// bytes without mbarrier.inval.
TEST(Mbarrier, ItsBytesAreNoDataUntilItEnds) {
    const char *written = "is written as data", *read = "is read as data";
    for (const char* store : {"st.shared.u32 [%m], %t;", "st.shared.u32 [%m+4], %t;", "@%q st.shared.u8 [%m+7], %t;",
                              "atom.shared.add.u32 %v0, [%m], 1;"})
        EXPECT_EQ(count(run(initialised + store), FindingKind::mbarrier_misuse, written), 1) << store;
    EXPECT_EQ(count(run(initialised + "ld.shared.u32 %v0, [%m];"), FindingKind::mbarrier_misuse, read), 1);
    EXPECT_EQ(count(run(initialised + "ld.shared.u32 %v0, [%m];"), FindingKind::shared_race, ""), 0);
    const std::string ended = initialised + "bar.sync 0; @%q mbarrier.inval.shared::cta.b64 [%m]; bar.sync 0;";
    EXPECT_TRUE(clean(run(ended + "@%q st.shared.u32 [%m], %t; bar.sync 0; ld.shared.u32 %v0, [%m];", 64)));
    EXPECT_TRUE(clean(run(initialised + "@%q st.shared.u32 [%m+8], %t; bar.sync 0; ld.shared.u32 %v0, [%m+8];",
                          64))); // its neighbour
}

// One lane waits for what another lane of its warp does on the other side of a branch.
TEST(Mbarrier, LanesOfOneWarpMayWaitForEachOther) {
    const Ran r = run(initialised + R"(@%q bra ARRIVE;
W: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra W; mov.u32 %v0, 5; bra.uni END;
ARRIVE: mbarrier.arrive.shared::cta.b64 _, [%m]; mov.u32 %v0, 6;
END: mad.wide.u32 %g, %t, 4, %g; st.global.u32 [%g], %v0;)");
    EXPECT_TRUE(clean(r));
    EXPECT_EQ(r.out[0], 6u);
    EXPECT_EQ(r.out[31], 5u);
}

const std::string filled = initialised + R"(@!%q bra F;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 256; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%g], 256, [%m];
F: )";

TEST(BulkCopy, IsSeenAfterTheWaitAndNotBefore) {
    const std::string load = "mad.lo.u32 %v1, %t, 4, %s; ld.shared.u32 %v2, [%v1];";
    EXPECT_TRUE(
        clean(run(filled + "W: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra W; " + load, 64)));
    EXPECT_GE(count(run(filled + "bar.warp.sync -1;" + load), FindingKind::unwaited_async_copy, "before the wait"), 1);
}

TEST(BulkCopy, BoundsAndAlignmentAreChecked) {
    const auto copy = [](const char* to, const char* size) {
        return initialised + "@%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" + to +
               "], [%g], " + size + ", [%m];";
    };
    EXPECT_EQ(count(run(copy("%s", "2048")), FindingKind::out_of_bounds, ""), 1);
    EXPECT_EQ(count(run(copy("%s+8", "16")), FindingKind::misaligned, "multiples of 16"), 1);
    EXPECT_EQ(count(run(copy("%s", "20")), FindingKind::misaligned, "multiples of 16"), 1);
    EXPECT_EQ(
        count(
            run("@%q st.shared.u32 [%s], 1; @%q st.shared.v2.u32 [%s+4], {2, 3}; @%q st.shared.u32 [%s+12], 4; @%q cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], 16;"),
            FindingKind::unwaited_async_copy, "without having waited for this bulk copy"),
        1);
}

TEST(Matrix, WrongFormsAndMissingLanesAreFindings) {
    const std::string registers =
        ".reg .f32 %f<4>; .reg .b32 %a<4>; mov.u32 %a0, 0; mov.u32 %a1, 0; mov.u32 %a2, 0; mov.u32 %a3, 0; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n";
    const auto mma = [&](const char* shape, const char* types, const char* a) {
        return registers + "mma.sync.aligned." + shape + ".row.col." + types + " {%f0, %f1, %f2, %f3}, " + a +
               ", {%a0, %a1}, {%f0, %f1, %f2, %f3};";
    };
    const char* four = "{%a0, %a1, %a2, %a3}";
    EXPECT_TRUE(clean(run(mma("m16n8k16", "f32.f16.f16.f32", four))));
    EXPECT_EQ(count(run(mma("m16n8k4", "f32.f16.f16.f32", four)), FindingKind::unsupported, "no such shape"), 1);
    EXPECT_EQ(count(run(mma("m16n8k16", "f32.f16.bf16.f32", four)), FindingKind::unsupported, "do not go together"), 1);
    EXPECT_EQ(count(run(mma("m16n8k16", "f32.f16.f16.f32", "{%a0, %a1}")), FindingKind::unsupported, "wrong length"),
              1);
    EXPECT_EQ(count(run(registers + "setp.lt.u32 %p, %t, 7; @%p ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%s];"),
                    FindingKind::divergent_barrier, "all 32 lanes"),
              1);
}

TEST(Cluster, OtherBlocksAreNotThere) {
    EXPECT_EQ(
        count(run("mapa.shared::cluster.u32 %v1, %s, 1;"), FindingKind::out_of_bounds, "block 1 of a cluster of 1"), 1);
}

TEST(Clock, LoopsThatWaitForItEnd) {
    EXPECT_TRUE(clean(run(
        "mov.u64 %x, %clock64; add.u64 %x, %x, 100000; .reg .b64 %n;\nL: mov.u64 %n, %clock64; setp.lt.u64 %p, %n, %x; @%p bra L;")));
}

} // namespace
