// Which operation wrote what another one reads: reaching definitions (Aho, Lam, Sethi, Ullman, "Compilers", 9.2.4), over the ways that
// lanes of a block went.
#pragma once

#include "sim/kinds/uniform_values.h"
#include "sim/run/path_condition.h"

#include <map>

namespace sim {

class ReachingWriters {
public:
    static constexpr uint32_t nobody = ~uint32_t{0}; // it may be one of several, or none

    explicit ReachingWriters(const Code&);
    static Edges all_edges(const Code&); // that the program has
    void find(const Edges&);

    uint32_t of(uint32_t n, int slot) const;

private:
    static constexpr uint32_t single = ~uint32_t{0};
    using State = std::vector<uint32_t>; // by number of the row: who wrote it last

    bool is_known(uint32_t n) const;
    void pass(uint32_t n, State&) const;
    template <class F>
    void each_next(uint32_t n, const Edges&, F f) const; // f(operation)
    uint32_t number(RowAt row) const { return number_[row / Code::unit]; }

    const Code& code_;
    std::vector<bool> leader_;   // operations to which ways lead that part or meet
    std::vector<uint32_t> only_; // by row: the one operation that writes it
    std::vector<uint32_t>
        number_; // by row, of those that several write, or that are read before that; `single`: the others
    uint32_t numbers_ = 0;
    std::vector<std::array<uint32_t, Code::slots>> writers_; // by operation and slot, of rows with a number
};

} // namespace sim
