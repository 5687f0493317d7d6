// Instructions as nvdisasm -raw prints them, without the semicolon: "@!P0 FFMA.FTZ R4, R2.reuse, R3, -R4".
#pragma once

#include "sass/instruction.h"

#include <string>

namespace sass {

// Of an instruction that is not known: ".dword 0x..., 0x...".
std::string print(const Instruction&);

std::string print(const Operand&);

// "stall 4, yield, sets SB0 when written, SB1 when read, waits for SB0 SB2": what nvdisasm does not print.
std::string print(const trace::Control&);

} // namespace sass
