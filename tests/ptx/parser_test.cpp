#include "ptx/parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

namespace {

const char* header = ".version 8.0\n.target sm_90\n.address_size 64\n";

ptx::Module parsed(const std::string& text) {
    auto m = ptx::parse(text);
    EXPECT_TRUE(m.ok());
    return m ? *m : ptx::Module{};
}

TEST(Parser, ReadsAKernelWithItsParametersRegistersAndLines) {
    const auto m = parsed(std::string(header) + R"(
.visible .entry _Z1kPf(
	.param .u64 _Z1kPf_param_0,
	.param .align 4 .b8 _Z1kPf_param_1[12]
)
.maxntid 256, 1, 1
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<4>;
	.loc	1 7 3
	@!%p1 fma.rn.f32 	%f3, %f1, 0f3FC00000, %f2;
	.loc	2 449 9, function_name $L__info, inlined_at 1 28 3
	ret;
}
	.file	1 "kernel.cu"
)");
    ASSERT_EQ(m.functions.size(), 1u);
    const ptx::Function& f = m.functions[0];
    EXPECT_TRUE(f.entry);
    EXPECT_EQ(f.name, "_Z1kPf");
    EXPECT_EQ(m.target, "sm_90");
    EXPECT_EQ(m.files.at(1), "kernel.cu");
    ASSERT_EQ(f.parameters.size(), 2u);
    EXPECT_EQ(m.variables[static_cast<size_t>(f.parameters[1])].bytes, 12u);
    ASSERT_EQ(f.instructions.size(), 2u);
    EXPECT_EQ(f.instructions[0].source_line, 7);
    EXPECT_EQ(f.instructions[1].source_line, 28) << "inlined code counts at its call";
    EXPECT_EQ(f.instructions[1].kernel_line, 28);
    EXPECT_EQ(f.instructions[1].own_line, 0) << "it is written in another file";
    EXPECT_EQ(f.instructions[0].line, 14);
    EXPECT_EQ(print(m, f, f.instructions[0]), "@!%p1 fma.rn.f32 %f3, %f1, 0f3FC00000, %f2;");
    EXPECT_TRUE(m.unknown.empty());
}

// read() in pieces() in the kernel: once from line 30, then, after both were called from line 31, from one of the two.
TEST(Parser, InlinedCodeKnowsItsOwnLineItsCallAndTheKernels) {
    const auto m = parsed(std::string(header) + R"(
.visible .entry k() {
	.loc	1 30 9
	.loc	1 20 5, function_name $L__info, inlined_at 1 30 9
	.loc	1 10 3, function_name $L__info1, inlined_at 1 20 5
	ret;
	.loc	1 31 9
	.loc	1 20 5, function_name $L__info, inlined_at 1 31 9
	.loc	1 10 3, function_name $L__info1, inlined_at 1 20 5
	ret;
	.loc	1 20 5, function_name $L__info, inlined_at 1 31 9
	ret;
	.loc	1 32 9
	ret;
}
	.file	1 "kernel.cu"
)");
    const auto& code = m.functions[0].instructions;
    ASSERT_EQ(code.size(), 4u);
    const auto lines = [](const ptx::Instruction& i) { return std::array{i.own_line, i.source_line, i.kernel_line}; };
    EXPECT_EQ(lines(code[0]), (std::array{10, 20, 30}));
    EXPECT_EQ(lines(code[1]), (std::array{10, 20, 30})) << "nobody says from which of the two calls: the first";
    EXPECT_EQ(lines(code[2]), (std::array{20, 31, 31}));
    EXPECT_EQ(lines(code[3]), (std::array{32, 32, 32}));
}

