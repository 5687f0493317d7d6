#include "sass/printer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>

namespace sass {
namespace {

std::string register_name(std::string_view prefix, uint16_t number) {
    return number == zero_register ? fmt::format("{}Z", prefix) : fmt::format("{}{}", prefix, number);
}

std::string predicate_name(std::string_view prefix, uint16_t number) {
    return number == true_predicate ? fmt::format("{}T", prefix) : fmt::format("{}{}", prefix, number);
}

std::string hexadecimal(int64_t value) {
    return value < 0 ? fmt::format("-0x{:x}", -static_cast<uint64_t>(value)) : fmt::format("0x{:x}", value);
}

// nvdisasm's style: up to twenty significant digits, from 1e9 on twenty-one; a blank after what is no number or has no digits.
std::string decimal(double value, bool quiet) {
    if (std::isnan(value)) return fmt::format("{}{}NAN ", std::signbit(value) ? '-' : '+', quiet ? 'Q' : 'S');
    if (std::isinf(value)) return value < 0 ? "-INF " : "+INF ";
    if (value == 0) return std::signbit(value) ? "-0.0 " : "0";
    return std::abs(value) >= 1e9 ? fmt::format("{:.20e}", value) : fmt::format("{:.20g}", value);
}

std::string decimal32(uint32_t bits) { return decimal(std::bit_cast<float>(bits), (bits & 1u << 22) != 0); }

std::string decimal64(uint64_t bits) { return decimal(std::bit_cast<double>(bits), (bits & 1ull << 51) != 0); }

std::string decimal16(uint32_t bits) {
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31) return decimal32(bits >> 15 << 31 | 0xFFu << 23 | fraction << 13);
    return decimal(
        sign * std::ldexp(exponent ? fraction + 1024 : fraction, (exponent ? static_cast<int>(exponent) : 1) - 25),
        false);
}

std::string pair(const Operand& o) {
    const auto low = static_cast<uint32_t>(o.value & 0xFFFF), high = static_cast<uint32_t>(o.value >> 16 & 0xFFFF);
    if (o.name == "BF16") return fmt::format("{}, {}", decimal32(high << 16), decimal32(low << 16));
    return fmt::format("{}, {}", decimal16(high), decimal16(low));
}

// "R4.64+UR6+0x10"; nothing at all is 0 or, in a constant bank, RZ.
std::string address(const Operand& o) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "+") + part; };
    if (o.base != Operand::none) {
        add(register_name("R", o.base));
        if (o.scale > 1) text += fmt::format(".X{}", o.scale);
        if (!o.suffix.empty()) text += fmt::format(".{}", o.suffix);
    }
    if (o.uniform != Operand::none) add(register_name("UR", o.uniform));
    if (o.value != 0 || text.empty()) add(hexadecimal(o.value));
    return text;
}

std::string memory(const Operand& o) {
    const std::string described =
        o.descriptor == Operand::none ? "" : fmt::format("desc[{}]", register_name("UR", o.descriptor));
    return fmt::format("{}[{}]", described, address(o));
}

std::string constant(const Operand& o) {
    const std::string bank = o.descriptor == Operand::none ? fmt::format("c[{}]", hexadecimal(o.number))
                                                           : fmt::format("cx[{}]", register_name("UR", o.descriptor));
    // nvdisasm prints a blank before the offset where halves can be told apart.
    if (!o.name.empty()) return fmt::format("{} [{}]", bank, address(o));
    return fmt::format("{}[{}]", bank, address(o));
}

std::string label(const Operand& o) {
    if (o.uniform != Operand::none) return fmt::format("{} {}", register_name("UR", o.uniform), hexadecimal(o.value));
    if (o.base == Operand::none) return hexadecimal(o.value);
    return fmt::format("{} {}", register_name("R", o.base), hexadecimal(o.value));
}

// "{5,4,0}"
std::string list(int64_t mask) {
    std::string text;
    for (int bit = 5; bit >= 0; --bit)
        if (mask >> bit & 1) text += fmt::format("{}{}", text.empty() ? "{" : ",", bit);
    return text.empty() ? "{}" : text + "}";
}

std::string body(const Operand& o) {
    switch (o.kind) {
    case OperandKind::register_: return register_name("R", o.number);
    case OperandKind::uniform_register: return register_name("UR", o.number);
    case OperandKind::predicate: return predicate_name("P", o.number);
    case OperandKind::uniform_predicate: return predicate_name("UP", o.number);
    case OperandKind::special_register:
    case OperandKind::word: return std::string(o.name);
    case OperandKind::barrier: return fmt::format("B{}", o.number);
    case OperandKind::scoreboard: return fmt::format("{}{}", o.name.empty() ? "SB" : o.name, o.number);
    case OperandKind::scoreboards: return list(o.value);
    case OperandKind::descriptor: return fmt::format("desc[{}]", register_name("UR", o.number));
    case OperandKind::integer:
        return o.name == "unsigned" ? fmt::format("0x{:x}", static_cast<uint64_t>(o.value)) : hexadecimal(o.value);
    case OperandKind::float16_pair: return pair(o);
    case OperandKind::float32: return decimal32(static_cast<uint32_t>(o.value));
    case OperandKind::float64: return decimal64(static_cast<uint64_t>(o.value) << 32);
    case OperandKind::constant: return constant(o);
    case OperandKind::memory: return memory(o);
    case OperandKind::matrix: return fmt::format("gdesc[{}]", register_name("UR", o.number));
    case OperandKind::label: return label(o);
    }
    return {};
}

bool is_predicate(OperandKind kind) { return kind == OperandKind::predicate || kind == OperandKind::uniform_predicate; }

} // namespace

std::string print(const Operand& o) {
    std::string text = body(o);
    if (o.absolute) text = fmt::format("|{}|", text);
    if (o.negated) text.insert(0, is_predicate(o.kind) ? "!" : "-");
    if (o.inverted) text.insert(0, "~");
    if (o.reuse) text += ".reuse";
    if (!o.suffix.empty() && o.kind != OperandKind::memory) text += fmt::format(".{}", o.suffix);
    return text;
}

std::string print(const Instruction& i) {
    if (!i.known()) return fmt::format(".dword 0x{:016x}, 0x{:016x}", i.word.low, i.word.high);
    std::string text;
    if (i.guarded())
        text = fmt::format("@{}{} ", i.guard_negated ? "!" : "", predicate_name(i.guard_uniform ? "UP" : "P", i.guard));
    text += i.opcode;
    for (const std::string_view modifier : i.modifiers) fmt::format_to(std::back_inserter(text), ".{}", modifier);
    std::string_view separator = " ";
    for (const Operand& o : i.operands) {
        if (!o.shown) continue;
        text += separator;
        text += print(o);
        separator = ", ";
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

std::string print(const trace::Control& c) {
    std::string text = fmt::format("stall {}", c.stall);
    if (c.yield) text += ", yield";
    if (c.write_barrier != trace::Control::none) text += fmt::format(", sets SB{} when written", c.write_barrier);
    if (c.read_barrier != trace::Control::none) text += fmt::format(", sets SB{} when read", c.read_barrier);
    if (c.wait_mask) text += ", waits for";
    for (int barrier = 0; barrier < 6; ++barrier)
        if (c.wait_mask >> barrier & 1) text += fmt::format(" SB{}", barrier);
    return text;
}

} // namespace sass
