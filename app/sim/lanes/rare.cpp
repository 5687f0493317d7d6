// Handlers of everything that is not in lanes.inc: rare in kernels that care for speed, so compiled once, for any
// processor. Exact operations give the same bits wherever they are compiled.

#include "sim/lanes/lanes_core.inc"
#include "sim/lanes/special_function.h"
#include "sim/lanes/tf32.h"

namespace sim {
namespace {

// In this order: each uses those before it.
// clang-format off
#include "sim/lanes/lanes_integer.inc"
#include "sim/lanes/lanes_float.inc"
#include "sim/lanes/lanes_predicate.inc"
#include "sim/lanes/lanes_convert.inc"
#include "sim/lanes/lanes_memory.inc"
#include "sim/lanes/rare_integer.inc"
#include "sim/lanes/rare_float.inc"
#include "sim/lanes/rare_predicate.inc"
#include "sim/lanes/rare_convert.inc"
#include "sim/lanes/rare_atomic.inc"
#include "sim/lanes/rare_warp.inc"
// clang-format on

} // namespace

Handlers select_rare(const Choice& c) {
    using enum Opcode;
    switch (c.opcode) {
    case mov: return choose_rare_move(c);
    case cvt: return choose_rare_conversion(c);
    case set:
    case setp: return choose_rare_compare(c);
    case slct: return choose_rare_slct(c);
    case testp:
        return c.type == Type::f64   ? choose_class<double>(c)
               : c.type == Type::f32 ? choose_class<float>(c)
                                     : Handlers{};
    case atom:
    case red: return choose_any_atomic(c);
    case ld:
    case ldu:
    case st: return choose_wide_memory(c);
    case shfl_sync:
    case vote_sync:
    case match_any_sync:
    case match_all_sync:
    case activemask:
    case redux_sync:
    case bar_warp_sync: return choose_warp(c);
    default: return ptx::is_float(c.type) ? choose_rare_float(c) : choose_rare_integer(c);
    }
}

Combine select_combine(const Choice& c) { return choose_atomic<MakeCombine>(c); }

} // namespace sim
