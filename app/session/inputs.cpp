// Seeded inputs in the engine's memory, and the parameter block that points to them.
#include "base/random.h"
#include "session/stages.h"
#include "trace/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace session {
namespace {

using base::Error;
using base::Failure;

template <class Value, class Convert>
void fill_with(std::span<std::byte> bytes, const std::stop_token& stop, Convert value_at) {
    constexpr size_t chunk = 1 << 18; // between looks at the token: a millisecond
    const size_t count = bytes.size() / sizeof(Value);
    for (size_t first = 0; first < count && !stop.stop_requested(); first += chunk) {
        for (size_t i = first; i < std::min(first + chunk, count); ++i) {
            const Value value = value_at(i);
            std::memcpy(bytes.data() + i * sizeof(Value), &value, sizeof(Value));
        }
    }
}

void fill_random(std::span<std::byte> bytes, const Argument& argument, base::RandomStream random,
                 const std::stop_token& stop) {
    using enum base::NumberType;
    const auto integers = [&]<class T>(T) {
        const uint64_t below = argument.below;
        fill_with<T>(bytes, stop, [&](size_t i) {
            constexpr int unused = 64 - 8 * static_cast<int>(sizeof(T));
            const uint64_t bits = random.bits(i);
            return static_cast<T>(below == 0 ? bits >> unused : ((bits >> 32) * below) >> 32);
        });
    };
    switch (argument.buffer.element) {
    case f16: return fill_with<uint16_t>(bytes, stop, [&](size_t i) { return base::to_f16(random(i)); });
    case bf16: return fill_with<uint16_t>(bytes, stop, [&](size_t i) { return base::to_bf16(random(i)); });
    case f32: return fill_with<float>(bytes, stop, random);
    case f64: return fill_with<double>(bytes, stop, [&](size_t i) { return random.wide(i); });
    case i8:
    case u8: return integers(uint8_t{});
    case i16:
    case u16: return integers(uint16_t{});
    case i32:
    case u32: return integers(uint32_t{});
    case i64:
    case u64: return integers(uint64_t{});
    }
}

// +1 or -1: the signs of the floats that the elements of another kernel would be.
void fill_signs(std::span<std::byte> bytes, const Argument& argument, base::RandomStream random,
                const std::stop_token& stop) {
    const base::MatrixLayout layout = argument.buffer.layout();
    fill_with<uint32_t>(bytes, stop, [&](size_t word) {
        return base::packed_word(layout, word, [&](uint64_t i) { return random(i) < 0; });
    });
}

size_t bytes_of(const Argument& argument) {
    return argument.scalar.empty() ? sizeof(uint64_t) : argument.scalar.size();
}

// Where each argument lies: of which parameter, how many bytes behind its beginning. Members follow each other as in C, each
// aligned to its own size.
struct Placement {
    struct Place {
        size_t parameter, offset;
    };
    std::vector<Place> places;           // by argument
    std::vector<size_t> parameter_bytes; // of the values given
};

Placement place(std::span<const Argument> arguments) {
    Placement result;
    size_t widest = 0;
    const auto aligned = [](size_t at, size_t to) { return (at + to - 1) / to * to; };
    const auto end_of_parameter = [&] {
        if (!result.parameter_bytes.empty())
            result.parameter_bytes.back() = aligned(result.parameter_bytes.back(), widest);
    };
    for (const Argument& argument : arguments) {
        const size_t bytes = bytes_of(argument);
        if (!argument.continues) {
            end_of_parameter();
            result.parameter_bytes.push_back(0);
            widest = 0;
        }
        const size_t at = aligned(result.parameter_bytes.back(), bytes);
        widest = std::max(widest, bytes);
        result.places.push_back({result.parameter_bytes.size() - 1, at});
        result.parameter_bytes.back() = at + bytes;
    }
    end_of_parameter();
    return result;
}

// What a kernel of the catalogue is called with before its tensor maps (resolve.cpp); its arguments are not the user's
// to choose.
std::string gemm_signature(const Gemm& gemm) {
    const auto name = [](base::NumberType type) {
        return type == base::NumberType::bf16  ? "__nv_bfloat16"
               : type == base::NumberType::f64 ? "double"
               : type == base::NumberType::u32 ? "unsigned"
                                               : "float";
    };
    std::vector<std::string> parameters;
    for (const char letter : catalog::arguments_of(gemm.operation, gemm.row_alignment)) {
        if (letter == 'M' || letter == 'N' || letter == 'K') parameters.push_back(fmt::format("int {}", letter));
        else if (letter == 'x' || letter == 'y' || letter == 'z')
            parameters.push_back(fmt::format("int ld{}", static_cast<char>(letter - 'x' + 'a')));
        else if (letter == 'a' || letter == 'b')
            parameters.push_back(
                fmt::format("{} {}", name(catalog::result_of(gemm.operands)), letter == 'a' ? "alpha" : "beta"));
        else
            parameters.push_back(
                fmt::format("{}{}* {}", letter == 'C' ? "" : "const ", name(gemm.matrix(letter).element), letter));
    }
    return fmt::format("({})", fmt::join(parameters, ", "));
}

base::Status check_gemm(const Job& job, std::span<const sim::Parameter> parameters) {
    auto wrong = [&](base::Sentence what) {
        const size_t maps = job.shape.tensor_maps.size();
        const std::string declared = job.kernel + gemm_signature(*job.gemm);
        return Error{Failure::usage, std::move(what), job.source.name,
                     maps == 0
                         ? base::say("declare the kernel as {}", declared)
                         : base::say("declare the kernel as {}, and {} tensor maps, each a const __grid_constant__ "
                                     "struct of 128 bytes aligned to 64",
                                     declared, maps)};
    };
    if (parameters.size() != job.arguments.size()) {
        return wrong(base::say("the kernel takes {} arguments and a kernel with front matter is called with {}",
                               parameters.size(), job.arguments.size()));
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
        const size_t given = bytes_of(job.arguments[i]);
        if (parameters[i].bytes == given) continue;
        return wrong(
            base::say("parameter {} of the kernel has {} bytes and a kernel with front matter is called with one of {}",
                      i, parameters[i].bytes, given));
    }
    return base::Done{};
}

base::Status check(const Job& job, std::span<const sim::Parameter> parameters, const Placement& placement) {
    if (job.gemm) return check_gemm(job, parameters);
    if (parameters.size() != placement.parameter_bytes.size()) {
        return Error{Failure::usage,
                     base::say("the kernel takes {} arguments and {} were given", parameters.size(),
                               placement.parameter_bytes.size()),
                     job.source.name, base::say("give one --arg per parameter, in order")};
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
        const size_t given = placement.parameter_bytes[i];
        if (parameters[i].bytes == given) continue;
        return Error{
            Failure::usage,
            base::say("argument {} of the kernel has {} bytes and the value given has {}", i, parameters[i].bytes,
                      given),
            job.source.name,
            parameters[i].bytes > 8
                ? base::say(
                      "give a struct's members in braces, --arg '{{i32=8,in:f32[64]}}', with the padding between them where it is more than C's")
                : base::say("choose another type for this --arg")};
    }
    return base::Done{};
}

} // namespace

