// Accesses whose addresses come from a register that gave another access to the same space its own, unchanged since: they share a Pattern.
#include "sim/program/passes.h"

#include <algorithm>

namespace sim {

void find_patterns(Assembly& a) {
    std::vector<Operation>& operations = a.program.operations;
    uint32_t& patterns = a.program.patterns;
    const Graph& g = a.graph;
    struct First {
        RowAt address, upper;
        uint32_t bytes, operation;
    };
    std::vector<First> known; // whose register holds the same still
    for (uint32_t n = 0; n < operations.size(); ++n) {
        Operation& op = operations[n];
        if (n == g.first[g.block_of[n]]) known.clear();
        if (op.address != no_row) {
            op.memory_number = a.program.accesses++;
            const bool plain = op.guard == no_row && (op.what == What::load || op.what == What::store);
            const uint32_t bytes = uint32_t{op.bytes} * op.elements;
            const auto same = std::find_if(known.begin(), known.end(), [&](const First& f) {
                return f.address == op.address && f.upper == op.address_upper && f.bytes == bytes &&
                       operations[f.operation].space == op.space;
            });
            op.follows = plain && same != known.end();
            op.pattern = op.follows ? operations[same->operation].pattern : patterns++;
            if (op.follows) op.beyond = op.offset - operations[same->operation].offset;
            else if (plain) known.push_back({op.address, op.address_upper, bytes, n});
            constexpr size_t most = 16;
            if (known.size() > most) known.erase(known.begin());
        }
        if (op.flow != Flow::next) known.clear(); // lanes or warps may take turns here
        each_register(a.program, n, [&](uint32_t r, bool written) {
            if (written) std::erase_if(known, [&](const First& f) { return f.address == r << 1 || f.upper == r << 1; });
        });
    }
}

} // namespace sim
