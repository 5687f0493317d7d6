// The registers that an instruction reads and writes, each with a number of its own whichever file it is of.
#pragma once

#include "sass/instruction.h"

#include <cstdint>
#include <string>

namespace sass {

// R0 to R254, UR0 to UR254, P0 to P6, UP0 to UP6.
constexpr uint16_t register_count = 255 + 255 + 7 + 7;
constexpr uint16_t first_uniform = 255, first_predicate = 510, first_uniform_predicate = 517;

inline bool is_predicate(uint16_t slot) { return slot >= first_predicate; }

inline std::string register_name(uint16_t slot) {
    if (slot >= first_uniform_predicate) return "UP" + std::to_string(slot - first_uniform_predicate);
    if (slot >= first_predicate) return "P" + std::to_string(slot - first_predicate);
    if (slot >= first_uniform) return "UR" + std::to_string(slot - first_uniform);
    return "R" + std::to_string(slot);
}

// Calls take(slot) for every register of the operand but those that are always zero or true: also those of an address.
template <class Take>
void for_each_register(const Operand& o, Take take) {
    const auto some = [&](uint16_t file, uint16_t number, uint32_t count) {
        if (number == Operand::none || number == zero_register) return;
        for (uint32_t n = number; n < number + count && n < zero_register; ++n) take(static_cast<uint16_t>(file + n));
    };
    const auto one = [&](uint16_t file) {
        if (o.number < true_predicate) take(static_cast<uint16_t>(file + o.number));
    };
    switch (o.kind) {
    case OperandKind::register_: some(0, o.number, o.registers); break;
    case OperandKind::uniform_register: some(first_uniform, o.number, o.registers); break;
    case OperandKind::predicate: one(first_predicate); break;
    case OperandKind::uniform_predicate: one(first_uniform_predicate); break;
    case OperandKind::descriptor: some(first_uniform, o.number, 2); break;
    case OperandKind::matrix: some(first_uniform, o.number, o.registers); break;
    default: break;
    }
    some(0, o.base, o.kind == OperandKind::memory ? o.registers : 1);
    some(first_uniform, o.uniform, 1);
    some(first_uniform, o.descriptor, 2);
}

} // namespace sass
