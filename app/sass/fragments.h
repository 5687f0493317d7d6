// How many registers each thread holds of the matrices that a product multiplies.
#pragma once

#include "sass/instruction.h"

namespace sass {

// Sets Operand::registers of HMMA, IMMA, BMMA, DMMA, QMMA and of a warp group's products, from the shape among the modifiers: "16816"
// is M = 16, N = 8, K = 16; "64x128x16" is M, N, K.
void set_fragments(Instruction&);

} // namespace sass
