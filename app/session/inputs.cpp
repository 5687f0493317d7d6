// Seeded inputs in the engine's memory, and the parameter block that points to them.
#include "base/random.h"
#include "session/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace session {
namespace {

using base::Error;
using base::Failure;

template <class Value, class Convert>
void fill_with(std::span<std::byte> bytes, base::RandomStream random, const std::stop_token& stop, Convert convert) {
    constexpr size_t chunk = 1 << 18; // between looks at the token: a millisecond
    const size_t count = bytes.size() / sizeof(Value);
    for (size_t first = 0; first < count && !stop.stop_requested(); first += chunk) {
        for (size_t i = first; i < std::min(first + chunk, count); ++i) {
            Value value = convert(random(i));
            std::memcpy(bytes.data() + i * sizeof(Value), &value, sizeof(Value));
        }
    }
}

// The upper half of the float, rounded to nearest even.
uint16_t to_bf16(float value) {
    auto bits = std::bit_cast<uint32_t>(value);
    return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// Round to nearest even; for |value| <= 1, which neither overflows nor is NaN.
uint16_t to_f16(float value) {
    auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    float magnitude = std::fabs(value);
    if (magnitude < 0x1p-14f) return static_cast<uint16_t>(sign + std::lrint(magnitude * 0x1p24f)); // subnormal: units of 2^-24
    auto bits = std::bit_cast<uint32_t>(magnitude);
    bits += 0x0FFF + ((bits >> 13) & 1);
    return static_cast<uint16_t>(sign + (bits >> 13) - ((127 - 15) << 10));
}

void fill_random(std::span<std::byte> bytes, const Argument& argument, base::RandomStream random, const std::stop_token& stop) {
    using Element = Argument::Element;
    auto unit = [](float x) { return (static_cast<double>(x) + 1) / 2; }; // [0, 1)
    auto bounded = [&]<class T>(T) { fill_with<T>(bytes, random, stop, [&](float x) { return static_cast<T>(unit(x) * argument.below); }); };
    if (argument.below != 0 && argument.element == Element::i32) return bounded(int32_t{});
    if (argument.below != 0 && argument.element == Element::u32) return bounded(uint32_t{});
    if (argument.below != 0 && argument.element == Element::u8) return bounded(uint8_t{});
    switch (argument.element) {
    case Element::f16: return fill_with<uint16_t>(bytes, random, stop, to_f16);
    case Element::bf16: return fill_with<uint16_t>(bytes, random, stop, to_bf16);
    case Element::f32: return fill_with<float>(bytes, random, stop, [](float x) { return x; });
    case Element::f64: return fill_with<double>(bytes, random, stop, [](float x) { return static_cast<double>(x); });
    case Element::i32: return fill_with<int32_t>(bytes, random, stop, [](float x) { return static_cast<int32_t>(x * 0x1p31); });
    case Element::u32: return fill_with<uint32_t>(bytes, random, stop, [=](float x) { return static_cast<uint32_t>(unit(x) * 0x1p32); });
    case Element::u8: return fill_with<uint8_t>(bytes, random, stop, [=](float x) { return static_cast<uint8_t>(unit(x) * 256); });
    }
}

void fill(std::span<std::byte> bytes, const Argument& argument, base::RandomStream random, const std::stop_token& stop) {
    if (argument.fill == Argument::Fill::random) fill_random(bytes, argument, random, stop);
    if (argument.fill == Argument::Fill::poison) std::memset(bytes.data(), 0xFF, bytes.size());
}

// Whether the buffers of two jobs start alike: the same names, shapes and values at the same addresses.
bool same_buffers(const Job& a, const Job& b) {
    auto same = [](const Argument& x, const Argument& y) {
        if (x.scalar.empty() != y.scalar.empty()) return false;
        return !x.scalar.empty() || (x.fill == y.fill && x.element == y.element && x.below == y.below && x.buffer.name == y.buffer.name &&
                                     x.buffer.bytes == y.buffer.bytes && x.buffer.element_bytes == y.buffer.element_bytes &&
                                     x.buffer.rows == y.buffer.rows && x.buffer.columns == y.buffer.columns);
    };
    return a.seed == b.seed && std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(), same);
}

// What a kernel of the catalogue is called with (resolve.cpp); its arguments are not the user's to choose.
constexpr const char* gemm_signature = "(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C)";

base::Status check_gemm(const Job& job, std::span<const sim::Parameter> parameters) {
    auto wrong = [&](std::string what) {
        return Error{Failure::usage, std::move(what), job.source.name, fmt::format("declare the kernel as {}{}", job.kernel, gemm_signature)};
    };
    if (parameters.size() != job.arguments.size()) {
        return wrong(fmt::format("the kernel takes {} arguments and a kernel with front matter is called with {}", parameters.size(), job.arguments.size()));
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
        const size_t given = job.arguments[i].scalar.empty() ? sizeof(uint64_t) : job.arguments[i].scalar.size();
        if (parameters[i].bytes == given) continue;
        return wrong(fmt::format("parameter {} of the kernel has {} bytes and a kernel with front matter is called with one of {}", i, parameters[i].bytes, given));
    }
    return base::Done{};
}

base::Status check(const Job& job, std::span<const sim::Parameter> parameters) {
    if (job.gemm) return check_gemm(job, parameters);
    if (parameters.size() != job.arguments.size()) {
        return Error{Failure::usage,
                     fmt::format("the kernel takes {} arguments and {} were given", parameters.size(), job.arguments.size()),
                     job.source.name, "give one --arg per parameter, in order"};
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
        size_t given = job.arguments[i].scalar.empty() ? sizeof(uint64_t) : job.arguments[i].scalar.size();
        if (parameters[i].bytes == given) continue;
        return Error{Failure::usage,
                     fmt::format("argument {} of the kernel has {} bytes and the value given has {}", i, parameters[i].bytes, given),
                     job.source.name, parameters[i].bytes > 8 ? "no --arg is a struct: let the kernel take its members" : "choose another type for this --arg"};
    }
    return base::Done{};
}

} // namespace

