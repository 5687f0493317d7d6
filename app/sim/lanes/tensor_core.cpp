#include "sim/program/tensor_core.h"

#include "sim/lanes/vectors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sim {
namespace {

using ptx::Type;

// Numbers to be multiplied, as integers: significand * 2^(exponent - fraction).
struct Format {
    int exponent_bits, fraction; // bits
    bool infinities = true;      // e4m3 has none, and one NaN
};
Format format_of(Type t) {
    switch (t) {
    case Type::f16: return {5, 10};
    case Type::bf16: return {8, 7};
    case Type::tf32: return {8, 10};
    case Type::e4m3: return {4, 3, false};
    case Type::e5m2: return {5, 2};
    default: return {8, 23};
    }
}

struct Number {
    enum Kind : uint8_t { finite, infinite, nan } kind = finite;
    bool negative = false;
    int32_t exponent = 0;    // of the format's smallest normal number for subnormals
    int64_t significand = 0; // without the sign
};

Number unpacked(uint64_t bits, Type type) {
    const Format f = format_of(type);
    if (type == Type::tf32) bits = bits >> 13 & 0x7FFFF; // what a factor has beyond ten bits is not looked at
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    const auto exponent = static_cast<int32_t>(bits >> f.fraction & ((1u << f.exponent_bits) - 1));
    const auto fraction = static_cast<int64_t>(bits & ((uint64_t{1} << f.fraction) - 1));
    const bool top = exponent == (1 << f.exponent_bits) - 1;
    Number n;
    n.negative = bits >> (f.exponent_bits + f.fraction) & 1;
    if (f.infinities && top) n.kind = fraction ? Number::nan : Number::infinite;
    if (!f.infinities && top && fraction == (1 << f.fraction) - 1) n.kind = Number::nan;
    n.exponent = std::max(exponent, 1) - bias;
    n.significand = fraction | (exponent ? int64_t{1} << f.fraction : 0);
    return n;
}

constexpr int kept = 25;       // bits of the sum's terms below the largest exponent
constexpr int smallest = -126; // exponent of a term that is zero
constexpr uint32_t nan32 = 0x7FFFFFFF, nan16 = 0x7FFF;

// Towards zero; `v` has few enough bits to be exact.
uint32_t single_towards_zero(double v) {
    const uint32_t sign = std::signbit(v) ? 0x80000000 : 0;
    const double magnitude = std::fabs(v);
    if (magnitude >= 0x1p128) return sign | 0x7F800000;
    if (magnitude < 0x1p-126) return sign | static_cast<uint32_t>(magnitude * 0x1p149);
    const uint64_t bits = std::bit_cast<uint64_t>(magnitude) & ~((uint64_t{1} << 29) - 1);
    return sign | std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
}

uint16_t half_to_nearest(double v) {
    const auto sign = static_cast<uint16_t>(std::signbit(v) ? 0x8000 : 0);
    const double magnitude = std::fabs(v);
    if (magnitude >= 65520) return static_cast<uint16_t>(sign | 0x7C00);
    const int exponent = std::max(magnitude == 0 ? -14 : std::ilogb(magnitude), -14);
    const auto significand =
        static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent))); // with the leading bit
    return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(exponent + 14) << 10) + significand));
}

// What the terms of a sum make of it before any addition: NaN, infinite or finite.
struct NonFinite {
    bool nan = false, plus = false, minus = false;

    void add_product(const Number& a, const Number& b) {
        if (a.kind == Number::finite && b.kind == Number::finite) return;
        const bool zero =
            (a.kind == Number::finite && a.significand == 0) || (b.kind == Number::finite && b.significand == 0);
        if (a.kind == Number::nan || b.kind == Number::nan || zero) nan = true;
        else (a.negative != b.negative ? minus : plus) = true;
    }
    void add(const Number& c) {
        if (c.kind == Number::nan) nan = true;
        if (c.kind == Number::infinite) (c.negative ? minus : plus) = true;
    }
    bool any() const { return nan || plus || minus; }
    uint64_t result(bool single) const {
        if (nan || (plus && minus)) return single ? nan32 : nan16;
        return single ? (plus ? 0x7F800000u : 0xFF800000u) : (plus ? 0x7C00u : 0xFC00u);
    }
};

