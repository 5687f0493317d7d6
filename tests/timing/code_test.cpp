// What the simulator makes of instructions, from their words as nvcc made them for sm_90.
#include "sass/decoder.h"
#include "sass/printer.h"
#include "timing/code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using timing::Does;
using timing::Op;
using timing::Pipe;

const timing::Machine machine;

Op op_of(sass::Word word) {
    const sass::Instruction i = sass::decode(90, word, 0);
    return timing::code_of({&i, 1}, machine).ops.at(0);
}

TEST(Code, PipesAndWhatInstructionsDo) {
    const struct {
        sass::Word word;
        const char* text;
        Pipe pipe;
        Does does;
        double interval;
        int registers = 1;
    } cases[] = {
        {{0x000000040c677223, 0x0c0fe20000000067}, "FFMA R103, R12.reuse, R4.reuse, R103", Pipe::fma, Does::compute, 1},
        {{0x0000000003037224, 0x000fc800078e0205}, "IMAD R3, R3, R0, R5", Pipe::fma, Does::compute, 2},
        {{0x00000000031a7225, 0x000fc600078e021a}, "IMAD.WIDE R26, R3, R0, R26", Pipe::fma, Does::compute, 4},
        {{0x0000000003037227, 0x000fc800078e00ff}, "IMAD.HI.U32 R3, R3, R0, RZ", Pipe::fma, Does::compute, 4},
        {{0x0000000003037210, 0x000fc40007ffe1ff}, "IADD3 R3, -R3, R0, RZ", Pipe::alu, Does::compute, 2},
        {{0x0000000104047890, 0x000fc4000fffe03f}, "UIADD3 UR4, UR4, 0x1, URZ", Pipe::uniform, Does::compute, 2},
        {{0x0000000000007308, 0x000e240000001000}, "MUFU.RCP R0, R0", Pipe::special, Does::compute, 8},
        {{0x0000000000027310, 0x000e240000201800}, "F2F.F64.F32 R2, R0", Pipe::special, Does::compute, 8.5},
        {{0x000000020410722b, 0x000fd00000000010}, "DFMA R16, R4, R2, R16", Pipe::fp64, Does::compute, 2},
        {{0x000000020808723c, 0x000fde0000041814},
         "HMMA.16816.F32.BF16 R8, R8, R2, R20",
         Pipe::tensor,
         Does::compute,
         6},
        {{0x000000000608723c, 0x004fe20000001008}, "HMMA.1688.F32 R8, R6, R0, R8", Pipe::tensor, Does::compute, 4},
        {{0x000000020808723c, 0x000fde0000081014},
         "HMMA.1688.F32.TF32 R8, R8, R2, R20",
         Pipe::tensor,
         Does::compute,
         6},
        {{0x000000000e10723c, 0x004fe20000085010},
         "HMMA.1684.F32.TF32 R16, R14, R0, R16",
         Pipe::tensor,
         Does::compute,
         4},
        {{0x000000100c0c723d, 0x008fee0000015404},
         "BMMA.168256.AND.POPC R12, R12.ROW, R16.COL, R4",
         Pipe::tensor,
         Does::compute,
         6},
        {{0x000000000c08723d, 0x008fe20000014c08},
         "BMMA.168128.AND.POPC R8, R12.ROW, R0.COL, R8",
         Pipe::tensor,
         Does::compute,
         4},
        {{0x000000020408723f, 0x040f620000001008}, "DMMA.16x8x4 R8, R4.reuse, R2, R8", Pipe::tensor, Does::compute, 16},
        {{0x000000281010723f, 0x004ea40000002018}, "DMMA.16x8x8 R16, R16, R40, R24", Pipe::tensor, Does::compute, 32},
        {{0x000000201008723f, 0x004e240000003008}, "DMMA.16x8x16 R8, R16, R32, R8", Pipe::tensor, Does::compute, 64},
        {{0x0000000000007984, 0x000e220000000800}, "LDS R0, [R0]", Pipe::memory, Does::shared, 2},
        {{0x0000000000087984, 0x002e680000000c00}, "LDS.128 R8, [R0]", Pipe::memory, Does::shared, 2, 4},
        {{0x0000000003007388, 0x0001e20000000800}, "STS [R3], R0", Pipe::memory, Does::shared, 4},
        {{0x0000000400007388, 0x0001e20000000c00}, "STS.128 [R0], R4", Pipe::memory, Does::shared, 10, 4},
        {{0x0000000402047981, 0x000ea2000c1e1d00}, "LDG.E.128 R4, desc[UR4][R2.64]", Pipe::memory, Does::global, 4, 4},
        {{0x000000000100c983, 0x000e220000100800}, "@!P4 LDL R0, [R1]", Pipe::memory, Does::global, 2},
        {{0x0000000002007986, 0x0001e2000c101904}, "STG.E desc[UR4][R2.64], R0", Pipe::memory, Does::store, 6},
        {{0x000000031e0079a6, 0x000fe8000c10e186},
         "REDG.E.ADD.F16x2.RN.STRONG.GPU desc[UR6][R30.64], R3",
         Pipe::memory,
         Does::store,
         6},
        {{0x00000000020b7fae, 0x0003e4000b901c48},
         "LDGSTS.E.BYPASS.128 [R11], desc[UR8][R2.64]",
         Pipe::memory,
         Does::copy_async,
         6,
         4},
        {{0x00000000000079af, 0x000e180000000000}, "LDGDEPBAR", Pipe::none, Does::commit, 1},
        {{0x0000000000007946, 0x000fea0003800000}, "YIELD", Pipe::none, Does::yield, 1},
        {{0x00000000030075a7, 0x000e24000800017f},
         "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3+URZ], R0",
         Pipe::none,
         Does::poll,
         1},
        {{0x000080000000791a, 0x000fc80000000000}, "DEPBAR.LE SB0, 0x0", Pipe::none, Does::wait_count, 1},
        {{0x00001f0005057589, 0x001e2400000e0000}, "SHFL.IDX PT, R5, R5, R0, 0x1f", Pipe::memory, Does::shuffle, 4},
        {{0x00000000ff037b82, 0x000e300000000800}, "LDC R3, c[0x0][RZ]", Pipe::memory, Does::constant, 2},
        {{0x0000000000007919, 0x000e220000002100}, "S2R R0, SR_TID.X", Pipe::memory, Does::compute, 2},
        {{0x0000000000007b1d, 0x000fe20000010000}, "BAR.SYNC.DEFER_BLOCKING 0x0", Pipe::none, Does::barrier, 1},
        {{0x0000000000040947, 0x000fea0003800000}, "@P0 BRA 0x20", Pipe::none, Does::branch, 1},
        {{0x000000000000094d, 0x000fea0003800000}, "@P0 EXIT", Pipe::none, Does::exit, 1},
        {{0x0000000000007918, 0x000fc00000000000}, "NOP", Pipe::none, Does::compute, 1},
        {{0x00200000041879f0, 0x000fe20008000818},
         "HGMMA.64x16x16.F32 R24, gdesc[UR4], R24, gsb0",
         Pipe::none,
         Does::group_product,
         8},
        {{0x00008000000079c5, 0x000fc40000010000}, "WARPGROUP.DEPBAR.LE gsb0, 0x0", Pipe::none, Does::group_wait, 1},
        {{0, 0}, "", Pipe::alu, Does::compute, 2}, // not in the table
    };
    for (const auto& c : cases) {
        const sass::Instruction i = sass::decode(90, c.word, 0);
        if (i.known()) {
            EXPECT_EQ(sass::print(i), c.text);
        }
        const Op op = op_of(c.word);
        EXPECT_EQ(op.pipe, c.pipe) << c.text;
        EXPECT_EQ(op.does, c.does) << c.text;
        EXPECT_NEAR(op.interval, c.interval, 0.5) << c.text;
        EXPECT_EQ(op.registers, c.registers) << c.text;
    }
}

