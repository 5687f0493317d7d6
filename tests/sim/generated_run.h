// How kernels made at random are launched, and what differs between two runs of one.
#pragma once

#include "kernel_generator.h"

#include "sim/engine.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace generated {

constexpr uint32_t blocks = 2;
inline uint32_t threads(uint32_t seed) { return seed % 3 == 0 ? 32 : seed % 3 == 1 ? 48 : 96; }

inline std::vector<std::byte> inputs(uint32_t seed) {
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

struct Run {
    sim::Memory memory;
    sim::Launch launch;
    uint64_t out = 0, in = 0;
    size_t bytes = 0; // of `out`

    std::span<const std::byte> results() const { return memory.bytes(out); }
};

inline Run make_run(uint32_t seed, const GeneratedKernel& kernel) {
    Run run;
    run.bytes = size_t{blocks} * threads(seed) * kernel.results * 8;
    run.out = run.memory.allocate({.name = "out", .bytes = run.bytes, .element = base::NumberType::f64});
    run.in =
        run.memory.allocate({.name = "in", .bytes = GeneratedKernel::inputs * 4, .element = base::NumberType::f32});
    const std::vector<std::byte> given = inputs(seed);
    std::copy(given.begin(), given.end(), run.memory.bytes(run.in).begin());
    run.launch = {.grid = {blocks, 1, 1},
                  .block = {threads(seed), 1, 1},
                  .dynamic_shared_bytes = 0,
                  .parameters = std::vector<std::byte>(16)};
    std::memcpy(run.launch.parameters.data(), &run.out, 8);
    std::memcpy(run.launch.parameters.data() + 8, &run.in, 8);
    return run;
}

// Of f64 any NaN is as good as another, of f32 where `any_nan` is set. Empty: nothing differs.
inline std::string first_difference(std::span<const std::byte> got, std::span<const std::byte> expected,
                                    const GeneratedKernel& kernel, bool any_nan = false) {
    const auto single = [](uint64_t v) { return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(v))); };
    const auto nan = [](uint64_t v) { return std::bit_cast<double>(v) != std::bit_cast<double>(v); };
    for (size_t n = 0; n < got.size() / 8; ++n) {
        uint64_t a = 0, b = 0;
        std::memcpy(&a, got.data() + n * 8, 8);
        std::memcpy(&b, expected.data() + n * 8, 8);
        const size_t result = n % kernel.results;
        if (a == b || (result >= kernel.doubles_from && nan(a) && nan(b))) continue;
        const bool is_float = result >= kernel.floats_from && result < kernel.floats_to;
        if (any_nan && is_float && single(a) && single(b)) continue;
        return fmt::format("thread {} result {}: {:x}, not {:x}", n / kernel.results, result, a, b);
    }
    return "";
}

} // namespace generated