// The exact products and the addend are cut off below the largest exponent and added; the sum is rounded once.
uint64_t fused_sum(std::span<const Number> a, std::span<const Number> b, int fractions, const Number& c, int c_fraction,
                   bool single) {
    NonFinite special;
    special.add(c);
    int largest = c.significand ? c.exponent : smallest;
    for (size_t i = 0; i < a.size(); ++i) {
        special.add_product(a[i], b[i]);
        const bool zero = a[i].significand == 0 || b[i].significand == 0;
        largest = std::max(largest, zero ? smallest : a[i].exponent + b[i].exponent);
    }
    if (special.any()) return special.result(single);
    auto cut = [&](int64_t significand, int fraction, int exponent) {
        const int down = largest - exponent; // a zero's exponent may be above the largest
        return significand == 0 || down > 62 ? 0 : significand << (kept - fraction) >> down;
    };
    const int64_t addend = cut(c.significand, c_fraction, c.exponent);
    int64_t sum = c.negative ? -addend : addend;
    for (size_t i = 0; i < a.size(); ++i) {
        const int64_t term = cut(a[i].significand * b[i].significand, fractions, a[i].exponent + b[i].exponent);
        sum += a[i].negative != b[i].negative ? -term : term;
    }
    const double exact = std::ldexp(static_cast<double>(sum), largest - kept);
    return single ? single_towards_zero(exact) : half_to_nearest(exact);
}

bool is_eight_bits(Type t) { return t == Type::e4m3 || t == Type::e5m2; }

// Hopper's mma has no products of 8-bit floats: they are carried out as two of f16, of each four neighbours along K the first
// two and then the others.
uint32_t order_along_k(uint32_t k, uint32_t depth, bool eight_bits) {
    return eight_bits ? (k % 4 < 2 ? 0 : depth / 2) + k / 4 * 2 + k % 2 : k;
}

std::vector<Number> unpacked(std::span<const uint64_t> elements, Type type, uint32_t depth) {
    std::vector<Number> numbers(elements.size());
    for (uint32_t i = 0; i < elements.size(); ++i)
        numbers[i - i % depth + order_along_k(i % depth, depth, is_eight_bits(type))] = unpacked(elements[i], type);
    return numbers;
}

uint64_t plain_sum(uint64_t a, uint64_t b, bool single) { // to nearest
    if (!single) {
        const Number x = unpacked(a, Type::f16), y = unpacked(b, Type::f16), one{.exponent = 0, .significand = 1};
        return fused_sum({&x, 1}, {&one, 1}, 10, y, 10, false);
    }
    const float sum = std::bit_cast<float>(static_cast<uint32_t>(a)) + std::bit_cast<float>(static_cast<uint32_t>(b));
    return sum == sum ? std::bit_cast<uint32_t>(sum) : nan32;
}

float single_of(const Number& n, int fraction) {
    if (n.kind == Number::nan) return std::numeric_limits<float>::quiet_NaN();
    const float v = n.kind == Number::infinite ? std::numeric_limits<float>::infinity()
                                               : std::ldexp(static_cast<float>(n.significand), n.exponent - fraction);
    return n.negative ? -v : v;
}

// Hopper has no m8n8k4 of f16 either: it is fused multiply-adds in f32, from zero; the addend comes last.
void multiply_quarters(const MatrixProduct& p, std::span<const uint64_t> a, std::span<const uint64_t> b,
                       std::span<const uint64_t> c, std::span<uint64_t> d) {
    constexpr int fraction = 10; // of f16
    for (uint32_t at = 0; at < p.batch * p.m * p.n; ++at) {
        const uint32_t row = at / p.n, column = at / (p.m * p.n) * p.n + at % p.n; // of all the batch
        float sum = 0;
        for (uint32_t k = 0; k < p.k; ++k)
            sum = std::fma(single_of(unpacked(a[row * p.k + k], Type::f16), fraction),
                           single_of(unpacked(b[column * p.k + k], Type::f16), fraction), sum);
        sum += single_of(unpacked(c[at], p.c.type), format_of(p.c.type).fraction);
        if (sum != sum) d[at] = p.d.type == Type::f32 ? nan32 : nan16;
        else d[at] = p.d.type == Type::f32 ? std::bit_cast<uint32_t>(sum) : half_to_nearest(static_cast<double>(sum));
    }
}

void multiply_floats(const MatrixProduct& p, std::span<const uint64_t> a, std::span<const uint64_t> b,
                     std::span<const uint64_t> c, std::span<uint64_t> d) {
    const std::vector<Number> left = unpacked(a, p.a.type, p.k), right = unpacked(b, p.b.type, p.k);
    const int fractions = format_of(p.a.type).fraction + format_of(p.b.type).fraction;
    const bool single = p.d.type == Type::f32, eight_bits = is_eight_bits(p.a.type);
    const uint32_t step = std::min(p.k, p.step);
    for (uint32_t at = 0; at < p.m * p.n; ++at) {
        const uint32_t row = at / p.n, column = at % p.n;
        uint64_t sum = eight_bits ? 0 : c[at];
        Type sum_type = eight_bits ? p.d.type : p.c.type;
        for (uint32_t k = 0; k < p.k; k += step) {
            const std::span<const Number> l(left.data() + row * p.k + k, step),
                r(right.data() + column * p.k + k, step);
            sum = fused_sum(l, r, fractions, unpacked(sum, sum_type), format_of(sum_type).fraction, single);
            sum_type = p.d.type;
        }
        d[at] = eight_bits ? plain_sum(sum, c[at], single) : sum;
    }
}