TEST(Code, ControlFieldsAreTheInstructions) {
    const sass::Word word{0x000000201008723f, 0x004e240000003008};
    const sass::Instruction i = sass::decode(90, word, 0);
    const Op op = op_of(word);
    EXPECT_EQ(op.stall, i.control.stall);
    EXPECT_EQ(op.wait_mask, i.control.wait_mask);
    EXPECT_EQ(op.write_barrier, i.control.write_barrier);
    EXPECT_EQ(op.read_barrier, i.control.read_barrier);
    EXPECT_NE(op.wait_mask, 0);
    EXPECT_EQ(op.write_barrier, 0);
    EXPECT_EQ(op.read_barrier, trace::Control::none);
}

TEST(Code, WhatL2AnswersAndNotL1) {
    EXPECT_TRUE(op_of({0x00000000020b7fae, 0x0003e4000b901c48}).past_l1);  // LDGSTS.E.BYPASS.128
    EXPECT_FALSE(op_of({0x0000000002057fae, 0x0001e2000b92184a}).past_l1); // LDGSTS.E
    EXPECT_TRUE(op_of({0x00000000020073a9, 0x001ea400001ee105}).past_l1);  // ATOMG.E.CAS.STRONG.GPU
    EXPECT_FALSE(op_of({0x0000000402007980, 0x000ea4000c10b900}).past_l1); // LD.E.STRONG.SM
    EXPECT_FALSE(op_of({0x0000000402047981, 0x000ea2000c1e1d00}).past_l1); // LDG.E.128
}

// "R12.reuse@0 R4.reuse@1 R103@2"
std::string reads(const Op& op) {
    std::string text;
    for (uint8_t n = 0; n < op.read_count; ++n) {
        const Op::Read& r = op.reads[n];
        text += fmt::format("{}R{}{}{}@{}", n ? " " : "", r.number, r.count > 1 ? fmt::format("x{}", r.count) : "",
                            r.reuse ? ".reuse" : "", r.place);
    }
    return text;
}

