// The machine code that ptxas makes of kernels made at random gives the memory that their PTX gives, on each architecture.
// GEMMSCOPE_RANDOM_KERNELS=2000 tries so many of each.
#include "generated_run.h"

#include "compile/compiler.h"
#include "ptx/parser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Batch { // of kernels in one module: ptxas is a process
    std::vector<uint32_t> seeds;
    std::vector<GeneratedKernel> kernels;
    std::string text; // of the module

    static std::string name(uint32_t seed) { return fmt::format("kernel{}", seed); }
};

Batch make_batch(int sm, uint32_t first, uint32_t count) {
    Batch batch{.seeds = {}, .kernels = {}, .text = generated_header(sm)};
    for (uint32_t seed = first; seed < first + count; ++seed) {
        batch.seeds.push_back(seed);
        batch.kernels.push_back(generate_kernel(seed, generated::threads(seed), Batch::name(seed), Flavour::for_ptxas));
        batch.text += batch.kernels.back().text;
    }
    return batch;
}

// Runs the kernel into `run`; what was found, or why it does not run.
std::string execute(const sim::Program& program, generated::Run& run, uint32_t seed) {
    sim::Options options;
    if (seed % 2 == 1) options.schedule = {trace::Schedule::Kind::shuffled, seed};
    const auto outcome = sim::run(program, run.launch, run.memory, options);
    if (!outcome) return outcome.error().sentence();
    for (const trace::Finding& f : outcome->findings) // ptxas keeps flags in bits of registers that nothing has written
        if (f.severity == trace::Severity::error) return "finding: " + f.text.english();
    return "";
}

// What differs, or why there is nothing to compare; empty: nothing.
std::string compare(const std::shared_ptr<const ptx::Module>& module, const compile::MachineCode& code, uint32_t seed,
                    const GeneratedKernel& kernel) {
    const auto ptx = sim::prepare(module, Batch::name(seed));
    const auto machine = sim::prepare_machine_code(code.cubin, Batch::name(seed));
    if (!ptx || !machine) return (ptx ? machine : ptx).error().sentence();
    if (const base::Sentence why = sim::not_executed(**machine); !why.empty()) return why.english();
    generated::Run expected = generated::make_run(seed, kernel), got = generated::make_run(seed, kernel);
    if (const std::string trouble = execute(**ptx, expected, seed); !trouble.empty()) return "PTX: " + trouble;
    if (const std::string trouble = execute(**machine, got, seed); !trouble.empty()) return trouble;
    // ptxas takes x * 1 for x, so a NaN may keep its bits.
    return generated::first_difference(got.results(), expected.results(), kernel, true);
}

class MachineDifferential : public testing::TestWithParam<int> {};

TEST_P(MachineDifferential, RandomKernelsGiveThePtxsBits) {
    if (!compile::assembler().found) GTEST_SKIP() << "there is no ptxas";
    const int sm = GetParam();
    const char* wanted = std::getenv("GEMMSCOPE_RANDOM_KERNELS");
    const uint32_t from = wanted ? 1 : static_cast<uint32_t>(sm), // so that each tries others
        kernels = wanted ? static_cast<uint32_t>(std::atoi(wanted)) : 8;
    constexpr uint32_t at_once = 20;
    uint32_t tried = 0, bad = 0;
    while (tried < kernels && bad < 40) {
        const uint32_t first = from + tried;
        const Batch batch = make_batch(sm, first, std::min(at_once, kernels - tried));
        auto parsed = ptx::parse(batch.text);
        ASSERT_TRUE(parsed && parsed->unknown.empty()) << "seeds from " << first;
        const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
        const auto code = compile::to_machine_code(
            compile::Ptx{batch.text, Batch::name(first), {}},
            compile::Source{.text = {}, .name = {}, .entry = {}, .defines = {}, .arch = fmt::format("sm_{}", sm)});
        ASSERT_TRUE(code.value) << code.failed->error.sentence();
        for (size_t n = 0; n < batch.seeds.size(); ++n) {
            const std::string why = compare(module, *code.value, batch.seeds[n], batch.kernels[n]);
            ++tried;
            bad += !why.empty();
            EXPECT_EQ(why, "") << "seed " << batch.seeds[n];
        }
    }
    std::cout << tried - bad << " of " << tried << " give the same bits\n";
}

INSTANTIATE_TEST_SUITE_P(Architectures, MachineDifferential, testing::Values(75, 80, 86, 89, 90, 120),
                         [](const auto& each) { return "sm_" + std::to_string(each.param); });

} // namespace
