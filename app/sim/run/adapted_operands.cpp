// Operands as machine code has them and no lane handler takes them (Adaption): put into rows of their own, and results out of them.
#include "sim/run/block.h"

namespace sim {
namespace {

template <class T>
void change(Warp& w, const Adapted::Operand& o) {
    const T* from = row<T>(w, o.at);
    T* to = row<T>(w, o.taken);
    for (int i = 0; i < trace::warp_size; ++i)
        to[i] = static_cast<T>(((from[i] & static_cast<T>(o.keep)) ^ static_cast<T>(o.flip)) + static_cast<T>(o.add));
}

void join(Warp& w, const Adapted::Operand& o) {
    const uint32_t *low = row<uint32_t>(w, o.at), *high = row<uint32_t>(w, o.high);
    uint64_t* to = row<uint64_t>(w, o.taken);
    for (int i = 0; i < trace::warp_size; ++i) to[i] = (((uint64_t{high[i]} << 32 | low[i]) & o.keep) ^ o.flip) + o.add;
}

void part(Warp& w, const Adapted::Operand& o, uint32_t active) {
    uint32_t *low = row<uint32_t>(w, o.at), *high = row<uint32_t>(w, o.high);
    const uint64_t* from = row<uint64_t>(w, o.taken);
    for (int i = 0; i < trace::warp_size; ++i)
        if (active >> i & 1) low[i] = static_cast<uint32_t>(from[i]), high[i] = static_cast<uint32_t>(from[i] >> 32);
}

} // namespace

void adapt_operands(Warp& w, const Operation& op, uint32_t active) {
    const Adapted& adapted = w.block->context.program.adapted[op.adapted];
    for (const Adapted::Operand& o : adapted.sources) {
        if (o.high != no_row) join(w, o);
        else if (o.width == 8) change<uint64_t>(w, o);
        else if (o.width == 4) change<uint32_t>(w, o);
        else change<uint16_t>(w, o);
    }
    (active == ~0u ? adapted.full : adapted.masked)(w, op, active);
    for (const Adapted::Operand& o : adapted.results) part(w, o, active);
}

} // namespace sim
