// Operands as machine code has them and no lane handler takes them (Adaption): a handler before theirs puts the values into rows that no
// register has, and takes results out of such rows.
#include "sim/program/passes.h"
#include "trace/trace.h"

#include <algorithm>

namespace sim {
namespace {

constexpr uint32_t scratch_bytes = 8 * trace::warp_size; // of a row, whatever its width

RowAt& place_of(Operation& op, const Adaption& a) {
    return a.place == Adaption::address ? op.address : a.place == Adaption::source ? op.source : op.row[a.slot];
}

} // namespace

void adapt_operands(Assembly& a) {
    Program& p = a.program;
    for (const auto& [n, adaptions] : a.draft.adaptions) {
        Operation& op = p.operations[n];
        op.adapted = static_cast<uint32_t>(p.adapted.size());
        p.adapted.push_back({.full = op.full, .masked = op.masked, .sources = {}, .results = {}});
        op.full = op.masked = adapt_operands;
    }
}

void place_adapted(Assembly& a) {
    Program& p = a.program;
    size_t most = 0; // of one operation: the next may use the same rows again
    for (const auto& [n, adaptions] : a.draft.adaptions) {
        Operation& op = p.operations[n];
        Adapted& adapted = p.adapted[op.adapted];
        for (const Adaption& one : adaptions) {
            RowAt& at = place_of(op, one);
            const RowAt taken = p.register_bytes +
                                static_cast<uint32_t>(adapted.sources.size() + adapted.results.size()) * scratch_bytes;
            const uint8_t width = one.high != no_row ? 8 : op.width[one.slot];
            const RowAt high = one.high == no_row ? no_row : a.place[one.high >> 1];
            const bool written = one.place == Adaption::row && p.effects[n].written >> one.slot & 1;
            (written ? adapted.results : adapted.sources)
                .push_back({at, high, taken, width, one.keep, one.flip, one.add});
            at = taken;
        }
        most = std::max(most, adaptions.size());
    }
    p.register_bytes += static_cast<uint32_t>(most) * scratch_bytes;
}

} // namespace sim
