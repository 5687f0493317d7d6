// Seeded input values that are the same on every machine: a hash of (seed, stream, index), no state, no order.
#pragma once

#include <cstdint>

namespace base {

// Uniform in [-1, 1): multiples of 2^-23, so each is exact as a float and as a double; and of 2^-52 for
// arrays of doubles. The CPU engine and the GPU worker fill argument number `stream` of a kernel from the
// same values, so that their outputs can be compared bit by bit.
class RandomStream {
public:
    constexpr RandomStream(uint64_t seed, uint64_t stream) : key_(mix(mix(seed + odd) + stream * odd)) {}

    constexpr float operator()(uint64_t index) const {
        auto value = static_cast<int32_t>(bits(index) >> 40); // 24 bits
        return static_cast<float>(value - (1 << 23)) * 0x1p-23f;
    }

    // Its 24 leading bits are those of the float, so no value of an array of doubles is one of a float by
    // accident.
    constexpr double wide(uint64_t index) const {
        const auto value = static_cast<int64_t>(bits(index) >> 11); // 53 bits
        return static_cast<double>(value - (int64_t{1} << 52)) * 0x1p-52;
    }

    // Each of the 64 is drawn on its own.
    constexpr uint64_t bits(uint64_t index) const { return mix(key_ + (index + 1) * odd); }

private:
    static constexpr uint64_t odd = 0x9E3779B97F4A7C15; // 2^64 / golden ratio: the increment of SplitMix64

    static constexpr uint64_t mix(uint64_t z) { // the finaliser of SplitMix64 (Steele, Lea, Flood 2014)
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    uint64_t key_;
};

} // namespace base
