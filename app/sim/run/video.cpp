// Execution of video instructions; see video.h.
#include "sim/program/video.h"

#include "sim/run/block.h"

#include <algorithm>

namespace sim {
namespace {

__extension__ using Int128 = __int128;

int64_t extended(uint64_t value, unsigned bits, bool is_signed) {
    const unsigned unused = 64 - bits;
    return is_signed ? static_cast<int64_t>(value << unused) >> unused
                     : static_cast<int64_t>(value << unused >> unused);
}

int64_t selected(uint64_t source, const ptx::Part& part, int n, bool is_signed) {
    if (part.bits == 0) return extended(source, 32, is_signed);
    return extended(source >> (part.number[n] * part.bits), part.bits, is_signed);
}

int64_t clamped(int64_t value, unsigned bits, bool is_signed) {
    const int64_t low = is_signed ? -(int64_t{1} << (bits - 1)) : 0,
                  high = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    return std::clamp(value, low, high);
}

bool holds(VideoUse::Relation relation, int64_t a, int64_t b) {
    switch (relation) {
    case VideoUse::equal: return a == b;
    case VideoUse::unequal: return a != b;
    case VideoUse::less: return a < b;
    case VideoUse::at_most: return a <= b;
    case VideoUse::greater: return a > b;
    case VideoUse::at_least: return a >= b;
    }
    return false;
}

int64_t computed(const VideoUse& use, int64_t a, int64_t b) {
    switch (use.what) {
    case VideoUse::add: return a + b;
    case VideoUse::subtract: return a - b;
    case VideoUse::average: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; // half a unit away from zero
    case VideoUse::difference: return a > b ? a - b : b - a;
    case VideoUse::minimum: return std::min(a, b);
    case VideoUse::maximum: return std::max(a, b);
    case VideoUse::compare: return holds(use.relation, a, b);
    case VideoUse::shift_left:
    case VideoUse::shift_right: {
        const int64_t n = use.wraps ? b & 31 : std::min<int64_t>(b, 32);
        return use.what == VideoUse::shift_left ? static_cast<int64_t>(static_cast<uint64_t>(a) << n) : a >> n;
    }
    case VideoUse::multiply_add: break;
    }
    return 0;
}

// c has the sign of the product; the sum has one, too, where c is subtracted.
uint32_t multiplied(const VideoUse& use, int64_t a, int64_t b, uint32_t c) {
    const bool signed_product = use.signed_a || use.signed_b || use.negates_product,
               is_signed = signed_product || use.negates_c;
    Int128 sum = static_cast<Int128>(a) * b;
    if (use.negates_product) sum = -sum;
    const Int128 addend = extended(c, 32, signed_product);
    sum += use.negates_c ? -addend : addend;
    sum += use.plus_one ? 1 : 0;
    sum >>= use.scale;
    if (use.saturates) {
        const Int128 low = is_signed ? -(Int128{1} << 31) : 0, high = (Int128{1} << (is_signed ? 31 : 32)) - 1;
        sum = std::clamp(sum, low, high);
    }
    return static_cast<uint32_t>(sum);
}

uint32_t merged(int64_t value, uint32_t c, unsigned number, unsigned bits) {
    const uint32_t mask = ((1u << bits) - 1) << (number * bits);
    return (static_cast<uint32_t>(value) << (number * bits) & mask) | (c & ~mask);
}

uint32_t one_part(const VideoUse& use, uint32_t a, uint32_t b, uint32_t c) {
    const int64_t x = selected(a, use.a, 0, use.signed_a), y = selected(b, use.b, 0, use.signed_b);
    if (use.what == VideoUse::multiply_add) return multiplied(use, x, y, c);
    int64_t value = computed(use, x, y);
    if (use.saturates) value = clamped(value, use.d.bits ? use.d.bits : 32, use.signed_d);
    if (use.d.bits) return merged(value, c, use.d.number[0], use.d.bits);
    const auto result = static_cast<uint32_t>(value);
    const int64_t first = extended(result, 32, use.signed_d), other = extended(c, 32, use.signed_d);
    switch (use.second) {
    case VideoUse::adds: return result + c;
    case VideoUse::takes_minimum: return static_cast<uint32_t>(std::min(first, other));
    case VideoUse::takes_maximum: return static_cast<uint32_t>(std::max(first, other));
    case VideoUse::merges: break;
    }
    return result;
}

uint32_t several_parts(const VideoUse& use, uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t both = uint64_t{b} << 32 | a;
    const unsigned bits = 32u / use.parts;
    int64_t value[4] = {};
    for (int n = 0; n < use.parts; ++n) {
        value[n] = computed(use, selected(both, use.a, n, use.signed_a), selected(both, use.b, n, use.signed_b));
        if (use.saturates) value[n] = clamped(value[n], bits, use.signed_d);
    }
    uint32_t result = c;
    for (int n = 0; n < use.d.count; ++n) {
        const unsigned number = use.d.number[n];
        result = use.second == VideoUse::adds ? result + static_cast<uint32_t>(value[number])
                                              : merged(value[number], result, number, bits);
    }
    return result;
}

} // namespace

void compute_parts(Warp& w, const Operation& op, uint32_t active) {
    const VideoUse& use = w.block->context.program.video_uses[op.detail.number];
    const uint32_t *a = row<uint32_t>(w, op.row[1]), *b = row<uint32_t>(w, op.row[2]),
                   *c = op.row[3] == no_row ? nullptr : row<uint32_t>(w, op.row[3]);
    if (op.row[0] == no_row) return;
    uint32_t* d = row<uint32_t>(w, op.row[0]);
    for (int i = 0; i < 32; ++i)
        if (active >> i & 1) d[i] = (use.parts == 1 ? one_part : several_parts)(use, a[i], b[i], c ? c[i] : 0);
}

} // namespace sim
