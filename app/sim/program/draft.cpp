#include "sim/program/draft.h"

#include "base/memory.h"

#include <algorithm>

namespace sim {

RowAt Draft::add_register(uint8_t width, bool pinned) {
    registers.push_back({.width = width, .pinned = pinned, .kept = pinned});
    return static_cast<RowAt>(registers.size() - 1) << 1;
}

RowAt Draft::constant(Constant c) {
    c.at = 0;
    auto [it, fresh] = constant_rows_.try_emplace(c, program.constant_bytes | 1);
    if (fresh) {
        c.at = it->second;
        program.constants.push_back(c);
        program.constant_bytes += constant_row_bytes;
    }
    return it->second;
}

RowAt Draft::value(uint64_t bits, uint8_t width) {
    if (width == 0) bits = bits ? 0xFFFFFFFF : 0;
    if (width == 2) bits &= 0xFFFF;
    if (width == 4) bits &= 0xFFFFFFFF;
    return constant({.width = width, .bits = bits});
}

RowAt Draft::special(ptx::Special s, uint8_t width) {
    const auto known = std::find_if(program.specials.begin(), program.specials.end(),
                                    [&](const SpecialRow& row) { return row.special == s && row.width == width; });
    if (known != program.specials.end()) return known->at;
    const RowAt at = add_register(width, true);
    program.specials.push_back({s, at, width}); // made a place by finish()
    return at;
}

base::Sentence no_room_for_variables(uint64_t bytes) {
    constexpr uint64_t always_there = 16u << 20;
    if (bytes <= always_there) return {};
    // Twice: as they start, and as a run changes them.
    const auto fits = base::fits_memory(2 * static_cast<double>(bytes), base::say("keeping the file's variables"));
    return fits ? base::Sentence() : fits.error().what;
}

base::Sentence too_much_local_memory() {
    return base::say("the kernel needs more than 512 KB of local memory a thread");
}

} // namespace sim
