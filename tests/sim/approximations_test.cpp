// The approximations, and the roots and quotients that ptxas refines from them: the machine code gives the bits of the PTX, for arguments
// of every kind.
#include "compile/compiler.h"
#include "ptx/parser.h"
#include "sim/engine.h"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr uint32_t threads = 256, blocks = 32, arguments = threads * blocks;

struct Instruction {
    std::string_view text;
    int least_sm = 75;
};
constexpr Instruction instructions[] = {
    {"rcp.approx.f32 %f3, %f1"},
    {"rcp.approx.ftz.f32 %f3, %f1"},
    {"rsqrt.approx.f32 %f3, %f1"},
    {"rsqrt.approx.ftz.f32 %f3, %f1"},
    {"sqrt.approx.f32 %f3, %f1"},
    {"sqrt.approx.ftz.f32 %f3, %f1"},
    {"ex2.approx.f32 %f3, %f1"},
    {"ex2.approx.ftz.f32 %f3, %f1"},
    {"lg2.approx.f32 %f3, %f1"},
    {"lg2.approx.ftz.f32 %f3, %f1"},
    {"sin.approx.f32 %f3, %f1"},
    {"sin.approx.ftz.f32 %f3, %f1"},
    {"cos.approx.f32 %f3, %f1"},
    {"cos.approx.ftz.f32 %f3, %f1"},
    {"tanh.approx.f32 %f3, %f1"},
    {"div.approx.f32 %f3, %f1, %f2"},
    {"div.approx.ftz.f32 %f3, %f1, %f2"},
    {"div.full.f32 %f3, %f1, %f2"},
    {"div.full.ftz.f32 %f3, %f1, %f2"},
    {"rcp.rn.f32 %f3, %f1"},
    {"rcp.rz.ftz.f32 %f3, %f1"},
    {"sqrt.rn.f32 %f3, %f1"},
    {"sqrt.rp.f32 %f3, %f1"},
    {"div.rn.f32 %f3, %f1, %f2"},
    {"div.rm.f32 %f3, %f1, %f2"},
    {"div.rn.ftz.f32 %f3, %f1, %f2"},
    {"rcp.approx.ftz.f64 %d3, %d1"},
    {"rsqrt.approx.ftz.f64 %d3, %d1"},
    {"rsqrt.approx.f64 %d3, %d1"},
    {"rcp.rn.f64 %d3, %d1"},
    {"sqrt.rn.f64 %d3, %d1"},
    {"div.rn.f64 %d3, %d1, %d2"},
    {"ex2.approx.f16x2 %r3, %r1"},
    {"tanh.approx.f16x2 %r3, %r1"},
    {"ex2.approx.ftz.bf16x2 %r3, %r1", 90},
    {"tanh.approx.bf16x2 %r3, %r1", 90},
};

// Thread t has words t and t * 7 + 3 of `in`; the result of instruction n is word n * arguments + t of `out`.
std::string kernel_for(int sm) {
    std::string text = fmt::format(".version {}\n.target sm_{}\n.address_size 64\n", sm > 100 ? "8.7" : "8.0", sm);
    text += R"(.visible .entry test(.param .u64 out, .param .u64 in) {
.reg .b32 %r<9>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b64 %a<9>;
ld.param.u64 %a1, [out]; ld.param.u64 %a2, [in];
mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r4, %r5, 256, %r4; mad.lo.u32 %r6, %r4, 7, 3; and.b32 %r6, %r6, 8191;
mul.wide.u32 %a3, %r4, 8; add.u64 %a1, %a1, %a3; add.u64 %a3, %a2, %a3; mul.wide.u32 %a4, %r6, 8; add.u64 %a4, %a2, %a4;
ld.global.f64 %d1, [%a3]; ld.global.f64 %d2, [%a4]; mov.b64 %a5, %d1; mov.b64 %a6, %d2;
shr.u64 %a5, %a5, 32; shr.u64 %a6, %a6, 32; cvt.u32.u64 %r1, %a5; cvt.u32.u64 %r2, %a6; mov.b32 %f1, %r1; mov.b32 %f2, %r2;
)";
    uint32_t n = 0;
    for (const Instruction& i : instructions) {
        const size_t at = 8 * size_t{arguments} * n++;
        if (sm < i.least_sm) continue;
        text += fmt::format("{}; ", i.text);
        if (i.text.find("%f3") != i.text.npos) text += "mov.b32 %r3, %f3; ";
        text += i.text.find("%d3") != i.text.npos ? fmt::format("st.global.f64 [%a1+{}], %d3;\n", at)
                                                  : fmt::format("st.global.b32 [%a1+{}], %r3;\n", at);
    }
    return text + "ret;\n}\n";
}