TEST(Parser, ReadsCallsThroughRegistersAndTheirTargets) {
    const auto m = parsed(std::string(header) + R"(
.visible .func (.param .b32 r) f(.param .b32 a);
.global .align 8 .u64 table[2] = {f, 0};
.visible .entry k() {
	.reg .b64 %rd<2>; .reg .b32 f1;
	mov.u64 %rd1, f;
	{ .param .b32 p0; .param .b32 r0;
	proto: .callprototype (.param .b32 _) _ (.param .b32 _);
	call (r0),
	%rd1,
	(p0)
	, proto;
	listed: .calltargets f;
	call (r0), %rd1, (p0), listed;
	call %rd1, proto; }
	wrong: .calltargets g;
	call (r0), %rd1, (p0) proto;
	ret;
}
.visible .func (.param .b32 r) f(.param .b32 a) { ret; }
)");
    ASSERT_EQ(m.unknown.size(), 2u);
    EXPECT_EQ(m.unknown[0].why.english(), "a call target is not a function");
    const auto table =
        std::find_if(m.variables.begin(), m.variables.end(), [](const ptx::Variable& v) { return v.name == "table"; });
    ASSERT_NE(table, m.variables.end());
    EXPECT_EQ(table->pointers.at(0).name, "f");
    const ptx::Function& k = m.functions[1];
    EXPECT_EQ(k.instructions[0].operands[1].kind, ptx::OperandKind::function);
    EXPECT_EQ(k.instructions[0].operands[1].index, 0);
    EXPECT_EQ(print(m, k, k.instructions[1]), "call (r0), %rd1, (p0), proto;");
    EXPECT_EQ(k.labels[static_cast<size_t>(k.instructions[2].operands[3].index)].functions, std::vector<int32_t>{0});
    EXPECT_EQ(print(m, k, k.instructions[3]), "call %rd1, proto;");
}

TEST(Parser, ReadsPartsOfRegistersWhereAnInstructionTakesThem) {
    const auto m = parsed(std::string(header) + R"(
.entry k() {
	.reg .b32 %r<4>;
	vadd.u32.u32.u32.sat %r1.b2, %r2.h1, %r3.b0, %r1;
	vadd4.s32.s32.s32 %r1.b310, %r2.b7654, %r3, %r1;
	vadd.u32.u32.u32 %r1, %r2.h4, %r3;
	add.u32 %r1, %r2.h1, %r3;
}
)");
    ASSERT_EQ(m.functions[0].instructions.size(), 4u);
    const auto& scalar = m.functions[0].instructions[0];
    EXPECT_EQ(scalar.operands[0].part.bits, 8);
    EXPECT_EQ(scalar.operands[1].part.bits, 16);
    EXPECT_EQ(scalar.operands[1].part.number[0], 1);
    EXPECT_EQ(m.functions[0].instructions[1].operands[0].part.number[2], 3) << "the last one written comes first";
    EXPECT_EQ(print(m, m.functions[0], m.functions[0].instructions[1]),
              "vadd4.s32.s32.s32 %r1.b310, %r2.b7654, %r3, %r1;");
    EXPECT_EQ(m.unknown.size(), 2u);
}

TEST(Parser, UnknownStatementsAreValuesAndParsingGoesOn) {
    const auto m = parsed(std::string(header) + R"(
.entry k() {
	.reg .b32 %r<3>;
	frobnicate.b32 %r1, {%r2, %r2};
	add.wibble.s32 %r1, %r1, %r2;
	add.s32 %r1, %r2;
	add.s32 %r1, %r2, %r9;
	add.s32 %r1, %r2, 3;
	tex.2d.v4.f32.f32 {%r1, %r1, %r1, %r1}, [%r2, {%r1, %r2}];
}
)");
    ASSERT_EQ(m.unknown.size(), 5u);
    EXPECT_EQ(m.unknown[0].line, 7);
    EXPECT_EQ(m.unknown[0].text, "frobnicate.b32 %r1, {%r2, %r2};");
    EXPECT_EQ(m.unknown[0].why.english(), "frobnicate.b32 is not in the table of instructions");
    EXPECT_EQ(m.unknown[1].why.english(), "add does not take .wibble");
    EXPECT_NE(m.unknown[4].why.english().find("there are no textures"), std::string::npos)
        << m.unknown[4].why.english();
    ASSERT_EQ(m.functions[0].instructions.size(), 6u);
    EXPECT_EQ(m.functions[0].instructions[4].opcode, ptx::Opcode::add);
}