void fill(std::span<std::byte> bytes, const Argument& argument, base::RandomStream random,
          const std::stop_token& stop) {
    const base::MatrixLayout layout = argument.buffer.layout();
    if (argument.fill == Argument::Fill::random && layout.padding > 0) {
        Argument dense = argument;
        dense.buffer.padding = 0;
        const size_t each = argument.buffer.element_bytes();
        std::vector<std::byte> elements(dense.buffer.layout().stored() * each);
        fill(elements, dense, random, stop);
        return base::add_padding(layout, each, elements, bytes);
    }
    if (argument.fill == Argument::Fill::random && argument.buffer.packing != base::Packing::none)
        return fill_signs(bytes, argument, random, stop);
    if (argument.fill == Argument::Fill::random) fill_random(bytes, argument, random, stop);
    if (argument.fill == Argument::Fill::poison) std::memset(bytes.data(), 0xFF, bytes.size());
    if (argument.fill == Argument::Fill::given) std::memcpy(bytes.data(), argument.contents->data(), bytes.size());
}

base::Result<Inputs> make_inputs(const Job& job, const sim::Program& program, std::stop_token stop) {
    auto shared = share_inputs(job, program, nullptr, stop);
    if (!shared) return shared.error();
    return **shared;
}

bool same_buffers(const Job& a, const Job& b) {
    auto same = [](const Argument& x, const Argument& y) {
        if (x.scalar.empty() != y.scalar.empty()) return false;
        return !x.scalar.empty() ||
               (x.fill == y.fill && x.below == y.below && x.contents == y.contents && x.buffer.name == y.buffer.name &&
                x.buffer.bytes == y.buffer.bytes && x.buffer.element == y.buffer.element &&
                x.buffer.packing == y.buffer.packing && x.buffer.padding == y.buffer.padding && x.stream == y.stream &&
                x.buffer.rows == y.buffer.rows && x.buffer.columns == y.buffer.columns);
    };
    return a.seed == b.seed &&
           std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(), same);
}

base::Result<std::shared_ptr<const Inputs>> share_inputs(const Job& job, const sim::Program& program, const Job* other,
                                                         std::stop_token stop) {
    auto parameters = sim::parameters(program);
    const Placement placement = place(job.arguments);
    if (auto matching = check(job, parameters, placement); !matching) return matching.error();

    auto inputs = std::make_shared<Inputs>();
    const bool filled = other && other->inputs && same_buffers(job, *other);
    if (filled) {
        inputs->memory = other->inputs->memory;
        inputs->addresses = other->inputs->addresses;
    }
    for (size_t i = 0; i < job.arguments.size(); ++i) {
        const Argument& argument = job.arguments[i];
        if (!filled)
            inputs->addresses.push_back(argument.scalar.empty() ? inputs->memory.allocate(argument.buffer) : 0);
        const uint64_t address = inputs->addresses[i];
        if (!filled && address != 0 && argument.fill != Argument::Fill::zero)
            fill(inputs->memory.bytes(address), argument, base::RandomStream(job.seed, argument.stream.value_or(i)),
                 stop);
        if (stop.stop_requested()) return Error{Failure::check_failed, base::say("stopped before it was done"), {}, {}};

        auto& block = inputs->parameters;
        const auto [number, offset] = placement.places[i];
        const sim::Parameter& parameter = parameters[number];
        block.resize(std::max<size_t>(block.size(), parameter.offset + parameter.bytes));
        const bool is_buffer = argument.scalar.empty();
        std::byte* const to = block.data() + parameter.offset + offset;
        std::memcpy(to, is_buffer ? static_cast<const void*>(&address) : argument.scalar.data(),
                    is_buffer ? sizeof address : argument.scalar.size());
        if (argument.maps)
            std::memcpy(to + offsetof(trace::TensorMap, address), &inputs->addresses[*argument.maps], sizeof(uint64_t));
    }
    inputs->memory.seal();
    return std::shared_ptr<const Inputs>(std::move(inputs));
}

} // namespace session
