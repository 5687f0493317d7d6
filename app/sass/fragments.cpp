#include "sass/fragments.h"

#include <algorithm>
#include <charconv>

namespace sass {
namespace {

struct Shape {
    unsigned m = 0, n = 0, k = 0;
};

unsigned number(std::string_view text) {
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// Of a warp's products M is 8 or 16 and N is 8; nothing where the modifier is no shape.
Shape shape_of(std::string_view text) {
    if (const size_t first = text.find('x'); first != text.npos) {
        const size_t second = text.find('x', first + 1);
        if (second == text.npos) return {};
        return {number(text), number(text.substr(first + 1)), number(text.substr(second + 1))};
    }
    if (text.starts_with("8")) return {8, 8, number(text.substr(2))};
    if (text.starts_with("16")) return {16, 8, number(text.substr(3))};
    return {};
}

unsigned element_bits(const Instruction& i) {
    const auto has = [&](std::string_view modifier) { return i.has(modifier); };
    if (i.opcode == "DMMA") return 64;
    if (i.opcode == "BMMA" || i.opcode == "BGMMA") return 1;
    if (i.opcode == "QMMA" || i.opcode == "QGMMA") return 8;
    if (i.opcode == "IMMA") return has("S4") || has("U4") ? 4 : 8;
    return has("TF32") ? 32 : 16;
}

} // namespace

void set_fragments(Instruction& i) {
    constexpr unsigned register_bits = 32, warp = 32, warps_of_group = 4;
    Shape shape;
    for (const std::string_view modifier : i.modifiers)
        if (shape.k == 0) shape = shape_of(modifier);
    const unsigned threads = shape.m == 64 ? warps_of_group * warp : warp, bits = element_bits(i);
    const unsigned sum_bits = i.opcode == "DMMA" ? 64 : i.has("F16") ? 16 : 32;
    const auto registers = [&](unsigned elements, unsigned bits_of_one) {
        return static_cast<uint8_t>(std::max(elements * bits_of_one / (threads * register_bits), 1u));
    };
    const uint8_t sums = registers(shape.m * shape.n, sum_bits);
    const uint8_t a = registers(shape.m * shape.k / (i.has("SP") ? 2 : 1), bits); // half of A is not stored
    const uint8_t b = registers(shape.n * shape.k, bits);
    const bool group = shape.m == 64; // B, and A where no register stands for it, lie in shared memory
    size_t place = 0;
    for (Operand& o : i.operands) {
        if (o.kind != OperandKind::register_) continue;
        const uint8_t of_warp[] = {sums, a, b, sums}, of_group[] = {sums, a, sums, sums};
        const bool from_shared = group && place == 1 && i.operands[1].kind == OperandKind::matrix;
        if (place < 4) o.registers = from_shared ? sums : group ? of_group[place] : of_warp[place];
        ++place;
    }
}

} // namespace sass
