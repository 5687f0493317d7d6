// The decoder against nvdisasm: every form of instruction that nvdisasm printed, on seven architectures.
#include "sass/decoder.h"

#include "recorded.h"

#include <gtest/gtest.h>

namespace {

TEST(Decoder, ReadsWhatNvdisasmReads) {
    size_t count = 0;
    for (const std::vector<std::string>& row : recorded::rows("machine_code.csv")) {
        if (row[0] != "instruction") continue;
        const sass::Word word{std::stoull(row[3], nullptr, 16), std::stoull(row[4], nullptr, 16)};
        const auto index = static_cast<uint32_t>(std::stoul(row[2], nullptr, 16) / sass::instruction_bytes);
        EXPECT_EQ(recorded::what(sass::decode(std::stoi(row[1]), word, index)), row[5])
            << "sm_" << row[1] << ' ' << row[3] << ' ' << row[4];
        ++count;
    }
    EXPECT_GT(count, 1500u);
}

TEST(Decoder, AnOpcodeItDoesNotKnowHasNoName) {
    const trace::MachineInstruction i = sass::decode(90, {0x71FF, 0}, 0);
    EXPECT_EQ(i.opcode, "");
    EXPECT_EQ(i.code, 0x1FF);
    EXPECT_TRUE(i.writes_predicates);
}

TEST(Decoder, TheSameNumberIsAnotherInstructionOnANewerArchitecture) {
    EXPECT_EQ(sass::decode(90, {0x7235, 0}, 0).opcode, "HFMA2");
    EXPECT_EQ(sass::decode(120, {0x7235, 0}, 0).opcode, "IADD");
}

} // namespace
