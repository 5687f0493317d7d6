// What machine instructions do and no PTX instruction does.
#include "sim/lanes/access.h"
#include "sim/lanes/special_function.h"
#include "sim/run/block.h"
#include "sim/sass/lowering.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace sim {
namespace {

uint32_t mask_of(const Warp& w, const Operation& op, int slot) {
    if (op.row[slot] == no_row) return 0;
    const uint32_t mask = *row<uint32_t>(w, op.row[slot]);
    return op.negated_predicate >> slot & 1 ? ~mask : mask;
}

void set_mask(const Warp& w, const Operation& op, int slot, uint32_t mask, uint32_t active) {
    if (op.row[slot] == no_row) return;
    uint32_t& p = *row<uint32_t>(w, op.row[slot]);
    p = (p & ~active) | (mask & active);
}

} // namespace

void shift_of_pair(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t how = op.detail.number, width = how & wide_amount ? 64 : 32;
    uint32_t* d = row<uint32_t>(w, op.row[0]);
    const uint32_t *low = row<uint32_t>(w, op.row[1]), *amount = row<uint32_t>(w, op.row[2]),
                   *upper = row<uint32_t>(w, op.row[3]);
    for (int i = 0; i < 32; ++i) {
        if ((active >> i & 1) == 0) continue;
        const uint64_t pair = uint64_t{upper[i]} << 32 | low[i];
        const uint32_t by = how & wraps_amount ? amount[i] & (width - 1) : std::min(amount[i], width);
        const uint64_t filled = how & keeps_sign && upper[i] >> 31 ? ~uint64_t{0} : 0;
        uint64_t shifted = how & shifts_left ? 0 : filled;
        if (by == 0) shifted = pair;
        else if (by < 64) shifted = how & shifts_left ? pair << by : pair >> by | filled << (64 - by);
        d[i] = static_cast<uint32_t>(how & gives_upper ? shifted >> 32 : shifted);
    }
}

