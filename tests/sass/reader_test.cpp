// A whole cubin: every instruction with its lines, and bytes that are damaged.
#include "sass/reader.h"

#include "compile/compiler.h"
#include "recorded.h"
#include "sass/decoder.h"

#include <gtest/gtest.h>

#include <random>

namespace {

const char* source = "extern \"C\" __global__ void fused(const float* in, float* out) {\n"
                     "    __shared__ __align__(16) float s[128];\n"
                     "    s[threadIdx.x] = in[threadIdx.x];\n"
                     "    __syncthreads();\n"
                     "    float sum = 0;\n"
                     "    for (int i = 0; i < 4; ++i) sum += s[threadIdx.x * 4 + i];\n"
                     "    if (sum > 0) out[threadIdx.x] = sum;\n"
                     "}\n";

std::vector<std::byte> cubin(const std::string& arch) {
    auto compiled = compile::to_machine_code({source, "fused.cu", "", {}, arch});
    EXPECT_FALSE(compiled.failed);
    return compiled.value ? compiled.value->cubin : std::vector<std::byte>{};
}

TEST(Reader, FindsTheFusedLoadWithItsLines) {
    for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
        SCOPED_TRACE(arch);
        auto listing = sass::read(cubin(arch), "fused");
        ASSERT_TRUE(listing) << listing.error().sentence();
        EXPECT_EQ("sm_" + std::to_string((*listing)->sm), arch);
        int loads = 0, exits = 0, stores = 0;
        for (const trace::MachineInstruction& i : (*listing)->instructions) {
            EXPECT_NE(i.opcode, "") << i.code;
            exits += i.kind == trace::Kind::exit;
            if (i.opcode == "STG") {
                ++stores;
                EXPECT_EQ(i.source_line, 7);
            }
            if (i.opcode != "LDS") continue;
            ++loads;
            EXPECT_EQ(i.bytes, 16); // four loads of 4 bytes
            EXPECT_EQ(i.source_line, 6);
            ASSERT_LE(i.ptx_line, static_cast<int>((*listing)->ptx.size()));
            ASSERT_GE(i.ptx_line, 1);
            EXPECT_EQ((*listing)->ptx[static_cast<size_t>(i.ptx_line) - 1].substr(0, 9), "ld.shared");
        }
        EXPECT_EQ(loads, 1);
        EXPECT_EQ(stores, 1);
        EXPECT_GE(exits, 1);
    }
}

// What scripts/counters/machine_code.py made of nvdisasm's text.
TEST(Reader, TellsTheFactsThatNvdisasmTells) {
    size_t count = 0;
    for (const std::vector<std::string>& row : recorded::rows("machine_code.csv")) {
        if (row[0] != "instruction") continue;
        const sass::Word word{std::stoull(row[3], nullptr, 16), std::stoull(row[4], nullptr, 16)};
        const auto facts = sass::facts_of(sass::decode(std::stoi(row[1]), word, std::stoull(row[2], nullptr, 16)));
        EXPECT_EQ(recorded::what(facts), row[5]) << "sm_" << row[1] << ' ' << row[3] << ' ' << row[4];
        ++count;
    }
    EXPECT_GT(count, 1500u);
}

TEST(Reader, NamesWhatIsMissing) {
    auto other = sass::read(cubin("sm_90"), "other");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().what.english().find("no kernel other"), std::string::npos);
    EXPECT_FALSE(sass::read({}, "fused"));
}

TEST(Reader, SurvivesDamage) {
    const std::vector<std::byte> whole = cubin("sm_90");
    ASSERT_FALSE(whole.empty());
    std::mt19937 random(3);
    const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    int read = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::byte> damaged = whole;
        if (round % 3 == 0) damaged.resize(below(whole.size()));
        for (size_t hits = round % 3 == 1 ? 1 : 20; hits > 0 && !damaged.empty(); --hits)
            damaged[below(damaged.size())] = static_cast<std::byte>(below(256));
        if (round % 3 == 2) // where sections, symbols and lines are said to lie
            for (size_t at = 0x28; at < 0x40; ++at)
                damaged[at] = below(4) ? whole[at] : static_cast<std::byte>(below(256));
        if (auto listing = sass::read(damaged, "fused")) {
            ++read;
            for (const trace::MachineInstruction& i : (*listing)->instructions)
                ASSERT_LT(i.target, static_cast<int64_t>((*listing)->instructions.size()));
        }
    }
    EXPECT_GT(read, 300);
}

} // namespace