// Which of several NaNs comes out differs from the hardware's.
void multiply_doubles(const MatrixProduct& p, std::span<const uint64_t> a, std::span<const uint64_t> b,
                      std::span<const uint64_t> c, std::span<uint64_t> d) {
    for (uint32_t at = 0; at < p.m * p.n; ++at) {
        double sum = std::bit_cast<double>(c[at]);
        for (uint32_t k = 0; k < p.k; ++k)
            sum = std::fma(std::bit_cast<double>(a[at / p.n * p.k + k]), std::bit_cast<double>(b[at % p.n * p.k + k]),
                           sum);
        d[at] = std::bit_cast<uint64_t>(sum);
    }
}

int64_t integer(uint64_t bits, Type type) {
    switch (type) {
    case Type::s8: return static_cast<int8_t>(bits);
    case Type::u8: return static_cast<uint8_t>(bits);
    case Type::s4: return static_cast<int8_t>(bits << 4) >> 4;
    case Type::u4: return static_cast<int64_t>(bits & 15);
    default: return static_cast<int32_t>(bits);
    }
}

void multiply_integers(const MatrixProduct& p, std::span<const uint64_t> a, std::span<const uint64_t> b,
                       std::span<const uint64_t> c, std::span<uint64_t> d) {
    using Range = std::numeric_limits<int32_t>;
    for (uint32_t at = 0; at < p.m * p.n; ++at) {
        int64_t sum = static_cast<int32_t>(c[at]);
        for (uint32_t k = 0; k < p.k; ++k) {
            const uint64_t x = a[at / p.n * p.k + k], y = b[at % p.n * p.k + k];
            if (p.operation == MatrixProduct::Operation::multiply) sum += integer(x, p.a.type) * integer(y, p.b.type);
            else
                sum += std::popcount(
                    static_cast<uint32_t>(p.operation == MatrixProduct::Operation::xor_popc ? x ^ y : x & y));
        }
        if (p.saturate) sum = std::clamp<int64_t>(sum, Range::min(), Range::max());
        d[at] = static_cast<uint32_t>(sum);
    }
}

uint32_t parts_of(Type t) {
    switch (t) {
    case Type::f16:
    case Type::bf16: return 2;
    case Type::s8:
    case Type::u8:
    case Type::e4m3:
    case Type::e5m2: return 4;
    case Type::s4:
    case Type::u4: return 8;
    default: return 1; // 32 bits of b1, too
    }
}

// place(register, lane, part) is the element's number.
template <class F>
Fragment fragment(Type type, uint32_t registers, uint32_t rows, uint32_t columns, F place) {
    Fragment f{
        .type = type, .registers = registers, .parts = parts_of(type), .rows = rows, .columns = columns, .place = {}};
    for (uint32_t r = 0; r < registers; ++r)
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t part = 0; part < f.parts; ++part)
                f.place.push_back(static_cast<uint16_t>(place(r, lane, part)));
    return f;
}

// The registers that the elements need, each once.
uint32_t needed(uint32_t elements, Type type) { return elements / 32 / parts_of(type); }

// A quarter of m8n8k4: lanes 4q to 4q + 3 and 16 above hold the product number q.
uint32_t quarter(uint32_t lane) { return lane % 16 / 4; }
uint32_t upper(uint32_t lane) { return lane / 16 * 4; }

// 8 rows (of A) or columns (of B), k deep: register after register goes deeper.
uint32_t narrow(uint32_t r, uint32_t lane, uint32_t part, uint32_t parts, uint32_t k) {
    return lane / 4 * k + r * 4 * parts + lane % 4 * parts + part;
}
// 16 rows: the second of two registers is 8 rows lower.
uint32_t tall(uint32_t r, uint32_t lane, uint32_t part, uint32_t parts, uint32_t k) {
    return (lane / 4 + r % 2 * 8) * k + r / 2 * 4 * parts + lane % 4 * parts + part;
}

} // namespace

Fragment mma_a(uint32_t m, uint32_t k, Type type, bool columns_first) {
    const uint32_t parts = parts_of(type);
    if (m == 8 && k == 4 && type == Type::f16)
        return fragment(type, 2, 32, 4, [&](uint32_t r, uint32_t lane, uint32_t part) {
            const uint32_t i = r * 2 + part, row = upper(lane) + (columns_first ? i : lane % 4),
                           column = columns_first ? lane % 4 : i;
            return (quarter(lane) * 8 + row) * 4 + column;
        });
    return fragment(type, needed(m * k, type), m, k, [&](uint32_t r, uint32_t lane, uint32_t part) {
        return m == 8 ? narrow(r, lane, part, parts, k) : tall(r, lane, part, parts, k);
    });
}