void combine_predicates(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t a = mask_of(w, op, 2), b = mask_of(w, op, 3), c = mask_of(w, op, 4);
    uint32_t result[2] = {};
    for (int r = 0; r < 2; ++r)
        for (uint32_t entry = 0; entry < 8; ++entry)
            if (op.detail.number >> (8 * r + static_cast<int>(entry)) & 1)
                result[r] |= (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
    set_mask(w, op, 0, result[0], active);
    set_mask(w, op, 1, result[1], active);
}

void vote_of_lanes(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t yes = mask_of(w, op, 2) & active;
    const bool all = yes == active, none = yes == 0,
               result = op.detail.number == 0   ? all
                        : op.detail.number == 1 ? !none
                                                : all || none;
    for (int i = 0; i < 32 && op.row[0] != no_row; ++i)
        if (active >> i & 1) row<uint32_t>(w, op.row[0])[i] = yes;
    set_mask(w, op, 1, result ? ~0u : 0, active);
}

void vote_of_meeting_lanes(Warp& w, const Operation& op, uint32_t active) {
    lanes_meet(w, op, active, active);
    vote_of_lanes(w, op, active);
}

void broadcast_first(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t giving = op.row[2] == no_row ? active : mask_of(w, op, 2) & active;
    if (giving == 0) return;
    const uint32_t* a = row<uint32_t>(w, op.row[1]);
    const uint32_t value = a[__builtin_ctz(giving)];
    uint32_t others = op.detail.number ? mask_of(w, op, 4) : 0;
    for (uint32_t i = 0; i < 32; ++i) others |= static_cast<uint32_t>(a[i] != value) << i;
    set_mask(w, op, 3, others, giving);
    uint32_t* d = row<uint32_t>(w, op.row[0]);
    for (int i = 0; i < 32; ++i) d[i] = active >> i & 1 ? value : d[i];
}

void meet_unless_apart(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t here = op.row[2] == no_row ? active : mask_of(w, op, 2) & active;
    const uint32_t named = here ? row<uint32_t>(w, op.row[1])[__builtin_ctz(here)] : 0;
    const uint32_t absent = named & w.live & ~here;
    const bool apart = absent != 0 && (absent & ~w.block->control.leaving(w)) != 0;
    set_mask(w, op, 0, apart ? ~0u : 0, active);
    if (here && !apart) lanes_meet(w, op, here, named);
}

void meet_here(Warp& w, const Operation& op, uint32_t active) { lanes_meet(w, op, active, active); }

namespace {

// The one of which -0 is less than +0; a NaN is neither.
bool comes_first(double a, double b, bool greatest) {
    if (a != a) return false;
    if (b != b) return true;
    return a == b ? std::signbit(a) != greatest : (a < b) != greatest;
}

void find_extreme(const Warp& w, const Operation& op, uint32_t active, bool greatest) {
    const double *a = row<double>(w, op.row[2]), *b = row<double>(w, op.row[3]);
    uint32_t first = 0, neither = 0;
    for (uint32_t i = 0; i < 32; ++i) {
        first |= static_cast<uint32_t>(comes_first(a[i], b[i], greatest)) << i;
        neither |= static_cast<uint32_t>(a[i] != a[i] && b[i] != b[i]) << i;
    }
    set_mask(w, op, 0, first, active);
    set_mask(w, op, 1, neither, active);
}

template <uint32_t (*f)(uint32_t)>
void map_words(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t* a = row<uint32_t>(w, op.row[1]);
    uint32_t* d = row<uint32_t>(w, op.row[0]);
    for (int i = 0; i < 32; ++i)
        if (active >> i & 1) d[i] = f(a[i]);
}

} // namespace

void is_least(Warp& w, const Operation& op, uint32_t active) { find_extreme(w, op, active, false); }
void is_greatest(Warp& w, const Operation& op, uint32_t active) { find_extreme(w, op, active, true); }

Handler special_function(std::string_view name) {
    static constexpr std::pair<std::string_view, Handler> functions[] = {
        {"RCP", map_words<mufu::rcp>},           {"RSQ", map_words<mufu::rsqrt>},
        {"SQRT", map_words<mufu::sqrt>},         {"EX2", map_words<mufu::ex2>},
        {"LG2", map_words<mufu::lg2>},           {"SIN", map_words<mufu::sin>},
        {"COS", map_words<mufu::cos>},           {"TANH", map_words<mufu::tanh>},
        {"RCP64H", map_words<mufu::rcp64h>},     {"RSQ64H", map_words<mufu::rsqrt64h>},
        {"EX2.F16", map_words<mufu::ex2_f16>},   {"TANH.F16", map_words<mufu::tanh_f16>},
        {"EX2.BF16", map_words<mufu::ex2_bf16>}, {"TANH.BF16", map_words<mufu::tanh_bf16>}};
    for (const auto& [named, handler] : functions)
        if (named == name) return handler;
    return nullptr;
}

// The short way is right where neither b nor its reciprocal, neither the quotient nor what remains is zero, subnormal, infinite or no number:
// it would lose the sign of a zero.
void check_division(Warp& w, const Operation& op, uint32_t active) {
    constexpr int bias = 127, least = 1 - bias, most = bias - 1, digits = 24;
    const auto exponent = [](uint32_t bits) { return static_cast<int>(bits >> 23 & 0xFF) - bias; };
    const uint32_t *a = row<uint32_t>(w, op.row[1]), *b = row<uint32_t>(w, op.row[2]);
    uint32_t hard = 0;
    for (int i = 0; i < 32; ++i) {
        const int of_a = exponent(a[i]), of_b = exponent(b[i]), quotient = of_a - of_b;
        const bool easy = of_b >= least && of_b < most && of_a <= bias && of_a >= least + digits && quotient > least &&
                          quotient < most;
        hard |= easy ? 0u : 1u << i;
    }
    set_mask(w, op, 0, hard, active);
}

} // namespace sim
