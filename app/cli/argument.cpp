// --arg: one argument of a kernel from a file.
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/source.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <limits>

namespace cli {
namespace {

using base::Error;
using base::Failure;

Error not_an_argument(const std::string& text) {
    return {Failure::usage,
            base::say("--arg {} is not an argument", text),
            {},
            base::say("write i32=256 (or another of {}), in:f32[65536] (of any of these), in:i32[65536]%256 (from 0 to "
                      "255), in:f32[65536]=FILE (its bytes), out:f32[65536], or a "
                      "struct's members in braces: {{i32=8,in:f32[64]}}",
                      argument_types())};
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

template <class T>
base::Result<std::vector<std::byte>> integer(const std::string& digits, const std::string& name) {
    if constexpr (std::is_same_v<T, uint64_t>) { // beyond what a signed number holds
        uint64_t value = 0;
        const char* end = digits.data() + digits.size();
        auto [at, error] = std::from_chars(digits.data(), end, value);
        if (error == std::errc{} && at == end && !digits.empty()) return bytes_of(value);
        return Error{
            Failure::usage, base::say("{} = {} is not a whole number from 0 to {}", name, digits, UINT64_MAX), {}, {}};
    } else {
        auto value = base::parse_integer(digits, name, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
        if (!value) return value.error();
        return bytes_of(static_cast<T>(*value));
    }
}

template <class T>
base::Result<std::vector<std::byte>> floating(const std::string& digits, const std::string& name) {
    auto value = base::parse_number(digits, name);
    if (!value) return value.error();
    return bytes_of(static_cast<T>(*value));
}

base::Result<std::vector<std::byte>> half(const std::string& digits, const std::string& name) {
    auto value = base::parse_number(digits, name);
    if (!value) return value.error();
    return bytes_of(base::to_f16(static_cast<float>(*value)));
}

base::Result<std::vector<std::byte>> brain_float(const std::string& digits, const std::string& name) {
    auto value = base::parse_number(digits, name);
    if (!value) return value.error();
    return bytes_of(base::to_bf16(static_cast<float>(*value)));
}

struct ScalarType {
    const char* name;
    base::Result<std::vector<std::byte>> (*parse)(const std::string& digits, const std::string& name);
};
constexpr std::array scalar_types{
    ScalarType{"i8", integer<int8_t>},    ScalarType{"u8", integer<uint8_t>},   ScalarType{"i16", integer<int16_t>},
    ScalarType{"u16", integer<uint16_t>}, ScalarType{"i32", integer<int32_t>},  ScalarType{"u32", integer<uint32_t>},
    ScalarType{"i64", integer<int64_t>},  ScalarType{"u64", integer<uint64_t>}, ScalarType{"f16", half},
    ScalarType{"bf16", brain_float},      ScalarType{"f32", floating<float>},   ScalarType{"f64", floating<double>},
};

base::Result<session::Argument> scalar(const std::string& text, size_t equals) {
    for (const ScalarType& type : scalar_types) {
        if (text.substr(0, equals) != type.name) continue;
        auto bytes = type.parse(text.substr(equals + 1), fmt::format("--arg {}", type.name));
        if (!bytes) return bytes.error();
        session::Argument argument;
        argument.scalar = std::move(*bytes);
        return argument;
    }
    return not_an_argument(text);
}

// "65536" or "256x256"
base::Status take_shape(trace::Buffer& buffer, const std::string& shape, const std::string& text) {
    const std::string name = fmt::format("--arg {}", text);
    const size_t cross = shape.find('x');
    const bool two = cross != std::string::npos;
    constexpr int64_t most = int64_t{1} << 40;
    auto rows = two ? base::parse_integer(shape.substr(0, cross), name, 1, most) : base::Result<int64_t>(1);
    if (!rows) return rows.error();
    auto columns = base::parse_integer(two ? shape.substr(cross + 1) : shape, name, 1, most);
    if (!columns) return columns.error();
    const double bytes = static_cast<double>(*rows) * static_cast<double>(*columns) * buffer.element_bytes();
    if (auto fits = base::fits_memory(bytes, base::verbatim(name)); !fits) return fits;
    buffer.rows = static_cast<uint64_t>(*rows), buffer.columns = static_cast<uint64_t>(*columns);
    buffer.bytes = buffer.rows * buffer.columns * buffer.element_bytes();
    return base::Done{};
}

// "%256" after a buffer of random integers.
base::Status take_bound(session::Argument& argument, const std::string& digits, const std::string& text) {
    const base::NumberType element = argument.buffer.element;
    if (!base::is_integer(element) || argument.fill != session::Argument::Fill::random) return not_an_argument(text);
    const uint32_t bits = 8 * base::bytes_of(element) - base::is_signed_integer(element);
    const int64_t most = bits < 32 ? int64_t{1} << bits : std::numeric_limits<uint32_t>::max();
    auto below = base::parse_integer(digits, fmt::format("--arg {}", text), 1, most);
    if (!below) return below.error();
    argument.below = static_cast<uint32_t>(*below);
    return base::Done{};
}

// "=FILE" after a buffer: its bytes as --dump writes them.
base::Status take_file(session::Argument& argument, const std::string& file, const std::string& text) {
    auto contents = base::read_named(file);
    if (!contents) return contents.error();
    if (contents->size() != argument.buffer.bytes)
        return Error{Failure::usage,
                     base::say("{} has {} bytes and --arg {} has {}", file, contents->size(),
                               text.substr(0, text.find('=')), argument.buffer.bytes),
                     {},
                     base::say("give as many elements as the file holds")};
    argument.fill = session::Argument::Fill::given;
    argument.contents = std::make_shared<const std::string>(std::move(*contents));
    return base::Done{};
}

base::Result<session::Argument> buffer(const std::string& text, size_t colon, size_t number) {
    const std::string direction = text.substr(0, colon);
    const size_t open = text.find('[', colon), close = text.find(']', colon), end = close + 1;
    if ((direction != "in" && direction != "out") || open == std::string::npos || close == std::string::npos ||
        close < open)
        return not_an_argument(text);
    const bool bounded = end < text.size() && text[end] == '%',
               from_file = end < text.size() && text[end] == '=' && direction == "in";
    if (end != text.size() && !bounded && !from_file) return not_an_argument(text);
    const auto element = base::number_type_named(std::string_view(text).substr(colon + 1, open - colon - 1));
    if (!element) return not_an_argument(text);
    session::Argument argument;
    argument.fill = direction == "in" ? session::Argument::Fill::random : session::Argument::Fill::zero;
    argument.buffer.name = fmt::format("arg{}", number);
    argument.buffer.element = *element;
    if (auto shape = take_shape(argument.buffer, text.substr(open + 1, close - open - 1), text); !shape)
        return shape.error();
    if (bounded)
        if (auto bound = take_bound(argument, text.substr(end + 1), text); !bound) return bound.error();
    if (from_file)
        if (auto file = take_file(argument, text.substr(end + 1), text); !file) return file.error();
    return argument;
}

base::Result<session::Argument> value(const std::string& text, size_t number) {
    const size_t colon = text.find(':'), equals = text.find('=');
    if (colon != std::string::npos) return buffer(text, colon, number);
    if (equals != std::string::npos) return scalar(text, equals);
    return not_an_argument(text);
}

} // namespace

std::string argument_types() {
    std::string names;
    for (const base::NumberTypeFacts& type : base::number_types)
        names += (names.empty() ? "" : ", ") + std::string(type.name);
    return names;
}

base::Result<std::vector<session::Argument>> parse_argument(const std::string& text, size_t number) {
    const bool braces = text.size() >= 2 && text.front() == '{' && text.back() == '}';
    std::vector<session::Argument> members;
    for (std::string rest = braces ? text.substr(1, text.size() - 2) : text;;) {
        const size_t comma = braces ? rest.find(',') : std::string::npos;
        auto member = value(rest.substr(0, comma), number + members.size());
        if (!member) return member.error();
        member->continues = !members.empty();
        members.push_back(std::move(*member));
        if (comma == std::string::npos) return members;
        rest.erase(0, comma + 1);
    }
}

} // namespace cli
