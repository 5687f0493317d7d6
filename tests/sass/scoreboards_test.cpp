// Code that waits too little, written by hand. That what ptxas writes waits enough, and what is found where it is damaged: tests/session.
#include "sass/scoreboards.h"

#include <gtest/gtest.h>

namespace {

using sass::Instruction;
using sass::Operand;
using sass::OperandKind;
using trace::Control;
using trace::Kind;
using trace::Space;

constexpr uint8_t none = Control::none;

Operand reg(uint16_t number, uint8_t registers = 1) {
    Operand o;
    o.kind = OperandKind::register_;
    o.number = number;
    o.registers = registers;
    return o;
}
Operand predicate(uint16_t number) {
    Operand o;
    o.kind = OperandKind::predicate;
    o.number = number;
    return o;
}
Operand to(Operand o) {
    o.written = true;
    return o;
}
Operand at(uint16_t base, uint8_t registers) {
    Operand o;
    o.kind = OperandKind::memory;
    o.base = base;
    o.registers = registers;
    return o;
}
Operand label(uint64_t index) {
    Operand o;
    o.kind = OperandKind::label;
    o.value = static_cast<int64_t>(index * sass::instruction_bytes);
    return o;
}

Instruction make(std::string_view opcode, Control control, std::vector<Operand> operands, Kind kind = Kind::arithmetic,
                 Space space = Space::none) {
    Instruction i;
    i.opcode = opcode;
    i.control = control;
    i.operands = std::move(operands);
    i.kind = kind;
    i.space = space;
    if (kind == Kind::branch || kind == Kind::exit) i.traits = sass::ends;
    return i;
}
Instruction guarded(Instruction i, uint8_t guard, bool negated = false) {
    i.guard = guard;
    i.guard_negated = negated;
    return i;
}
Instruction load(uint16_t d, Control control) { // R<d> = [R2, R3]
    return make("LDG", control, {to(reg(d)), at(2, 2)}, Kind::load, Space::global);
}
Instruction load_shared(uint16_t d, Control control) {
    return make("LDS", control, {to(reg(d)), at(2, 1)}, Kind::load, Space::shared);
}
Instruction fma(uint16_t d, uint16_t a, Control control) { return make("FFMA", control, {to(reg(d)), reg(a)}); }
Instruction branch(uint64_t index, Control control = {.stall = 5}) {
    return make("BRA", control, {label(index)}, Kind::branch);
}
Instruction exit() { return make("EXIT", {.stall = 5}, {}, Kind::exit); }

std::vector<std::string> found(std::vector<Instruction> code) {
    for (size_t n = 0; n < code.size(); ++n) code[n].address = n * sass::instruction_bytes;
    std::vector<std::string> texts;
    for (const sass::Hazard& h : sass::find_hazards(90, code, {})) texts.push_back(h.text.english());
    return texts;
}
using Texts = std::vector<std::string>;

TEST(Scoreboards, AResultIsWaitedFor) {
    const Control sets{.stall = 2, .write_barrier = 3}, waits{.stall = 5, .wait_mask = 1 << 3};
    EXPECT_EQ(found({load(0, sets), fma(1, 0, waits), exit()}), Texts());
    EXPECT_EQ(found({load(0, sets), fma(1, 0, {.stall = 5, .wait_mask = 1 << 2}), exit()}),
              Texts({"FFMA (10) reads R0, which LDG (0) writes, without waiting for SB3"}));
    EXPECT_EQ(found({load(0, sets), fma(0, 1, {.stall = 5}), exit()}),
              Texts({"FFMA (10) overwrites R0, which LDG (0) writes, without waiting for SB3"}));
    EXPECT_EQ(found({load(0, {.stall = 2}), fma(1, 0, waits), exit()}),
              Texts({"FFMA (10) reads R0, which LDG (0) writes, without waiting for a scoreboard"}));
}

TEST(Scoreboards, AnOperandIsReadBeforeItIsOverwritten) {
    const Control sets{.stall = 2, .write_barrier = 3, .read_barrier = 1};
    EXPECT_EQ(found({load(0, sets), fma(2, 1, {.stall = 5, .wait_mask = 1 << 1}), exit()}), Texts());
    EXPECT_EQ(found({load(0, sets), fma(2, 1, {.stall = 5, .wait_mask = 1 << 3}), exit()}),
              Texts()); // written, so read
    EXPECT_EQ(found({load(0, sets), fma(2, 1, {.stall = 5}), exit()}),
              Texts({"FFMA (10) overwrites R2, which LDG (0) reads, without waiting for SB1/SB3"}));
}

TEST(Scoreboards, AShuffleStandsInTheQueueOfMemoryInstructions) {
    const Instruction store =
        make("STG", {.stall = 1, .read_barrier = 1}, {at(2, 2), reg(4)}, Kind::store, Space::global);
    EXPECT_EQ(found({store, make("SHFL", {.stall = 2, .write_barrier = 3}, {to(reg(4)), reg(6)}), exit()}), Texts());
    EXPECT_EQ(found({store, fma(4, 0, {.stall = 5}), exit()}),
              Texts({"FFMA (10) overwrites R4, which STG (0) reads, without waiting for SB1"}));
}

TEST(Scoreboards, AnInstructionIsCountedTwoCyclesAfterItsIssue) {
    EXPECT_EQ(found({load(0, {.stall = 1, .write_barrier = 3}), fma(1, 0, {.stall = 5, .wait_mask = 1 << 3}), exit()}),
              Texts({"FFMA (10) waits for SB3 too early: an instruction is counted 2 cycles after its issue"}));
}

TEST(Scoreboards, SharedLoadsReturnInOrder) {
    const Control waits{.stall = 5, .wait_mask = 1 << 3};
    EXPECT_EQ(found({load_shared(0, {.stall = 1}), load_shared(1, {.stall = 2, .write_barrier = 3}), fma(4, 0, waits),
                     exit()}),
              Texts());
    EXPECT_EQ(found({load_shared(1, {.stall = 2, .write_barrier = 3}), load_shared(0, {.stall = 1}), fma(4, 0, waits),
                     exit()}),
              Texts({"FFMA (20) reads R0, which LDS (10) writes, without waiting for a scoreboard"}));
}

TEST(Scoreboards, FixedLatenciesAreGuardedByStalls) {
    EXPECT_EQ(found({fma(0, 1, {.stall = 4}), fma(1, 0, {.stall = 1}), exit()}), Texts());
    EXPECT_EQ(found({fma(0, 1, {.stall = 3}), fma(1, 0, {.stall = 1}), exit()}),
              Texts({"FFMA (10) reads R0 1 cycles before FFMA (0) has written it"}));
    const auto compare = [](uint8_t stall) { return make("ISETP", {.stall = stall}, {to(predicate(0)), reg(1)}); };
    EXPECT_EQ(found({compare(13), guarded(branch(2), 0), exit()}), Texts());
    EXPECT_EQ(found({compare(12), guarded(branch(2), 0), exit()}),
              Texts({"BRA (10) reads P0 1 cycles before ISETP (0) has written it"}));
}

TEST(Scoreboards, WhatIsPendingOnOnePathIsPendingWherePathsMeet) {
    const Control sets{.stall = 2, .write_barrier = 3};
    const auto either = [&](Control after) { // only one of two paths waits
        return found({guarded(branch(3), 0), load(0, sets), fma(4, 0, after), fma(1, 0, {.stall = 5}), exit()});
    };
    EXPECT_EQ(either({.stall = 5, .wait_mask = 1 << 3}), Texts());
    EXPECT_EQ(found({load(0, sets), guarded(branch(3), 0), fma(4, 1, {.stall = 5, .wait_mask = 1 << 3}),
                     fma(1, 0, {.stall = 5}), exit()}),
              Texts({"FFMA (30) reads R0, which LDG (0) writes, without waiting for SB3"}));
}

TEST(Scoreboards, ALoopIsWaitedForAcrossItsEnd) {
    const Control sets{.stall = 2, .write_barrier = 3};
    EXPECT_EQ(found({fma(1, 0, {.stall = 5, .wait_mask = 1 << 3}), load(0, sets), guarded(branch(0), 0), exit()}),
              Texts());
    EXPECT_EQ(found({fma(1, 0, {.stall = 5}), load(0, sets), guarded(branch(0), 0), exit()}),
              Texts({"FFMA (0) reads R0, which LDG (10) writes, without waiting for SB3"}));
}

TEST(Scoreboards, ThreadsWithTheOtherPredicateHaveNothingPending) {
    const Control sets{.stall = 2, .write_barrier = 3};
    EXPECT_EQ(found({guarded(load(0, sets), 0), guarded(fma(0, 1, {.stall = 5}), 0, true), exit()}), Texts());
    const Instruction compare = make("ISETP", {.stall = 13}, {to(predicate(0)), reg(1)});
    EXPECT_EQ(found({guarded(load(0, sets), 0), compare, guarded(fma(0, 1, {.stall = 5}), 0, true), exit()}),
              Texts({"FFMA (20) overwrites R0, which LDG (0) writes, without waiting for SB3"}));
}

TEST(Scoreboards, AFunctionReturnsToWhoCalledIt) {
    const Control sets{.stall = 2, .write_barrier = 3};
    const Instruction call = make("CALL", {.stall = 5}, {label(4)}, Kind::branch);
    const Instruction ret = make("RET", {.stall = 5}, {}, Kind::branch);
    EXPECT_EQ(found({load(0, sets), call, fma(1, 0, {.stall = 5, .wait_mask = 1 << 3}), exit(), ret}), Texts());
    EXPECT_EQ(found({load(0, sets), call, fma(1, 0, {.stall = 5}), exit(), ret}),
              Texts({"FFMA (20) reads R0, which LDG (0) writes, without waiting for SB3"}));
}

TEST(Scoreboards, CodeThatGoesNowhereIsNoTrouble) {
    EXPECT_EQ(found({}), Texts());
    EXPECT_EQ(found({branch(0)}), Texts());
    EXPECT_EQ(found({branch(1000)}), Texts());
    EXPECT_EQ(found({make("RET", {}, {}, Kind::branch)}), Texts());
    EXPECT_EQ(found({make("CALL", {}, {label(0)}, Kind::branch)}), Texts()); // for ever
}

} // namespace
