// The forms of instructions: opcode_table.inc, read once. A row's pattern looks as nvdisasm prints the instruction, with the place of
// every part in the word. Its grammar stands above the rows; what a field's values are called, in field_table.inc.
#pragma once

#include "sass/instruction.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sass {

enum class Number : uint8_t { u32, s32, f32, f64, f16 }; // what an immediate in the place of a register is

struct Field { // values of some bits of the word
    struct Words {
        int first_sm = 0, last_sm = 0;
        std::vector<std::string_view> words; // of the values from 0 on; empty: none is printed; "?": no such value
    };
    std::string_view name;
    std::vector<Words> by_architecture;
};

struct Bits { // up to 16 bits of the word, the lowest first; not always beside each other
    uint8_t count = 0;
    uint8_t at[16] = {};
};

struct ModifierForm {
    std::string_view word; // that always stands there, or of a flag
    const Field* field = nullptr;
    Bits bits;               // none: always
    bool when_clear = false; // a flag that is printed when its bit is 0
};

struct OperandForm {
    static constexpr uint8_t none = 0xFF, usual = 0xFE;

    std::string_view name;
    uint8_t position = none, width = 0;                       // bits of the word
    uint8_t negated = none, absolute = none, inverted = none; // bits; usual: where operands of this place have them
    uint8_t registers = 0;                                    // 0: usual
    std::string_view width_of; // the field whose word tells how many registers, or a modifier with which it is two
    bool written = false, hidden_if_true = false, hidden_if_not_true = false;
    std::vector<std::string_view> only_with, only_without; // modifiers
    const Field* suffix = nullptr;
    Bits suffix_bits;
};

struct Form {
    uint16_t code = 0;                  // nine bits, or all twelve where they are more
    uint8_t marked = 0, mark_width = 0; // bits that must hold `mark`
    uint16_t mark = 0;
    int first_sm = 0, last_sm = 0;
    trace::Kind kind = trace::Kind::arithmetic;
    trace::Space space = trace::Space::none;
    uint8_t traits = 0;
    Number number = Number::u32;
    std::string_view opcode;
    std::vector<ModifierForm> modifiers;
    std::vector<OperandForm> operands;
};

// The form of an instruction; null: none is known.
const Form* find_form(int sm, Word);

const std::vector<Form>& forms();

} // namespace sass
