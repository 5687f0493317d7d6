#include "timing/machine.h"

#include <array>

namespace timing {

std::span<const ConstantRow> constant_rows() {
    static constexpr std::array rows = {
#define CONSTANT(name, value, unit, from, meaning) ConstantRow{#name, value, unit, from, meaning, &Machine::name},
#include "timing/machine_table.inc"
#undef CONSTANT
    };
    return rows;
}

const Machine* machine(std::string_view arch) {
    static constexpr Machine hopper;
    return arch == "sm_90" || arch == "sm_90a" ? &hopper : nullptr;
}

} // namespace timing
