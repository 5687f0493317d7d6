// The decoder and the printer against nvdisasm: every form of instruction that it printed, on seven architectures.
#include "sass/decoder.h"
#include "sass/form.h"
#include "sass/printer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace {

struct Recorded {
    int sm = 0;
    uint64_t address = 0, times = 0; // how often the like of it stands in the kernels
    sass::Word word;
    std::string text;
};

// tests/data/sass/instructions.csv: one instruction of each shape, made by scripts/counters/instructions.py.
std::vector<Recorded> recorded() {
    std::ifstream input(TEST_DATA "/sass/instructions.csv");
    std::vector<Recorded> all;
    for (std::string line; std::getline(input, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        std::string sm, address, low, high, times, text;
        for (std::string* field : {&sm, &address, &low, &high, &times}) std::getline(fields, *field, ';');
        std::getline(fields, text);
        all.push_back({std::stoi(sm),
                       std::stoull(address, nullptr, 16),
                       std::stoull(times),
                       {std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)},
                       text});
    }
    return all;
}

// Opcodes that the table does not have, or whose bits it does not all explain. None of them stands in a kernel for matrix products
// of the catalogue.
const std::set<std::string> unknown = {"CCTL", "IGMMA"};

TEST(Decoder, PrintsWhatNvdisasmPrints) {
    std::map<int, std::pair<uint64_t, uint64_t>> equal; // of all, by architecture
    for (const Recorded& r : recorded()) {
        const sass::Instruction i = sass::decode(r.sm, r.word, r.address);
        equal[r.sm].second += r.times;
        if (!i.known()) {
            std::string opcode = r.text.substr(r.text[0] == '@' ? r.text.find(' ') + 1 : 0);
            opcode = opcode.substr(0, opcode.find_first_of(". "));
            EXPECT_TRUE(unknown.contains(opcode)) << r.text;
            continue;
        }
        EXPECT_EQ(sass::print(i), r.text) << fmt::format("sm_{} {:016x} {:016x}", r.sm, r.word.low, r.word.high);
        equal[r.sm].first += r.times;
    }
    ASSERT_EQ(equal.size(), 6u);
    for (const auto& [sm, counted] : equal)
        EXPECT_GE(static_cast<double>(counted.first), 0.9999 * static_cast<double>(counted.second)) << "sm_" << sm;
}

TEST(Decoder, EveryRowStandsInTheRecord) {
    std::set<const sass::Form*> seen;
    for (const Recorded& r : recorded()) seen.insert(sass::find_form(r.sm, r.word));
    for (const sass::Form& form : sass::forms())
        EXPECT_TRUE(seen.contains(&form))
            << fmt::format("{:03x} {} from sm_{} on", form.code, form.opcode, form.first_sm);
}

TEST(Decoder, ABulkCopySaysWhereItLeads) {
    std::set<std::string> told;
    for (const Recorded& r : recorded()) {
        const sass::Instruction i = sass::decode(r.sm, r.word, r.address);
        if (i.kind != trace::Kind::bulk_copy) continue;
        const bool to_shared = i.opcode == "UTMALDG" || r.text.find(std::string(i.opcode) + ".S.") != r.text.npos;
        EXPECT_EQ(i.space, to_shared ? trace::Space::shared : trace::Space::global) << r.text;
        told.insert(std::string(i.opcode) + (to_shared ? " to shared" : " to global"));
    }
    EXPECT_EQ(told,
              (std::set<std::string>{"UBLKCP to global", "UBLKCP to shared", "UBLKRED to global", "UBLKRED to shared",
                                     "UTMALDG to shared", "UTMAREDG to global", "UTMASTG to global"}));
}

TEST(Decoder, AnOpcodeItDoesNotKnowHasNoName) {
    const sass::Instruction i = sass::decode(90, {0x71FF, 0}, 0);
    EXPECT_FALSE(i.known());
    EXPECT_TRUE(i.operands.empty());
    EXPECT_EQ(sass::print(i), ".dword 0x00000000000071ff, 0x0000000000000000");
}

TEST(Decoder, AValueItDoesNotKnowMakesTheWordUnknown) {
    EXPECT_TRUE(sass::decode(90, {0x7308, 0}, 0).known());          // MUFU.COS
    EXPECT_FALSE(sass::decode(90, {0x7308, 0xF << 10}, 0).known()); // a function that there is not
}

TEST(Decoder, TheSameNumberIsAnotherInstructionOnANewerArchitecture) {
    EXPECT_EQ(sass::decode(90, {0x7235, 0}, 0).opcode, "HFMA2");
    EXPECT_EQ(sass::decode(120, {0x7235, 0}, 0).opcode, "IADD");
}

