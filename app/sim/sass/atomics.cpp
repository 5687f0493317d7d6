// Atomic operations on memory.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

namespace {

struct Element {
    std::string_view word;
    Type type;
    uint8_t count; // side by side, each atomic by itself
};
constexpr Element elements[] = {{"S32", Type::s32, 1},       {"64", Type::u64, 1},        {"S64", Type::s64, 1},
                                {"128", Type::b128, 1},      {"F16x2", Type::f16x2, 1},   {"F16x4", Type::f16x2, 2},
                                {"F16x8", Type::f16x2, 4},   {"BF16x2", Type::bf16x2, 1}, {"BF16x4", Type::bf16x2, 2},
                                {"BF16x8", Type::bf16x2, 4}, {"F32", Type::f32, 1},       {"F32x2", Type::f32, 2},
                                {"F32x4", Type::f32, 4},     {"F64", Type::f64, 1}};

constexpr std::pair<std::string_view, Modifier> functions[] = {
    {"ADD", Modifier::add},   {"MIN", Modifier::min},  {"MAX", Modifier::max}, {"INC", Modifier::inc},
    {"DEC", Modifier::dec},   {"AND", Modifier::and_}, {"OR", Modifier::or_},  {"XOR", Modifier::xor_},
    {"EXCH", Modifier::exch}, {"CAS", Modifier::cas},  {"CAST", Modifier::cas}};

} // namespace

// A value of 4, 8 or 16 bytes.
RowAt Lowering::read_wide(const Operand& o, uint32_t bytes) {
    if (bytes == 4) return plain(o);
    const RowAt low = joined(second_of(o, 0), second_of(o, 1));
    return bytes == 8 ? low : joined(low, joined(second_of(o, 2), second_of(o, 3)), 8);
}

void Lowering::write_wide(const Operand& o, RowAt whole, uint32_t bytes) {
    if (bytes == 8) return split(whole, written(o, 0), written(o, 1));
    const RowAt low = new_register(8), high = new_register(8);
    split(whole, low, high, 8);
    split(low, written(o, 0), written(o, 1));
    split(high, written(o, 2), written(o, 3));
}

// ATOM, ATOMG p, d, address, b, c; ATOMS d, address, b, c; RED, REDG address, b.
void Lowering::atomic() {
    if (i_->has("ARRIVE")) return no_mbarriers();
    Modifiers how;
    Element element{"", Type::u32, 1};
    for (const std::string_view word : i_->modifiers) {
        for (const auto& [name, m] : functions)
            if (name == word) how.add(m);
        for (const Element& e : elements)
            if (e.word == word) element = e;
    }
    const auto& all = i_->operands;
    const auto place = std::find_if(all.begin(), all.end(), [](const Operand& o) { return o.kind == Kind::memory; });
    const bool reduces = i_->opcode.starts_with("RED"), counts = i_->has("POPC"); // .POPC.INC: by one a lane
    if (place == all.end() || (i_->opcode.starts_with("ATOM") && i_->opcode != "ATOMS" && !is_true(at(0))))
        return cannot();
    const Operand* to = reduces ? nullptr : &*(place - 1);
    const bool returns = to && to->number != sass::zero_register, tests = i_->has("CAST");
    if (counts) {
        if (returns) return cannot();
        how = Modifiers{}.add(Modifier::add);
    }
    const uint32_t bytes = ptx::bytes(element.type);
    Operation where;
    where.space = space_of_access();
    const RowAt row = address(*place, where);
    WideRows wide;
    RowAt b = no_row, c = no_row, old = no_row;
    if (element.count > 1) {
        for (uint32_t n = 0; n < element.count; ++n) {
            wide.read.push_back(second_of(*(place + 1), n));
            if (to) wide.written.push_back(returns ? written(*to, n) : no_row);
        }
    } else {
        b = counts ? constant(1, 4) : read_wide(*(place + 1), bytes);
        if (how.has(Modifier::cas)) c = read_wide(*(place + 2), bytes);
        if (returns) old = bytes == 4 && !tests ? written(*to) : new_register(static_cast<uint8_t>(bytes));
    }
    Operation& op = append(What::atomic, old == no_row ? 0 : 1);
    op.address = row;
    op.offset = where.offset, op.address_bytes = where.address_bytes, op.space = where.space;
    op.bytes = static_cast<uint8_t>(bytes);
    op.elements = element.count;
    op.strength = Strength::atomic;
    op.reaches_cluster = op.space == Space::generic;
    const int first = reduces ? 0 : 1;
    if (!reduces) op.row[0] = old;
    op.row[first] = b, op.row[first + 1] = c;
    for (uint8_t& width : op.width) width = static_cast<uint8_t>(bytes);
    if (element.count > 1) {
        op.wide = static_cast<uint32_t>(program_.wide.size());
        program_.wide.push_back(std::move(wide));
    }
    choose(op, {.opcode = reduces ? Opcode::red : Opcode::atom,
                .modifiers = how,
                .type = element.type,
                .source_type = element.type,
                .read = element.count});
    if (tests && returns) say_whether_swapped(*to, old, b, bytes);
    else if (returns && element.count == 1 && bytes > 4) write_wide(*to, old, bytes);
}

// ATOMS.CAST gives 1 where it has swapped, and 0 where something else was there.
void Lowering::say_whether_swapped(const Operand& to, RowAt old, RowAt expected, uint32_t bytes) {
    const RowAt same = new_register(0);
    Operation& op = append(What::compare, 1);
    op.row[0] = same, op.row[2] = old, op.row[3] = expected;
    op.width[2] = op.width[3] = static_cast<uint8_t>(bytes);
    const Type type = bytes == 8 ? Type::u64 : Type::u32;
    choose(op, {.opcode = Opcode::setp, .modifiers = Modifiers{}.add(Modifier::eq), .type = type, .source_type = type});
    if (bytes == 8) compute(What::move, Opcode::mov, Type::b32, {}, {written(to, 1), 4}, {{constant(0, 4), 4}});
    compute(What::select, Opcode::selp, Type::b32, {}, {written(to), 4},
            {{constant(1, 4), 4}, {constant(0, 4), 4}, {same, 0}});
}

} // namespace sim
