// The operations that decide what is counted: which instructions are executed by which lanes, and where they access memory. What the
// others compute is never looked at, so a block that is only counted need not compute it (Weiser 1981, "Program Slicing").
#pragma once

#include "sim/kinds/uniform_values.h"

namespace sim {

class Slice {
public:
    Slice(const Code&, const UniformValues&);

    bool decides(uint32_t n) const; // what the operation writes
    // Lets the operations of `executed`, the program of this code, leave out what decides nothing.
    void apply(Program& executed) const;

private:
    bool only_makes_data(uint32_t n) const;
    bool needs(uint32_t n, int slot) const;
    bool mark(RowAt);
    bool mark_reads(uint32_t n, bool all);

    const Code& code_;
    const UniformValues& uniform_;
    std::vector<bool> needed_; // by row
};

} // namespace sim
