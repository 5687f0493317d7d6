// What a kernel computes of the launch and the block's index alone, so that all threads of a block have it, at all times.
#pragma once

#include "sim/kinds/forms.h"
#include "sim/run/register_files.h"

namespace sim {

// A program in which each register has a row of its own, and how its operations are looked at.
struct Code {
    const Program& p;
    // Rows that an operation reads: 0 to 7 as in Operation, and
    static constexpr int address = 8, source = 9, guard = 10, slots = 11;

    const Operation& op(uint32_t n) const { return p.operations[n]; }
    Handler handler(uint32_t n) const { // its own, whatever looks first
        const Operation& o = op(n);
        return o.tracked ? p.tracked[o.tracked].full : o.watched ? p.watched[o.watched].full : o.full;
    }
    uint32_t size() const { return static_cast<uint32_t>(p.operations.size()); }
    What what(uint32_t n) const { return op(n).what; }
    const Effect& effect(uint32_t n) const { return p.effects[n]; }
    bool writes(uint32_t n, int slot) const { return (effect(n).written >> slot & 1) && op(n).row[slot] != no_row; }
    static bool is_register(RowAt row) { return row != no_row && !(row & 1); }
    static RowAt row_of(const Operation& o, int slot) {
        return slot < 8 ? o.row[slot] : slot == address ? o.address : slot == source ? o.source : o.guard;
    }
    RowAt row(uint32_t n, int slot) const { return row_of(op(n), slot); }

    static constexpr RowAt unit = 4; // bytes: rows begin at multiples of it
    size_t rows() const { return p.register_bytes / unit + 1; }
    // Rows 0 to 7 that are read.
    template <class F>
    void each_read(uint32_t n, F f) const { // f(slot)
        for (int slot = 0; slot < 8; ++slot)
            if (op(n).row[slot] != no_row && !writes(n, slot)) f(slot);
    }
};

bool is_of_the_block(ptx::Special);

class UniformValues {
public:
    UniformValues(const Code&, const Launch&);

    bool is_uniform(uint32_t operation) const { return operations_[operation]; }
    bool row_is_uniform(RowAt row) const { return !Code::is_register(row) || rows_[row / Code::unit].uniform; }
    bool row_is_constant(RowAt row) const {
        return !Code::is_register(row) || rows_[row / Code::unit].constant;
    }                                                             // not even of the index
    std::optional<uint64_t> constant(uint32_t n, int slot) const; // that the operation reads there, if it is one
    bool is_constant_load(uint32_t n) const; // of one number from the file's constants, which no block changes

    // Their values, by block. False: they are too many.
    bool compute(std::vector<FormTable::Variable>&);

private:
    struct Flags {
        bool uniform = false, constant = false;
    };
    static constexpr uint64_t most_computed = 1 << 24; // blocks for which variables are computed

    void find_specials();
    void find_operations();
    bool is_pure(uint32_t n) const;
    void load_constant(uint32_t n);
    void execute(uint64_t begin, bool of_blocks);
    int64_t lane(RowAt, uint8_t width, uint32_t n) const;

    const Code& code_;
    const Launch launch_;
    std::vector<Flags> rows_;
    std::vector<bool> operations_;
    AlignedBytes file_, constants_;
    Warp warp_;
};

} // namespace sim