// Any bits, ordinary numbers, those near the least and the greatest, those near one; in f32 and the upper half of f64 alike.
std::vector<uint64_t> words() {
    std::mt19937_64 random(1);
    std::vector<uint64_t> all(arguments);
    for (uint32_t n = 0; n < arguments; ++n) {
        constexpr uint32_t odd[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FF00000, 0xFFF00000,
                                    0x00000001, 0x807FFFFF, 0x00800000, 0x000FFFFF, 0x3F800000, 0xBF800000, 0x3FF00000};
        const uint64_t bits = random();
        const auto high = static_cast<uint32_t>(bits >> 32);
        const uint32_t kinds[] = {high,
                                  0x3C000000 + high % 0x08000000,
                                  high % 0x01000000,
                                  0x7E000000 + high % 0x02000000,
                                  0xBF000000 + high % 0x01000000,
                                  odd[high % std::size(odd)]};
        all[n] = uint64_t{kinds[n % std::size(kinds)]} << 32 | static_cast<uint32_t>(bits);
    }
    return all;
}

// The words of `out`; what kept the program from running is in `trouble`.
std::vector<uint64_t> results_of(const sim::Program& program, std::string& trouble) {
    sim::Memory memory;
    const std::vector<uint64_t> in = words();
    std::vector<uint64_t> out(std::size(instructions) * arguments);
    const uint64_t to = memory.allocate({.name = "out", .bytes = out.size() * 8, .element = base::NumberType::f64}),
                   from = memory.allocate({.name = "in", .bytes = in.size() * 8, .element = base::NumberType::f64});
    std::memset(memory.bytes(to).data(), 0, out.size() * 8);
    std::memcpy(memory.bytes(from).data(), in.data(), in.size() * 8);
    sim::Launch launch{.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .dynamic_shared_bytes = 0, .parameters = {}};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &to, 8);
    std::memcpy(launch.parameters.data() + 8, &from, 8);
    const auto outcome = sim::run(program, launch, memory, {});
    if (!outcome) trouble = outcome.error().sentence();
    std::memcpy(out.data(), memory.bytes(to).data(), out.size() * 8);
    return out;
}

class Approximations : public testing::TestWithParam<int> {};

TEST_P(Approximations, OfMachineCodeAreThoseOfThePtx) {
    if (!compile::assembler().found) GTEST_SKIP() << "there is no ptxas";
    const std::string text = kernel_for(GetParam());
    auto parsed = ptx::parse(text);
    ASSERT_TRUE(parsed && parsed->unknown.empty());
    const auto ptx = sim::prepare(std::make_shared<const ptx::Module>(std::move(*parsed)), "test");
    ASSERT_TRUE(ptx) << ptx.error().sentence();
    const auto code = compile::to_machine_code(
        compile::Ptx{text, "test", {}},
        compile::Source{.text = {}, .name = {}, .entry = {}, .defines = {}, .arch = fmt::format("sm_{}", GetParam())});
    ASSERT_TRUE(code.value) << code.failed->error.sentence();
    const auto machine = sim::prepare_machine_code(code.value->cubin, "test");
    ASSERT_TRUE(machine) << machine.error().sentence();
    ASSERT_EQ(sim::not_executed(**machine).english(), "");
    std::string trouble;
    const std::vector<uint64_t> expected = results_of(**ptx, trouble), got = results_of(**machine, trouble),
                                in = words();
    ASSERT_EQ(trouble, "");
    for (size_t n = 0; n < std::size(instructions); ++n)
        for (size_t t = 0; t < arguments; ++t)
            if (const size_t at = n * arguments + t; got[at] != expected[at]) {
                ADD_FAILURE() << instructions[n].text
                              << fmt::format(" of {:016x} and {:016x}: {:x}, as PTX {:x}", in[t],
                                             in[(t * 7 + 3) % arguments], got[at], expected[at]);
                break;
            }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Approximations, testing::Values(75, 80, 86, 89, 90, 120),
                         [](const auto& each) { return "sm_" + std::to_string(each.param); });

} // namespace
