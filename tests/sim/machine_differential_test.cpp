// The machine code that ptxas makes of kernels made at random gives the memory that their PTX gives.
// GEMMSCOPE_RANDOM_KERNELS=2000 tries so many.
#include "generated_run.h"

#include "compile/compiler.h"
#include "ptx/parser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>

namespace {

struct Batch { // of kernels in one module: ptxas is a process
    std::vector<uint32_t> seeds;
    std::vector<GeneratedKernel> kernels;
    std::string text = generated_header;

    static std::string name(uint32_t seed) { return fmt::format("kernel{}", seed); }
};

Batch make_batch(uint32_t first, uint32_t count) {
    Batch batch;
    for (uint32_t seed = first; seed < first + count; ++seed) {
        batch.seeds.push_back(seed);
        batch.kernels.push_back(generate_kernel(seed, generated::threads(seed), Batch::name(seed), Flavour::for_ptxas));
        batch.text += batch.kernels.back().text;
    }
    return batch;
}

struct Counted {
    uint32_t equal = 0;
    std::map<std::string, uint32_t> not_executed; // and why
};

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

std::string compare(const std::shared_ptr<const ptx::Module>& module, const compile::MachineCode& code, uint32_t seed,
                    const GeneratedKernel& kernel, Counted& counted) {
    const auto ptx = sim::prepare(module, Batch::name(seed));
    const auto machine = sim::prepare_machine_code(code.cubin, Batch::name(seed));
    if (!ptx || !machine) return (ptx ? machine : ptx).error().sentence();
    if (const base::Sentence why = sim::not_executed(**machine); !why.empty()) {
        const std::string text = why.english();
        ++counted.not_executed[text.substr(text.rfind(": ") + 2)];
        return "";
    }
    generated::Run expected = generated::make_run(seed, kernel), got = generated::make_run(seed, kernel);
    if (const std::string trouble = execute(**ptx, expected, seed); !trouble.empty()) return "PTX: " + trouble;
    if (const std::string trouble = execute(**machine, got, seed); !trouble.empty()) return trouble;
    // ptxas takes x * 1 for x, so a NaN may keep its bits.
    const std::string difference = generated::first_difference(got.results(), expected.results(), kernel, true);
    counted.equal += difference.empty();
    return difference;
}

TEST(MachineDifferential, RandomKernelsGiveThePtxsBits) {
    if (!compile::assembler().found) GTEST_SKIP() << "there is no ptxas";
    const char* wanted = std::getenv("GEMMSCOPE_RANDOM_KERNELS");
    const uint32_t kernels = wanted ? static_cast<uint32_t>(std::atoi(wanted)) : 40;
    constexpr uint32_t at_once = 20;
    Counted counted;
    uint32_t bad = 0;
    for (uint32_t first = 1; first <= kernels && bad < 40; first += at_once) {
        const Batch batch = make_batch(first, std::min(at_once, kernels + 1 - first));
        auto parsed = ptx::parse(batch.text);
        ASSERT_TRUE(parsed && parsed->unknown.empty()) << "seeds from " << first;
        const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
        const auto code = compile::to_machine_code(compile::Ptx{batch.text, Batch::name(first), {}}, compile::Source{});
        ASSERT_TRUE(code.value) << code.failed->error.sentence();
        for (size_t n = 0; n < batch.seeds.size(); ++n) {
            const std::string why = compare(module, *code.value, batch.seeds[n], batch.kernels[n], counted);
            bad += !why.empty();
            EXPECT_TRUE(why.empty()) << "seed " << batch.seeds[n] << ": " << why;
        }
    }
    std::cout << counted.equal << " of " << kernels << " give the same bits\n";
    for (const auto& [why, times] : counted.not_executed) std::cout << times << " not executed: " << why << "\n";
    EXPECT_GE(counted.equal, kernels - kernels / 10);
}

} // namespace
