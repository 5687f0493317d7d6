// One machine instruction of sm_75 to sm_120, decoded wholly: what an executor runs and what the printer prints as nvdisasm does.
//
// Operands stand in nvdisasm's order: what is written first, then what is read. Each says its kind, its first register and how many
// 32-bit registers it takes: 2 for a 64-bit value or address, 4 for LDG.128. A vector is aligned, so that its first register
// tells the rest; one written at RZ is thrown away whole, one read from RZ is zero.
//
// Modifiers are nvdisasm's words without their dots: FFMA.FTZ.RM has "FTZ" and "RM". Defaults have no word: FFMA without RM, RP
// and RZ rounds to the nearest even. `has` asks for one.
//
// Predicate operands that nvdisasm leaves out, because they are PT or !PT, are in `operands`, too, and `shown` is false: an IADD3
// always has two carries out and, with .X, two in.
#pragma once

#include "trace/machine.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sass {

using trace::instruction_bytes;

struct Word { // as it lies in the code, the low half first
    uint64_t low = 0, high = 0;
};

// `count` bits from `first` on, at most 64.
inline uint64_t bits(Word word, unsigned first, unsigned count) {
    const uint64_t mask = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    if (first >= 64) return word.high >> (first - 64) & mask;
    return (first == 0 ? word.low : word.low >> first | word.high << (64 - first)) & mask;
}

constexpr uint16_t zero_register = 255, true_predicate = 7;

enum class OperandKind : uint8_t {
    register_,        // R0 to R254; RZ
    uniform_register, // UR0 to UR62, from sm_100 on to UR254; URZ, which has the number zero_register on every architecture
    predicate,        // P0 to P6; PT
    uniform_predicate, // UP0 to UP6; UPT
    special_register,  // SR_TID.X: `number` is its own, `name` its name
    barrier,           // B0 to B15: of BSSY, BSYNC, BREAK
    scoreboard,        // SB0 to SB5: of DEPBAR; gsb0 of a warp group's products
    scoreboards,       // {5,4,0}: `value` has their bits
    descriptor,        // desc[UR]
    integer,           // `value`: as wide as the field, sign-extended where nvdisasm prints a sign
    float16_pair,      // `value`: two FP16 or BF16, the low lane in the low half; printed high lane first
    float32,           // `value`: its bits
    float64,           // `value`: the high 32 bits of it; the low ones are 0
    constant, // c[bank][base + value]; with `descriptor` (cx[UR][...]) the bank's address is in uniform registers
    memory,   // [base + uniform + value]; its space is the opcode's
    matrix,   // gdesc[UR]: a matrix in shared memory that 64 bits in uniform registers describe
    label, // `value`: address of an instruction, with `base` added where that is a register; of BRX counted from the next instruction
    word,  // `name`: what always stands there, as PR of R2P
};

struct Operand {
    static constexpr uint16_t none = 0xFFFF;

    OperandKind kind = OperandKind::integer;
    uint8_t registers = 1;      // 32-bit registers from `number` on, of a register; of memory: of its address
    bool written = false;       // else it is read
    bool shown = true;          // nvdisasm prints it
    bool negated = false;       // -R, before `absolute` in the text and after it in effect; of a predicate: !P
    bool absolute = false;      // |R|
    bool inverted = false;      // ~R
    bool reuse = false;         // the operand is kept in the reuse cache
    uint16_t number = 0;        // of the register, predicate, barrier or constant bank
    uint16_t base = none;       // register of an address
    uint8_t scale = 1;          // by which `base` is multiplied
    uint16_t uniform = none;    // uniform register of an address
    uint16_t descriptor = none; // uniform registers with the descriptor of memory: desc[UR]; of a constant: cx[UR]
    int64_t value = 0;
    std::string_view name;   // static text; of an integer "unsigned" where 64 bits are printed without a sign
    std::string_view suffix; // without its dot: "H0_H0", "COL", "B1"; of an address: how `base` is read, "U32" or "64"
};

struct Instruction {
    uint64_t address = 0; // bytes from the start of the kernel's code
    Word word;
    std::string_view opcode; // "FFMA"; static text; empty: the word is not in the table, and all that follows is empty
    uint8_t guard = true_predicate;
    bool guard_negated = false;
    bool guard_uniform = false; // @UP0
    trace::Control control;
    std::vector<std::string_view> modifiers;
    std::vector<Operand> operands;

    // What the table says of the opcode.
    trace::Kind kind = trace::Kind::arithmetic;
    // Of a load, store or atomic whose opcode names it; where an asynchronous copy leads to. Generic accesses: none.
    trace::Space space = trace::Space::none;
    uint8_t bytes = 0;  // per lane, of a load, store or asynchronous copy
    uint8_t traits = 0; // of Trait

    bool known() const { return !opcode.empty(); }
    bool guarded() const { return guard != true_predicate || guard_negated; }
    bool has(std::string_view modifier) const;
};

enum Trait : uint8_t {
    ends = 1,     // never goes on to the next instruction, unless a predicate says so
    indirect = 2, // a branch whose target stands in a register
    call = 4,
    uniform = 8, // of the uniform datapath: once for the warp, its registers and its guard are uniform
};

} // namespace sass
