// Words of machine code to instructions, by the table of forms.
#pragma once

#include "sass/instruction.h"

namespace sass {

// `address` counts bytes from the start of the kernel's code. An opcode, or a value of a field, that the table does not have gives an
// instruction that is not known().
Instruction decode(int sm, Word, uint64_t address);

} // namespace sass