base::Result<Inputs> make_inputs(const Job& job, const sim::Program& program, std::stop_token stop) {
    auto shared = share_inputs(job, program, nullptr, stop);
    if (!shared) return shared.error();
    return **shared;
}

base::Result<std::shared_ptr<const Inputs>> share_inputs(const Job& job, const sim::Program& program, const Job* other,
                                                         std::stop_token stop) {
    auto parameters = sim::parameters(program);
    if (auto matching = check(job, parameters); !matching) return matching.error();

    auto inputs = std::make_shared<Inputs>();
    const bool filled = other && other->inputs && same_buffers(job, *other);
    if (filled) {
        inputs->memory = other->inputs->memory;
        inputs->addresses = other->inputs->addresses;
    }
    for (size_t i = 0; i < job.arguments.size(); ++i) {
        const Argument& argument = job.arguments[i];
        if (!filled) inputs->addresses.push_back(argument.scalar.empty() ? inputs->memory.allocate(argument.buffer) : 0);
        const uint64_t address = inputs->addresses[i];
        if (!filled && address != 0) fill(inputs->memory.bytes(address), argument, base::RandomStream(job.seed, i), stop);
        if (stop.stop_requested()) return Error{Failure::check_failed, "stopped before it was done", {}, {}};

        auto& block = inputs->parameters;
        block.resize(std::max<size_t>(block.size(), parameters[i].offset + parameters[i].bytes));
        const bool is_buffer = argument.scalar.empty();
        std::memcpy(block.data() + parameters[i].offset, is_buffer ? static_cast<const void*>(&address) : argument.scalar.data(),
                    is_buffer ? sizeof address : argument.scalar.size());
    }
    inputs->memory.seal();
    return std::shared_ptr<const Inputs>(std::move(inputs));
}

} // namespace session