TEST(Parser, LabelsBelongToTheirBlock) {
    const auto m = parsed(std::string(header) + R"(
.entry k() {
	.reg .pred %p; .reg .b32 %r;
	{ WAIT: @%p bra DONE; bra.uni WAIT; DONE: }
	mov.u32 %r, 1;
	{ WAIT: @%p bra DONE; { @%p bra END; bra.uni WAIT; } DONE: }
	END: ret;
}
)");
    EXPECT_TRUE(m.unknown.empty());
    const ptx::Function& f = m.functions[0];
    std::vector<int32_t> targets;
    for (const ptx::Instruction& i : f.instructions)
        if (i.opcode == ptx::Opcode::bra) targets.push_back(f.labels[static_cast<size_t>(i.operands[0].index)].target);
    EXPECT_EQ(targets, (std::vector<int32_t>{2, 0, 6, 6, 3}));
}

TEST(Parser, ConstantsAreExpressions) {
    const auto m = parsed(std::string(header) + R"(
.entry k() {
	.reg .b32 %r; .reg .b64 %w;
	mov.u32 %r, (0xf0 & 0xcc) | 0xaa;
	mov.u32 %r, -3 + 2 * 4;
	mov.u32 %r, 1 << 4 | ~0;
	mov.u32 %r, 100 / (7 - 2) - 18;
	ld.global.u32 %r, [%w + 4 * (2 + 1)];
	mov.u32 %r, 1 / 0;
}
)");
    ASSERT_EQ(m.unknown.size(), 1u) << "a division by zero";
    const auto& code = m.functions[0].instructions;
    for (const auto& [n, value] : {std::pair<size_t, int64_t>{0, 0xea}, {1, 5}, {2, -1}, {3, 2}})
        EXPECT_EQ(static_cast<int64_t>(code[n].operands[1].bits), value) << n;
    EXPECT_EQ(code[4].operands[1].offset, 12);
}

TEST(Parser, TextWithoutVersionIsNoPtx) {
    EXPECT_FALSE(ptx::parse("int main() {}").ok());
    EXPECT_FALSE(ptx::parse("").ok());
}

TEST(InstructionTable, MnemonicsAreUniqueAndLongestWins) {
    for (const ptx::Row& row : ptx::rows()) {
        EXPECT_EQ(ptx::find_row(row.mnemonic)->opcode, row.opcode) << row.mnemonic;
        EXPECT_FALSE(row.section.empty());
    }
    EXPECT_EQ(ptx::find_row("cp.async.wait_group")->opcode, ptx::Opcode::cp_async_wait_group);
    EXPECT_EQ(ptx::find_row("cp.async.cg.shared.global")->opcode, ptx::Opcode::cp_async);
    EXPECT_EQ(ptx::find_row("address"), nullptr);
}

// The module's text with each instruction that begins and ends on one line as it is printed. `replaced`: how many these are.
std::string reprinted(const ptx::Module& m, size_t& replaced) {
    std::vector<std::string> lines;
    std::istringstream text(m.text);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    std::map<int, size_t> done; // up to here the line is what was printed
    for (const ptx::Function& f : m.functions)
        for (const ptx::Instruction& i : f.instructions) {
            std::string& line = lines.at(static_cast<size_t>(i.line) - 1);
            size_t& from = done[i.line];
            const size_t mnemonic = line.find(i.mnemonic, from), end = line.find(';', mnemonic);
            if (mnemonic == line.npos || end == line.npos) continue;
            const size_t begin = i.guard >= 0 ? line.find('@', from) : mnemonic;
            const std::string printed = print(m, f, i);
            line.replace(begin, end + 1 - begin, printed);
            from = begin + printed.size();
            ++replaced;
        }
    std::string result;
    for (const std::string& line : lines) result += line + "\n";
    return result;
}

std::vector<std::string> printed(const ptx::Module& m) {
    std::vector<std::string> result;
    for (const ptx::Function& f : m.functions)
        for (const ptx::Instruction& i : f.instructions) result.push_back(print(m, f, i));
    return result;
}

// Printing an instruction and parsing it again changes nothing.
TEST(Printer, IsReadBack) {
    size_t instructions = 0, replaced = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TEST_DATA) + "/ptx")) {
        if (entry.path().extension() != ".ptx") continue;
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        const auto m = parsed(text.str());
        const auto again = parsed(reprinted(m, replaced));
        EXPECT_EQ(again.unknown.size(), m.unknown.size()) << entry.path();
        EXPECT_EQ(printed(again), printed(m)) << entry.path();
        instructions += printed(m).size();
    }
    EXPECT_GT(instructions, 10000u);
    EXPECT_EQ(replaced, instructions);
}

} // namespace