TEST(Decoder, OperandsSayWhatAnExecutorNeeds) {
    const sass::Instruction fma =
        sass::decode(90, {0x000000100d107223, 0x044fe20000000110}, 0); // FFMA R16, -R13.reuse, R16, R16
    ASSERT_EQ(fma.operands.size(), 4u) << sass::print(fma);
    EXPECT_TRUE(fma.operands[0].written);
    EXPECT_EQ(fma.operands[0].number, 16);
    EXPECT_TRUE(fma.operands[1].negated);
    EXPECT_TRUE(fma.operands[1].reuse);
    EXPECT_FALSE(fma.operands[2].written);

    const sass::Instruction load = sass::decode(90, {0x0000100402007981, 0x0000a8000c1e1d00}, 0);
    EXPECT_EQ(sass::print(load), "LDG.E.128 R0, desc[UR4][R2.64+0x10]");
    EXPECT_EQ(load.operands[1].registers, 4);
    const sass::Operand& address = load.operands[2];
    EXPECT_EQ(address.kind, sass::OperandKind::memory);
    EXPECT_EQ(address.registers, 2);
    EXPECT_EQ(address.base, 2);
    EXPECT_EQ(address.descriptor, 4);
    EXPECT_EQ(address.uniform, sass::Operand::none);
    EXPECT_EQ(address.value, 16);
}

// Registers of the operands of the first recorded instruction whose text holds `opcode`.
std::vector<int> widths(std::string_view opcode) {
    for (const Recorded& r : recorded()) {
        if (r.text.find(opcode) == r.text.npos) continue;
        std::vector<int> found;
        for (const sass::Operand& o : sass::decode(r.sm, r.word, r.address).operands)
            if (o.kind == sass::OperandKind::register_) found.push_back(o.registers);
        return found;
    }
    return {};
}

TEST(Decoder, OperandsSayHowManyRegistersTheyTake) {
    using Widths = std::vector<int>;
    EXPECT_EQ(widths("HMMA.16816.F32 "), (Widths{4, 4, 2, 4}));
    EXPECT_EQ(widths("HMMA.16816.F16 "), (Widths{2, 4, 2, 2}));
    EXPECT_EQ(widths("HMMA.1688.F32.TF32 "), (Widths{4, 4, 2, 4}));
    EXPECT_EQ(widths("HMMA.SP.16832.F32 "), (Widths{4, 4, 4, 4, 1}));
    EXPECT_EQ(widths("IMMA.8816.S8.S8 "), (Widths{2, 1, 1, 2}));
    EXPECT_EQ(widths("IMMA.16832.S8.U8 "), (Widths{4, 4, 2, 4}));
    EXPECT_EQ(widths("DMMA.16x8x16 "), (Widths{8, 16, 8, 8}));
    EXPECT_EQ(widths("HGMMA.64x128x16.F32.BF16 R24, gdesc"), (Widths{64, 64}));
    EXPECT_EQ(widths("HGMMA.64x32x16.F32.BF16 R40, -R56, gdesc"), (Widths{16, 4, 16}));
    EXPECT_EQ(widths("F2F.F64.F32 "), (Widths{2, 1}));
    EXPECT_EQ(widths("I2F.F64.S64 "), (Widths{2, 2}));
    EXPECT_EQ(widths("F2I.U64.TRUNC "), (Widths{2, 1}));
    EXPECT_EQ(widths("ATOMG.E.CAS.64.STRONG.GPU "), (Widths{2, 2, 2}));
    EXPECT_EQ(widths("IMAD.WIDE.U32 "), (Widths{2, 1, 1, 2}));
    EXPECT_EQ(widths("DFMA R"), (Widths{2, 2, 2, 2}));
    EXPECT_EQ(widths("LDSM.16.M88.4 "), (Widths{4}));
    EXPECT_EQ(widths("CS2R R"), (Widths{2}));
    EXPECT_EQ(widths("CS2R.32 R"), (Widths{1}));
}

TEST(Decoder, ControlSaysWhenAnInstructionIsIssued) {
    // Bits 105 to 125: stall 4, yield asked for, SB2 when written, none when read, waits for SB0 and SB3, operand A kept.
    const uint64_t control = 4 | 0ull << 4 | 2 << 5 | 7 << 8 | 9 << 11 | 1ull << 17;
    const sass::Instruction i = sass::decode(90, {0x7918, control << 41}, 0);
    EXPECT_EQ(i.control.stall, 4);
    EXPECT_TRUE(i.control.yield);
    EXPECT_EQ(i.control.write_barrier, 2);
    EXPECT_EQ(i.control.read_barrier, trace::Control::none);
    EXPECT_EQ(i.control.wait_mask, 9);
    EXPECT_EQ(i.control.reuse, 1);
    EXPECT_EQ(sass::print(i.control), "stall 4, yield, sets SB2 when written, waits for SB0 SB3");
}

} // namespace