TEST(Code, RegistersThatAreReadByPlace) {
    const struct {
        sass::Word word;
        const char* reads;
    } cases[] = {
        {{0x000000040c677223, 0x0c0fe20000000067}, "R12.reuse@0 R4.reuse@1 R103@2"}, // FFMA
        {{0x0000000205247223, 0x050fe200000000ff}, "R5.reuse@0 R2@1"},               // and RZ
        {{0x00000000031a7225, 0x000fc600078e021a}, "R3@0 R0@1 R26x2@2"},             // IMAD.WIDE
        {{0x000000020410722b, 0x000fd00000000010}, "R4x2@0 R2x2@1 R16x2@2"},         // DFMA
        {{0x000000020808723c, 0x000fde0000041814}, "R8x4@0 R2x2@1 R20x4@2"},         // HMMA
        {{0x0000000400007388, 0x0001e20000000c00}, "R0@0 R4x4@1"},                   // STS.128
        {{0x0000000402047981, 0x000ea2000c1e1d00}, "R2x2@0"},                        // LDG
        {{0x0000000000007919, 0x000e220000002100}, ""},                              // S2R
        {{0x0000000104047890, 0x000fc4000fffe03f}, ""},                              // UIADD3: no such registers
    };
    for (const auto& c : cases) EXPECT_EQ(reads(op_of(c.word)), c.reads);
}

TEST(Code, RegistersThatAnAccessSends) {
    EXPECT_EQ(op_of({0x0000000000087984, 0x002e680000000c00}).sent, 1); // LDS.128: its address
    EXPECT_EQ(op_of({0x0000000400007388, 0x0001e20000000c00}).sent, 5); // STS.128
}

TEST(Code, LatenciesThatScoreboardsGuard) {
    EXPECT_EQ(op_of({0x0000000000007308, 0x000e240000001000}).latency, machine.special_latency);           // MUFU
    EXPECT_EQ(op_of({0x0000000000007919, 0x000e220000002100}).latency, machine.special_register_latency);  // S2R
    EXPECT_EQ(op_of({0x000000281010723f, 0x004ea40000002018}).latency, 32 + machine.fp64_product_latency); // DMMA
    // HGMMA of 16 columns; and of 64, A in registers
    EXPECT_EQ(op_of({0x00200000041879f0, 0x000fe20008000818}).latency, 8 + machine.group_product_latency);
    EXPECT_EQ(op_of({0x04e000083c187df0, 0x000fe60008002818}).latency, 32 + machine.register_product_latency);
}

sass::Instruction bar(std::vector<std::string_view> modifiers, std::vector<int64_t> numbers) {
    sass::Instruction i;
    i.opcode = "BAR";
    i.kind = trace::Kind::barrier;
    i.modifiers = std::move(modifiers);
    for (const int64_t n : numbers) {
        sass::Operand o;
        o.value = n;
        i.operands.push_back(o);
    }
    return i;
}

TEST(Code, FormsOfBarriersAndDepbars) {
    const std::vector<sass::Instruction> forms = {bar({"SYNC", "DEFER_BLOCKING"}, {0}), bar({"SYNC"}, {1, 128}),
                                                  bar({"ARV"}, {2, 256}), bar({"SYNC"}, {}), bar({"SYNC"}, {-1, -32})};
    const timing::Code code = timing::code_of(forms, machine);
    const struct {
        int number, warps;
        bool arrives;
    } expected[] = {{0, 0, false}, {1, 4, false}, {2, 8, true}, {0, 0, false}};
    for (size_t n = 0; n < std::size(expected); ++n) {
        EXPECT_EQ(code.ops[n].does, Does::barrier);
        EXPECT_EQ(code.ops[n].barrier, expected[n].number) << n;
        EXPECT_EQ(code.ops[n].barrier_warps, expected[n].warps) << n;
        EXPECT_EQ(code.ops[n].arrives_only, expected[n].arrives) << n;
    }
    EXPECT_LT(code.ops[4].barrier, 16);
    // DEPBAR.LE SB0, 0x1 and SB3, 0x2: bits 44 and 38 of the word.
    for (const uint64_t scoreboard : {0, 3})
        for (const uint64_t left : {0, 1, 2}) {
            const Op op = op_of({0x000080000000791a | scoreboard << 44 | left << 38, 0x000fc80000000000});
            EXPECT_EQ(op.counted_scoreboard, scoreboard);
            EXPECT_EQ(op.left, left);
        }
    EXPECT_EQ(op_of({0x00008000000079c5, 0x000fe40000010100}).left, 1); // WARPGROUP.DEPBAR.LE gsb0, 0x1
}

} // namespace
