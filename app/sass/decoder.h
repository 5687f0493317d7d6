// One machine instruction: 128 bits on every architecture from sm_75 on. Which it is, under which guard, how wide an access,
// where a branch goes; not its registers.
#pragma once

#include "trace/machine.h"

#include <cstdint>

namespace sass {

constexpr uint32_t instruction_bytes = 16;

struct Word { // as it lies in the code, the low half first
    uint64_t low = 0, high = 0;
};

// `index` counts instructions from the kernel's start. A branch's target is given as if the kernel had no end. Lines stay 0.
trace::MachineInstruction decode(int sm, Word, uint32_t index);

} // namespace sass
