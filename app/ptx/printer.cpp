#include "ptx/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ptx {
namespace {

using Out = std::back_insert_iterator<std::string>;

void print_list(Out out, const Module& m, const Function& f, const Operand& o, char open, char close);

void print_offset(Out out, int64_t offset) {
    if (offset > 0) fmt::format_to(out, "+{}", offset);
    if (offset < 0) fmt::format_to(out, "{}", offset); // "-8"
}

void print_operand(Out out, const Module& m, const Function& f, const Operand& o) {
    if (o.negated) *out++ = o.kind == OperandKind::reg ? '!' : '-';
    switch (o.kind) {
    case OperandKind::none: *out++ = '_'; break;
    case OperandKind::reg:
        fmt::format_to(out, "{}", register_name(f, o.index));
        if (o.part.bits) fmt::format_to(out, ".{}", o.part.bits == 8 ? 'b' : 'h');
        for (int n = o.part.count; n-- > 0;) fmt::format_to(out, "{}", o.part.number[n]);
        break;
    case OperandKind::immediate:
        if (o.literal == Literal::float32) fmt::format_to(out, "0f{:08X}", o.bits);
        else if (o.literal == Literal::float64) fmt::format_to(out, "0d{:016X}", o.bits);
        else fmt::format_to(out, "{}", static_cast<int64_t>(o.bits));
        break;
    case OperandKind::special: fmt::format_to(out, "{}", name(static_cast<Special>(o.index))); break;
    case OperandKind::variable:
        fmt::format_to(out, "{}", m.variables[static_cast<size_t>(o.index)].name);
        print_offset(out, o.offset);
        break;
    case OperandKind::address:
        *out++ = '[';
        print_operand(out, m, f, o.elements[0]);
        print_offset(out, o.offset);
        if (o.elements.size() > 1) {
            fmt::format_to(out, ", ");
            print_operand(out, m, f, o.elements[1]);
        }
        *out++ = ']';
        break;
    case OperandKind::vector: print_list(out, m, f, o, '{', '}'); break;
    case OperandKind::list: print_list(out, m, f, o, '(', ')'); break;
    case OperandKind::pair:
        print_operand(out, m, f, o.elements[0]);
        *out++ = '|';
        print_operand(out, m, f, o.elements[1]);
        break;
    case OperandKind::label: fmt::format_to(out, "{}", f.labels[static_cast<size_t>(o.index)].name); break;
    case OperandKind::function:
        fmt::format_to(out, "{}", o.index < 0 ? "?" : m.functions[static_cast<size_t>(o.index)].name);
        break;
    }
}

void print_list(Out out, const Module& m, const Function& f, const Operand& o, char open, char close) {
    *out++ = open;
    for (size_t i = 0; i < o.elements.size(); ++i) {
        if (i) fmt::format_to(out, ", ");
        print_operand(out, m, f, o.elements[i]);
    }
    *out++ = close;
}

} // namespace

std::string print(const Module& m, const Function& f, const Instruction& i) {
    if (i.opcode == Opcode::unknown) return m.unknown[static_cast<size_t>(i.unknown)].text;
    std::string text;
    Out out(text);
    if (i.guard >= 0) fmt::format_to(out, "@{}{} ", i.guard_negated ? "!" : "", register_name(f, i.guard));
    fmt::format_to(out, "{}", i.mnemonic);
    bool first = true;
    for (const Operand& o : i.operands) {
        if (o.kind == OperandKind::list && o.elements.empty()) continue; // a call without results or arguments
        fmt::format_to(out, "{}", first ? " " : ", ");
        print_operand(out, m, f, o);
        first = false;
    }
    *out++ = ';';
    return text;
}

std::string register_name(const Function& f, int32_t number) {
    auto it = std::upper_bound(f.registers.begin(), f.registers.end(), number,
                               [](int32_t n, const RegisterRange& r) { return n < r.first; });
    if (it == f.registers.begin()) return "%?";
    --it;
    return it->numbered ? fmt::format("{}{}", it->name, number - it->first) : it->name;
}

Type register_type(const Function& f, int32_t number) {
    auto it = std::upper_bound(f.registers.begin(), f.registers.end(), number,
                               [](int32_t n, const RegisterRange& r) { return n < r.first; });
    return it == f.registers.begin() ? Type::none : std::prev(it)->type;
}

} // namespace ptx
