// A cubin as an executor reads it: parameters, banks, variables, jump tables; and bytes that are damaged.
#include "sass/module.h"

#include "compile/compiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

const char* source =
    "__constant__ float factors[4] = {1, 2, 3, 4};\n"
    "__device__ int counter = 7;\n"
    "__device__ int zeros[8];\n"
    "struct Pair { int a; double b; };\n"
    "extern \"C\" __global__ void __launch_bounds__(96) choose(char c, Pair p, const float* in, float* out) {\n"
    "    __shared__ float s[32];\n"
    "    s[threadIdx.x] = in[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    float x = s[31 - threadIdx.x] * factors[c & 3];\n"
    "    switch (p.a) {\n"
    "    case 0: x += in[5]; break;\n"
    "    case 1: x *= in[9]; break;\n"
    "    case 2: x -= out[3]; break;\n"
    "    case 3: x = sqrtf(x); break;\n"
    "    case 4: x /= in[7]; break;\n"
    "    case 5: x = x * x; break;\n"
    "    case 6: counter += 1; break;\n"
    "    case 7: zeros[c] = 1; break;\n"
    "    default: x = static_cast<float>(p.b);\n"
    "    }\n"
    "    out[threadIdx.x] = x;\n"
    "}\n";

std::vector<std::byte> cubin(const std::string& arch) {
    auto compiled = compile::to_machine_code({source, "choose.cu", "", {}, arch});
    EXPECT_FALSE(compiled.failed);
    return compiled.value ? compiled.value->cubin : std::vector<std::byte>{};
}

TEST(Module, SaysWhereTheParametersLie) {
    for (const auto& [arch, at] :
         {std::pair{"sm_75", 0x160u}, {"sm_80", 0x160u}, {"sm_90", 0x210u}, {"sm_120", 0x380u}}) {
        SCOPED_TRACE(arch);
        auto module = sass::read_module(cubin(arch), "choose");
        ASSERT_TRUE(module) << module.error().sentence();
        EXPECT_EQ(module->parameters_at, at);
        EXPECT_EQ(module->parameter_bytes, 40u);
        ASSERT_EQ(module->parameters.size(), 4u);
        const uint32_t offsets[] = {0, 8, 24, 32}, bytes[] = {1, 16, 8, 8};
        for (uint32_t i = 0; i < 4; ++i) {
            EXPECT_EQ(module->parameters[i].ordinal, i);
            EXPECT_EQ(module->parameters[i].offset, offsets[i]);
            EXPECT_EQ(module->parameters[i].bytes, bytes[i]);
        }
    }
}

TEST(Module, SaysWhatMemoryTheKernelHas) {
    auto module = sass::read_module(cubin("sm_90"), "choose");
    ASSERT_TRUE(module) << module.error().sentence();
    EXPECT_EQ(module->shared_bytes, 1024u + 128);
    EXPECT_EQ(module->max_threads[0], 96u);
    EXPECT_GT(module->registers, 0u);
    const auto variable = [&](std::string_view name) {
        return std::find_if(module->variables.begin(), module->variables.end(),
                            [&](const sass::Variable& v) { return v.name == name; });
    };
    ASSERT_NE(variable("counter"), module->variables.end());
    ASSERT_EQ(variable("counter")->first.size(), 4u);
    EXPECT_EQ(variable("counter")->first[0], std::byte{7});
    ASSERT_NE(variable("zeros"), module->variables.end());
    EXPECT_EQ(variable("zeros")->bytes, 32u);
    EXPECT_TRUE(variable("zeros")->first.empty());
    const auto bank = [&](int number) {
        return std::find_if(module->banks.begin(), module->banks.end(),
                            [&](const sass::ConstantBank& b) { return b.number == number; });
    };
    ASSERT_NE(bank(3), module->banks.end());
    EXPECT_EQ(bank(3)->contents.size(), 16u);
    ASSERT_NE(bank(4), module->banks.end()); // the addresses of the two variables
    EXPECT_GE(bank(4)->addresses.size(), 2u);
}

TEST(Module, SaysWhereAnIndirectBranchMayGo) {
    auto module = sass::read_module(cubin("sm_90"), "choose");
    ASSERT_TRUE(module) << module.error().sentence();
    ASSERT_FALSE(module->jump_tables.empty());
    for (const sass::JumpTable& table : module->jump_tables) {
        const size_t branch = table.address / sass::instruction_bytes;
        ASSERT_LT(branch, module->instructions.size());
        EXPECT_EQ(module->instructions[branch].opcode, "BRX");
        EXPECT_GE(table.targets.size(), 2u);
        for (const uint64_t target : table.targets)
            EXPECT_LT(target / sass::instruction_bytes, module->instructions.size());
    }
}

TEST(Module, SurvivesDamage) {
    const std::vector<std::byte> whole = cubin("sm_90");
    ASSERT_FALSE(whole.empty());
    std::mt19937 random(5);
    const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    int read = 0;
    for (int round = 0; round < 500; ++round) {
        std::vector<std::byte> damaged = whole;
        if (round % 3 == 0) damaged.resize(1 + below(whole.size()));
        for (size_t hits = 30; hits > 0; --hits) damaged[below(damaged.size())] = static_cast<std::byte>(below(256));
        if (auto module = sass::read_module(damaged, "choose")) {
            ++read;
            EXPECT_LE(module->instructions.size() * sass::instruction_bytes, damaged.size());
        }
    }
    EXPECT_GT(read, 50);
}

} // namespace
