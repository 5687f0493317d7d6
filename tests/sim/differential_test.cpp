// The engine against the reference executor, on kernels made at random.
#include "generated_run.h"
#include "reference_executor.h"

#include "ptx/parser.h"
#include "sim/engine.h"
#include "sim/program/program.h"

#include <gtest/gtest.h>

namespace {

// One kernel, in both; empty, or what differs.
std::string compare(uint32_t seed, const sim::Lanes& lanes) {
    const uint32_t threads = generated::threads(seed);
    const GeneratedKernel kernel = generate_kernel(seed, threads);
    auto parsed = ptx::parse(generated_header() + kernel.text);
    if (!parsed || !parsed->unknown.empty()) return parsed ? "not parsed: " + parsed->unknown[0].text : "not parsed";
    const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
    auto program = sim::decode(module, "test", sim::Rows::reused, lanes);
    if (!program) return program.error().sentence();

    generated::Run run = generated::make_run(seed, kernel);
    std::vector<std::byte> given = generated::inputs(seed), expected(run.bytes);
    sim::Options options;
    if (seed % 2 == 1) options.schedule = {trace::Schedule::Kind::shuffled, seed};
    auto outcome = sim::run(**program, run.launch, run.memory, options);
    if (!outcome) return outcome.error().sentence();
    for (const trace::Finding& f : outcome->findings) return "finding: " + f.text.english();
    const std::string why = run_reference(
        *module, {generated::blocks, threads, run.launch.parameters, {{run.out, expected}, {run.in, given}}});
    if (!why.empty()) return "the reference: " + why;
    return generated::first_difference(run.results(), expected, kernel);
}

TEST(Differential, RandomKernelsGiveTheReferencesBits) {
    constexpr uint32_t kernels = 400;
    int bad = 0;
    for (const sim::Lanes& lanes : sim::supported_lanes())
        for (uint32_t seed = 1; seed <= kernels && bad < 3; ++seed) {
            const std::string why = compare(seed, lanes);
            bad += !why.empty();
            EXPECT_TRUE(why.empty()) << lanes.name << ", seed " << seed << ": " << why;
        }
}

} // namespace
