// Warp accesses for the tests: written by hand, by formula, or at random with structure.
#pragma once

#include "trace/trace.h"

#include <random>

namespace test {

constexpr uint32_t all_lanes = ~0u;

// Lane n at base + n * stride.
inline trace::Addresses strided(uint64_t base, uint64_t stride) {
    trace::Addresses a{};
    for (uint64_t lane = 0; lane < a.size(); ++lane) a[lane] = base + lane * stride;
    return a;
}

struct Access {
    int bytes = 4;
    bool load = true;
    uint32_t active = all_lanes;
    trace::Addresses address{};
};

// Aligned accesses of the kinds that kernels make, conflicts, broadcasts and pairs among them.
inline Access random_access(std::mt19937& random, uint64_t span) {
    const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    Access access;
    access.bytes = 1 << pick(5);
    access.load = pick(2) == 0;
    access.active = pick(3) == 0 ? static_cast<uint32_t>(random()) | 1u << pick(32) : all_lanes;
    const auto width = static_cast<uint64_t>(access.bytes);
    const uint64_t base = random() % span / width * width;
    const uint64_t stride = width * pick(40), group = uint64_t{1} << pick(6);
    const uint32_t shape = pick(4);
    for (uint64_t lane = 0; lane < 32; ++lane) {
        uint64_t& a = access.address[lane];
        if (shape == 0) a = base + lane * stride;
        if (shape == 1) a = base + lane / group * stride;
        if (shape == 2) a = base + lane % group * stride;
        if (shape == 3) a = base + random() % span / width * width;
    }
    return access;
}

} // namespace test