Fragment mma_b(uint32_t n, uint32_t k, Type type, bool rows_first) {
    const uint32_t parts = parts_of(type);
    if (k == 4 && type == Type::f16)
        return fragment(type, 2, 4, 32, [&](uint32_t r, uint32_t lane, uint32_t part) {
            const uint32_t i = r * 2 + part, column = upper(lane) + (rows_first ? i : lane % 4),
                           row = rows_first ? lane % 4 : i;
            return (quarter(lane) * 8 + column) * 4 + row;
        });
    return fragment(type, needed(n * k, type), k, n,
                    [&](uint32_t r, uint32_t lane, uint32_t part) { return narrow(r, lane, part, parts, k); });
}

Fragment mma_c(uint32_t m, uint32_t n, uint32_t k, Type type) {
    const uint32_t parts = parts_of(type);
    if (m == 8 && k == 4 && (type == Type::f16 || type == Type::f32))
        return fragment(type, 8 / parts, 32, 8, [&](uint32_t r, uint32_t lane, uint32_t part) {
            const uint32_t i = r * parts + part;
            const uint32_t row = upper(lane) + (type == Type::f16 ? lane % 4 : (lane & 1) + (i & 2));
            const uint32_t column = type == Type::f16 ? i : (i & 4) + (lane & 2) + (i & 1);
            return (quarter(lane) * 8 + row) * 8 + column;
        });
    return wmma_c(m, n, type, needed(m * n, type));
}

Fragment wmma_a(uint32_t m, uint32_t k, Type type, uint32_t registers) {
    const uint32_t parts = parts_of(type), distinct = needed(m * k, type);
    return fragment(type, registers, m, k, [&](uint32_t r, uint32_t lane, uint32_t part) {
        r %= distinct;
        if (m == 8) return narrow(r, lane, part, parts, k);
        const uint32_t tile = needed(16 * k, type);
        return r / tile * 16 * k + tall(r % tile, lane, part, parts, k);
    });
}

Fragment wmma_b(uint32_t n, uint32_t k, Type type, uint32_t registers) {
    const uint32_t parts = parts_of(type), distinct = needed(n * k, type), tile = needed(8 * k, type);
    return fragment(type, registers, k, n, [&](uint32_t r, uint32_t lane, uint32_t part) {
        r %= distinct;
        return r / tile * 8 * k + narrow(r % tile, lane, part, parts, k);
    });
}

Fragment wmma_c(uint32_t m, uint32_t n, Type type, uint32_t registers) {
    const uint32_t parts = parts_of(type);
    return fragment(type, registers, m, n, [&](uint32_t r, uint32_t lane, uint32_t part) {
        const uint32_t i = r * parts + part, tile = i / 4;
        const uint32_t along = lane / 4 + i % 4 / 2 * 8, across = lane % 4 * 2 + i % 2; // in a tile of 16 by 8
        if (m == 8 && n == 32) return across * n + tile * 16 + along;
        if (m == 32) return (tile * 16 + along) * n + across;
        return along * n + tile * 8 + across;
    });
}

void multiply(const MatrixProduct& p, std::span<const uint64_t> a, std::span<const uint64_t> b,
              std::span<const uint64_t> c, std::span<uint64_t> d) {
    if (p.a.type == Type::f64) multiply_doubles(p, a, b, c, d);
    else if (p.d.type == Type::s32) multiply_integers(p, a, b, c, d);
    else if (p.batch > 1) multiply_quarters(p, a, b, c, d);
    else multiply_floats(p, a, b, c, d);
}

void multiply(const Vectors& vectors, const MatrixProduct& p, std::span<const uint64_t> a, std::span<const uint64_t> b,
              std::span<const uint64_t> c, std::span<uint64_t> d) {
    const bool doubles = p.a.type == Type::f64;
    const bool short_floats =
        p.a.type == p.b.type && (p.a.type == Type::f16 || p.a.type == Type::bf16 || p.a.type == Type::tf32);
    const bool singles = short_floats && p.c.type == Type::f32 && p.d.type == Type::f32 && p.batch == 1;
    if (doubles && vectors.multiply_doubles({p.m, p.n, p.k, a.data(), b.data(), c.data(), d.data()})) return;
    if (singles) {
        const Format f = format_of(p.a.type);
        const uint32_t dropped = p.a.type == Type::tf32 ? 13 : 0;
        if (vectors.multiply_floats({p.m, p.n, p.k, std::min(p.k, p.step), static_cast<uint32_t>(f.exponent_bits),
                                     static_cast<uint32_t>(f.fraction), dropped, a.data(), b.data(), c.data(),
                                     d.data()}))
            return;
    }
    multiply(p, a, b, c, d);
}

} // namespace sim
