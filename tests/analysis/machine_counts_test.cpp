// Conversions on made programs: what is known, and the reason why something is not. Real ones are compared in tests/cli/counters_test.cpp.
#include "analysis/machine_counts.h"

#include "listed.h"

#include <gtest/gtest.h>

namespace {

using analysis::Counter;
using analysis::Unknown;
using trace::Kind;
using trace::Space;

// A program of both kinds, built line by line. Machine instructions name the PTX line that they came from.
struct Programs {
    trace::Listing ptx;
    trace::Counts counts;
    trace::MachineListing machine;

    size_t add(const std::string& text, Kind kind, Space space, uint8_t bytes, uint64_t executed, uint64_t threads,
               int64_t target = -1) {
        ptx.text += text + "\n";
        machine.ptx.push_back(text);
        trace::Instruction& i = test::Lister(ptx).add(text, kind);
        i.space = space, i.bytes = i.register_bytes = bytes, i.target = target;
        i.text_line = i.source_line = static_cast<int>(ptx.instructions.size());
        trace::InstructionCounts c;
        c.executed = executed, c.threads = threads;
        if (space == Space::shared) c.wavefronts = c.wavefronts_ideal = executed;
        if (space == Space::global) c.sectors = c.sectors_ideal = 4 * executed;
        counts.push_back(c);
        return counts.size() - 1;
    }
    trace::MachineInstruction& from(int line, Kind kind, Space space = Space::none, uint8_t bytes = 0) {
        trace::MachineInstruction m;
        m.kind = kind, m.space = space, m.bytes = bytes, m.ptx_line = m.source_line = line;
        m.ends = kind == Kind::exit || kind == Kind::branch;
        machine.instructions.push_back(m);
        return machine.instructions.back();
    }
    analysis::MachineCounts convert() const { return analysis::machine_counts(ptx, counts, machine); }
};

const analysis::Basis& of(const analysis::MachineCounts& counts, Counter counter) {
    return counts.basis[static_cast<size_t>(counter)];
}

Programs two_loads() {
    Programs p;
    p.add("ld.shared.f32 %f1, [%r1];", Kind::load, Space::shared, 4, 10, 320);
    p.add("ld.shared.f32 %f2, [%r1+4];", Kind::load, Space::shared, 4, 10, 320);
    p.add("st.global.f32 [%rd1], %f1;", Kind::store, Space::global, 4, 10, 320);
    p.add("ret;", Kind::exit, Space::none, 0, 10, 320);
    for (size_t pc : {0u, 1u}) p.counts[pc].wider = {trace::Moved{30, 20}, trace::Moved{60, 40}};
    return p;
}

TEST(MachineCounts, AFusedPairIsOneAccessOfItsWidth) {
    Programs p = two_loads();
    p.from(1, Kind::load, Space::shared, 8);
    p.from(3, Kind::store, Space::global, 4);
    p.from(4, Kind::exit);
    const auto counts = p.convert();
    EXPECT_TRUE(counts.of_all().machine()) << analysis::name(counts.of_all().unknown);
    EXPECT_EQ(counts.totals.shared_load.instructions, 10u);
    EXPECT_EQ(counts.totals.shared_load.wavefronts, 30u);
    EXPECT_EQ(counts.totals.shared_load.wavefronts_ideal, 20u);
    EXPECT_EQ(counts.totals.global_store.sectors, 40u);
    EXPECT_EQ(analysis::fusible(p.ptx), (std::vector<bool>{true, true, false, false}));
    const auto widths = analysis::access_widths(p.ptx, p.machine);
    ASSERT_EQ(widths.size(), 4u); // 4 bytes at lines 1 and 2, 8 bytes at line 1, the store
    EXPECT_EQ(widths[2].bytes, 8);
    EXPECT_EQ(widths[2].ptx, 0u);
    EXPECT_EQ(widths[2].machine, 1u);
}

TEST(MachineCounts, PartsOfASplitAccessGoToTheNeighbourWhereTheyLie) {
    Programs p = two_loads();
    p.from(1, Kind::load, Space::shared, 4).displacement = 64;
    p.from(1, Kind::load, Space::shared, 4).displacement = 68; // line 2's, under the line of the fused access
    p.from(3, Kind::store, Space::global, 4);
    p.from(4, Kind::exit);
    EXPECT_TRUE(of(p.convert(), Counter::shared_load).machine());
    EXPECT_EQ(p.convert().totals.shared_load.instructions, 20u);
}

TEST(MachineCounts, AnUnexpectedWidthIsNotGuessed) {
    Programs p = two_loads();
    for (trace::InstructionCounts& c : p.counts) c.wider = {};
    p.from(1, Kind::load, Space::shared, 16);
    p.from(3, Kind::store, Space::global, 4);
    p.from(4, Kind::exit);
    EXPECT_EQ(of(p.convert(), Counter::shared_load).unknown, Unknown::width);
    EXPECT_EQ(of(p.convert(), Counter::shared_load).source_line, 1);
    EXPECT_EQ(p.convert().totals.shared_load.instructions, 20u); // the PTX's
    EXPECT_TRUE(of(p.convert(), Counter::global_store).machine());
}

TEST(MachineCounts, AStoreThatIsGoneIsNotGuessed) {
    Programs p = two_loads();
    p.from(1, Kind::load, Space::shared, 8);
    p.from(4, Kind::exit);
    EXPECT_EQ(of(p.convert(), Counter::global_store).unknown, Unknown::merged);
}

// if (...) load; store: the branch becomes the load's predicate, so that it is issued as often as the store.
Programs a_guarded_load() {
    Programs p;
    p.add("@%p1 bra $L1;", Kind::branch, Space::none, 0, 10, 100, 2);
    p.add("ld.global.f32 %f1, [%rd1];", Kind::load, Space::global, 4, 7, 220);
    p.add("st.shared.f32 [%r1], %f1;", Kind::store, Space::shared, 4, 10, 320);
    p.add("ret;", Kind::exit, Space::none, 0, 10, 320);
    return p;
}

TEST(MachineCounts, APredicatedLoadIsIssuedAsOftenAsItsRegion) {
    Programs p = a_guarded_load();
    p.from(2, Kind::load, Space::global, 4).guard = 0;
    p.from(3, Kind::store, Space::shared, 4);
    p.from(4, Kind::exit);
    EXPECT_TRUE(of(p.convert(), Counter::global_load).machine());
    EXPECT_EQ(p.convert().totals.global_load.instructions, 10u);
    EXPECT_EQ(p.convert().totals.global_load.sectors, 28u);
}

TEST(MachineCounts, WithNothingElseInItsRegionTheBranchesSay) {
    Programs p = a_guarded_load();
    p.ptx.instructions.erase(p.ptx.instructions.begin() + 2); // no store: what follows the load is line 4
    p.ptx.instructions[0].target = 2;
    p.counts.erase(p.counts.begin() + 2);
    p.from(2, Kind::load, Space::global, 4).guard = 0;
    p.from(4, Kind::exit);
    EXPECT_TRUE(of(p.convert(), Counter::global_load).machine());
    EXPECT_EQ(p.convert().totals.global_load.instructions, 10u);
}

TEST(MachineCounts, AMovedStoreIsNotGuessed) {
    Programs p = a_guarded_load();
    p.add("st.shared.f32 [%r2], %f1;", Kind::store, Space::shared, 4, 3, 96); // in a place that is executed 3 times
    p.from(3, Kind::store, Space::shared, 4);
    p.from(5, Kind::store, Space::shared, 4); // and here as often as the other
    p.from(4, Kind::exit);
    EXPECT_EQ(of(p.convert(), Counter::shared_store).unknown, Unknown::moved);
}

TEST(MachineCounts, ALoadThatNoLaneExecutesIsIssued) {
    Programs p = two_loads();
    p.from(1, Kind::load, Space::shared, 8);
    trace::MachineInstruction& idle = p.from(4, Kind::load, Space::shared, 4);
    idle.guard_negated = true; // @!PT
    p.from(3, Kind::store, Space::global, 4);
    p.from(4, Kind::exit);
    EXPECT_EQ(p.convert().totals.shared_load.instructions, 20u);
    EXPECT_EQ(p.convert().totals.shared_load.wavefronts, 30u);
}

TEST(MachineCounts, CopiesOfALoopCountOnlyIfNoLaneLeftItEarly) {
    for (const bool diverged : {false, true}) {
        Programs p;
        p.add("ld.global.f32 %f1, [%rd1];", Kind::load, Space::global, 4, 40, 1280);
        p.add("@%p1 bra $L0;", Kind::branch, Space::none, 0, 40, 960, 0);
        p.add("ret;", Kind::exit, Space::none, 0, 10, 320);
        p.counts[1].diverged = diverged;
        p.from(1, Kind::load, Space::global, 4);
        p.from(1, Kind::load, Space::global, 4);
        trace::MachineInstruction& back = p.from(2, Kind::branch);
        back.guard = 0, back.target = 0;
        p.from(3, Kind::exit);
        EXPECT_EQ(of(p.convert(), Counter::global_load).unknown, diverged ? Unknown::diverged : Unknown::nothing);
        EXPECT_EQ(p.convert().totals.global_load.instructions, 40u);
    }
}

TEST(MachineCounts, OtherProgramsAreNotMatched) {
    Programs p = two_loads();
    p.from(1, Kind::load, Space::shared, 8);
    p.machine.ptx[1] = "ld.shared.f32 %f2, [%r1+8];";
    EXPECT_EQ(of(p.convert(), Counter::shared_load).unknown, Unknown::no_lines);
    p.machine.ptx.clear();
    EXPECT_EQ(of(p.convert(), Counter::shared_load).unknown, Unknown::no_lines);
    p = two_loads();
    p.from(1, Kind::load, Space::shared, 8);
    trace::MachineInstruction& jump = p.from(4, Kind::branch);
    jump.indirect = true;
    EXPECT_EQ(of(p.convert(), Counter::shared_load).unknown, Unknown::indirect_branch);
}

TEST(MachineCounts, EveryReasonHasAName) {
    for (int i = 0; i <= static_cast<int>(Unknown::diverged); ++i)
        EXPECT_NE(std::string(analysis::name(static_cast<Unknown>(i))), "");
}

} // namespace
