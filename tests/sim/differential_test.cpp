// The engine against the reference executor, on kernels made at random.
#include "kernel_generator.h"
#include "reference_executor.h"

#include "ptx/parser.h"
#include "sim/engine.h"
#include "sim/program/program.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

namespace {

constexpr uint32_t blocks = 2;

std::vector<std::byte> inputs(uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes(GeneratedKernel::inputs * 4);
    for (size_t n = 0; n < bytes.size(); n += 4) {
        constexpr uint32_t odd[] = {0,          1,          0xFFFFFFFF, 0x80000000, 0x7FFFFFFF,
                                    0x3F800000, 0xBF800000, 0x7F800000, 0x00000001, 0x7FC00000};
        const uint32_t word = random() % 4 == 0   ? odd[random() % std::size(odd)]
                              : random() % 3 == 0 ? static_cast<uint32_t>(random() % 200)
                                                  : static_cast<uint32_t>(random());
        std::memcpy(bytes.data() + n, &word, 4);
    }
    return bytes;
}

bool same(uint64_t a, uint64_t b, bool is_double) { // of f64 any NaN is as good as another
    const auto nan = [](uint64_t v) { return std::bit_cast<double>(v) != std::bit_cast<double>(v); };
    return a == b || (is_double && nan(a) && nan(b));
}

// One kernel, in both; empty, or what differs.
std::string compare(uint32_t seed, const sim::Lanes& lanes) {
    const uint32_t threads = seed % 3 == 0 ? 32 : seed % 3 == 1 ? 48 : 96;
    const GeneratedKernel kernel = generate_kernel(seed, threads);
    auto parsed = ptx::parse(kernel.text);
    if (!parsed || !parsed->unknown.empty()) return parsed ? "not parsed: " + parsed->unknown[0].text : "not parsed";
    const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
    auto program = sim::decode(module, "test", sim::Rows::reused, lanes);
    if (!program) return program.error().sentence();

    sim::Memory memory;
    const size_t size = size_t{blocks} * threads * kernel.results * 8;
    const uint64_t out = memory.allocate({.name = "out", .bytes = size, .element = base::NumberType::f64});
    const uint64_t in =
        memory.allocate({.name = "in", .bytes = GeneratedKernel::inputs * 4, .element = base::NumberType::f32});
    std::vector<std::byte> given = inputs(seed), expected(size);
    std::copy(given.begin(), given.end(), memory.bytes(in).begin());
    sim::Launch launch{.grid = {blocks, 1, 1},
                       .block = {threads, 1, 1},
                       .dynamic_shared_bytes = 0,
                       .parameters = std::vector<std::byte>(16)};
    std::memcpy(launch.parameters.data(), &out, 8);
    std::memcpy(launch.parameters.data() + 8, &in, 8);

    sim::Options options;
    if (seed % 2 == 1) options.schedule = {trace::Schedule::Kind::shuffled, seed};
    auto outcome = sim::run(**program, launch, memory, options);
    if (!outcome) return outcome.error().sentence();
    for (const trace::Finding& f : outcome->findings) return "finding: " + f.text.english();
    const std::string why =
        run_reference(*module, {blocks, threads, launch.parameters, {{out, expected}, {in, given}}});
    if (!why.empty()) return "the reference: " + why;
    for (size_t n = 0; n < size / 8; ++n) {
        uint64_t a = 0, b = 0;
        std::memcpy(&a, memory.bytes(out).data() + n * 8, 8);
        std::memcpy(&b, expected.data() + n * 8, 8);
        const size_t result = n % kernel.results;
        if (!same(a, b, result >= kernel.doubles_from)) {
            char text[200];
            std::snprintf(text, sizeof text, "thread %zu result %zu: %llx, the reference %llx", n / kernel.results,
                          result, static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
            return text;
        }
    }
    return "";
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
