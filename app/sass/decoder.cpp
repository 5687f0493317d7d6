#include "sass/decoder.h"

#include <algorithm>
#include <iterator>

namespace sass {
namespace {

using trace::Kind;
using trace::Space;

enum Trait : uint8_t { predicates = 1, width = 2, ends = 4, indirect = 8, call = 16, matrices = 32 };

struct Opcode {
    uint16_t number;
    int first_sm, last_sm;
    std::string_view name;
    Kind kind;
    Space space;
    uint8_t traits;
};

constexpr Opcode opcodes[] = {
#define OPCODE(number, first, last, name, kind, space, traits)                                                         \
    {number, first, last, #name, Kind::kind, Space::space, traits},
#include "sass/opcode_table.inc"
#undef OPCODE
};

uint64_t bits(uint64_t word, unsigned first, unsigned count) { return word >> first & ((uint64_t{1} << count) - 1); }

const Opcode* find(int sm, uint16_t code) {
    const auto found = std::find_if(std::begin(opcodes), std::end(opcodes), [&](const Opcode& o) {
        return (o.number == code || o.number == (code & 0x1FF)) && sm >= o.first_sm && sm <= o.last_sm;
    });
    return found == std::end(opcodes) ? nullptr : found;
}

// Bytes per lane of a load or store: .U8 .S8 .U16 .S16, then 4, 8, 16.
uint8_t access_bytes(int sm, const Opcode& opcode, Word word) {
    static constexpr uint8_t sizes[] = {1, 1, 2, 2, 4, 8, 16, 0};
    const bool moved = sm >= 100 && opcode.kind == Kind::async_copy;
    return sizes[bits(word.high, moved ? 10 : 9, 3)];
}

// Bytes per lane of 1, 2 or 4 matrices of 8 rows by 16 bytes: .M88, .M88.2, .M88.4, as they are or transposed.
uint8_t matrix_bytes(Word word) {
    static constexpr uint8_t sizes[] = {4, 8, 16, 0};
    return sizes[bits(word.high, 8, 2)];
}

// Bytes from the next instruction to the target, in units of 4: 48 bits across the halves; from sm_90 on 8 more below them.
int64_t branch_distance(int sm, Word word) {
    const uint64_t field = bits(word.low, 34, 30) | bits(word.high, 0, 18) << 30;
    const int64_t distance = static_cast<int64_t>(field << 16) >> 16;
    return 4 * (sm >= 90 ? distance * 256 + static_cast<int64_t>(bits(word.low, 16, 8)) : distance);
}

void decode_branch(int sm, Word word, uint32_t index, const Opcode& opcode, trace::MachineInstruction& i) {
    constexpr uint64_t true_predicate = 7,
                       uniform_form = 2; // BRA.U depends on a uniform predicate that is encoded elsewhere
    i.ends = (opcode.traits & ends) != 0;
    i.indirect = (opcode.traits & indirect) != 0;
    const bool second = bits(word.high, 23, 3) != true_predicate || bits(word.high, 26, 1) != 0;
    const bool is_bra = opcode.name == "BRA";
    i.second_predicate = is_bra ? second || bits(word.low, 9, 3) == uniform_form : i.kind == Kind::exit && second;
    if (!is_bra && !(opcode.traits & call)) return;
    const int64_t distance = branch_distance(sm, word);
    if (distance % instruction_bytes == 0) i.target = int64_t{index} + 1 + distance / instruction_bytes;
}

} // namespace

trace::MachineInstruction decode(int sm, Word word, uint32_t index) {
    trace::MachineInstruction i;
    i.code = static_cast<uint16_t>(bits(word.low, 0, 12));
    i.guard = static_cast<uint8_t>(bits(word.low, 12, 3));
    i.guard_negated = bits(word.low, 15, 1) != 0;
    const Opcode* opcode = find(sm, i.code);
    if (!opcode) {
        i.writes_predicates = true; // it may
        return i;
    }
    i.opcode = opcode->name;
    i.kind = opcode->kind;
    i.space = opcode->space;
    i.writes_predicates = (opcode->traits & predicates) != 0;
    if (opcode->traits & matrices) i.bytes = matrix_bytes(word);
    if (opcode->traits & width) i.bytes = access_bytes(sm, *opcode, word);
    if (i.space == Space::shared) {
        i.base = static_cast<uint16_t>(bits(word.low, 24, 16));
        i.displacement = static_cast<int32_t>(static_cast<int64_t>(word.low) >> 40);
    }
    if (i.kind == Kind::branch || i.kind == Kind::exit) decode_branch(sm, word, index, *opcode, i);
    return i;
}

} // namespace sass
