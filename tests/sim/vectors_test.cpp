// Products by vector instructions against those by one element at a time, to the bit, for every set of lane handlers; and what
// the vectors know of shared memory when reads are no longer only put down.
#include "base/random.h"
#include "sim/lanes/vectors.h"
#include "sim/program/program.h"
#include "sim/run/shared_memory.h"

#include <gtest/gtest.h>

namespace {

using ptx::Type;

sim::MatrixProduct product(uint32_t m, uint32_t n, uint32_t k, Type factors, Type sums) {
    sim::MatrixProduct p;
    p.m = m, p.n = n, p.k = k;
    p.a.type = p.b.type = factors;
    p.c.type = p.d.type = sums;
    return p;
}

uint32_t exponent_at(Type t) { return t == Type::f16 || t == Type::bf16 ? (t == Type::f16 ? 10 : 7) : 23; }
uint64_t mask_of(Type t) {
    return t == Type::f16 || t == Type::bf16 ? 0xFFFF : t == Type::f64 ? ~uint64_t{0} : 0xFFFFFFFF;
}

// Any bits but those of infinity and NaN, with some zeros and subnormals among them. `narrow`: of magnitudes near each other.
std::vector<uint64_t> numbers(size_t count, Type t, const base::RandomStream& random, bool narrow) {
    std::vector<uint64_t> all;
    for (size_t n = 0; all.size() < count; ++n) {
        uint64_t bits = random.bits(n) & mask_of(t);
        const uint32_t at = exponent_at(t), wide = t == Type::f16 ? 5 : 8;
        const uint64_t exponents = ((uint64_t{1} << wide) - 1) << at, middle = uint64_t{1} << (wide - 1) << at;
        if (n % 7 == 0) bits = n % 2 ? 0 : bits & ~exponents;
        else if (narrow) bits = (bits & ~exponents) | (middle - (bits >> 3 & 7) * (uint64_t{1} << at));
        if ((bits & exponents) != exponents) all.push_back(bits);
    }
    return all;
}

TEST(Vectors, ProductsAreTheSameToTheBit) {
    struct Shape {
        uint32_t m, n, k;
        Type factors;
    };
    for (const sim::Lanes& lanes : sim::supported_lanes())
        for (const Shape& s : {Shape{16, 8, 16, Type::f16},
                               {16, 8, 16, Type::bf16},
                               {16, 8, 8, Type::tf32},
                               {16, 256, 16, Type::bf16},
                               {16, 24, 8, Type::tf32},
                               {8, 32, 16, Type::f16}})
            for (uint64_t seed = 0; seed < 24; ++seed) {
                const sim::MatrixProduct p = product(s.m, s.n, s.k, s.factors, Type::f32);
                const bool narrow = seed % 3 != 0; // else a few large terms leave nothing of the others
                const auto a = numbers(size_t{s.m} * s.k, s.factors, base::RandomStream(seed, 1), narrow),
                           b = numbers(size_t{s.n} * s.k, s.factors, base::RandomStream(seed, 2), narrow),
                           c = numbers(size_t{s.m} * s.n, Type::f32, base::RandomStream(seed, 3), narrow);
                std::vector<uint64_t> plain(c.size()), quick(c.size());
                sim::multiply(p, a, b, c, plain);
                sim::multiply(*lanes.vectors, p, a, b, c, quick);
                ASSERT_EQ(plain, quick) << lanes.name << " " << s.m << " x " << s.n << " x " << s.k << ", seed "
                                        << seed;
            }
}

TEST(Vectors, TakeTheProductsThatTheyCan) {
    const std::vector<uint64_t> ones(16 * 16, 0x3F80), sums(16 * 8, 0); // of bf16
    for (const sim::Lanes& lanes : sim::supported_lanes()) {
        std::vector<uint64_t> d(sums.size()), with_nan = ones;
        sim::FloatProduct p{16, 8, 16, 16, 8, 7, 0, ones.data(), ones.data(), sums.data(), d.data()};
        EXPECT_TRUE(lanes.vectors->multiply_floats(p)) << lanes.name;
        EXPECT_EQ(d, std::vector<uint64_t>(d.size(), 0x41800000)) << lanes.name; // 16
        with_nan[77] = 0x7FC0;
        p.a = with_nan.data();
        EXPECT_FALSE(lanes.vectors->multiply_floats(p)) << lanes.name;
    }
}

TEST(Vectors, DoublesAreTheSameToTheBit) {
    for (const sim::Lanes& lanes : sim::supported_lanes())
        for (uint64_t seed = 0; seed < 8; ++seed) {
            const sim::MatrixProduct p = product(8, 8, 4, Type::f64, Type::f64);
            std::vector<uint64_t> a, b, c, plain(64), quick(64);
            const base::RandomStream random(seed, 4);
            const auto number = [&](uint64_t n) {
                return (random.bits(n) & ~(uint64_t{0x7FF} << 52)) | (1000 + n % 50) << 52;
            };
            for (uint64_t n = 0; n < 32; ++n) a.push_back(number(n)), b.push_back(number(n + 100));
            for (uint64_t n = 0; n < 64; ++n) c.push_back(number(n + 200));
            sim::multiply(p, a, b, c, plain);
            sim::multiply(*lanes.vectors, p, a, b, c, quick);
            ASSERT_EQ(plain, quick) << lanes.name << ", seed " << seed;
        }
}

// Two warps touch 12 words: what the first wrote the second may read once it has learnt of it, and no sooner.
// Registers of 64 bits, each also as two of 32, and what handlers make of them.
class Halves : public testing::Test {
protected:
    static constexpr int lanes = 32;
    struct Row { // a register, where it lies in the warp's file, and its halves
        alignas(64) uint64_t whole[lanes];
        alignas(64) uint32_t low[lanes], high[lanes];
    };
    Row rows_[4]; // d, a, b, c
    sim::Warp warp_;

    void fill(uint64_t seed) {
        const base::RandomStream random(seed, 1);
        for (uint64_t n = 0; n < 4 * lanes; ++n) {
            Row& r = rows_[n / lanes];
            const uint64_t bits = random.bits(n), lane = n % lanes;
            r.whole[lane] = bits, r.low[lane] = static_cast<uint32_t>(bits);
            r.high[lane] = static_cast<uint32_t>(bits >> 32);
        }
        warp_.file[0] = reinterpret_cast<std::byte*>(rows_);
        warp_.live = ~0u;
    }
    static sim::RowAt place(int row, size_t within) { return static_cast<sim::RowAt>(row * sizeof(Row) + within); }
    // Of d and of operands of 64 bits, or else of 32: these rows.
    sim::Operation operation(bool halves, std::initializer_list<bool> wide) {
        sim::Operation op;
        int slot = 0, row = 0;
        for (const bool w : wide) {
            if (w && !halves) op.row[slot++] = place(row, offsetof(Row, whole));
            else op.row[slot++] = place(row, offsetof(Row, low));
            if (w && halves) op.row[slot++] = place(row, offsetof(Row, high));
            ++row;
        }
        return op;
    }
};

TEST_F(Halves, AreComputedToTheBitsOfTheWhole) {
    struct Case {
        ptx::Opcode opcode;
        Type type;
        bool products_of_words, has_c;
    };
    using enum ptx::Opcode;
    static constexpr Case cases[] = {{add, Type::f64, false, false}, {mul, Type::f64, false, false},
                                     {fma, Type::f64, false, true},  {mul, Type::s32, true, false},
                                     {mul, Type::u32, true, false},  {mad, Type::s32, true, true},
                                     {mad, Type::u32, true, true}};
    for (const sim::Lanes& set : sim::supported_lanes())
        for (const Case& c : cases)
            for (const uint32_t active : {~0u, 0x80F1003Eu}) {
                sim::Choice choice;
                choice.opcode = c.opcode, choice.type = choice.source_type = c.type;
                if (c.products_of_words) choice.modifiers.add(ptx::Modifier::wide);
                const sim::Handlers whole = set.select(choice);
                choice.halves = true;
                const sim::Handlers halves = set.select(choice);
                ASSERT_TRUE(whole.full && halves.full);
                fill(active);
                const auto run = [&](const sim::Handlers& h, bool by_halves) {
                    const bool wide = !c.products_of_words;
                    const sim::Operation op = c.has_c ? operation(by_halves, {true, wide, wide, true})
                                                      : operation(by_halves, {true, wide, wide});
                    (active == ~0u ? h.full : h.masked)(warp_, op, active);
                };
                run(whole, false);
                run(halves, true);
                for (size_t lane = 0; lane < lanes; ++lane)
                    ASSERT_EQ(rows_[0].whole[lane], uint64_t{rows_[0].high[lane]} << 32 | rows_[0].low[lane])
                        << set.name << ", case " << &c - cases << ", lane " << lane;
            }
}

TEST(Vectors, LanesThatHaveLearntOfAWriteMayReadIt) {
    constexpr uint32_t bytes = 48;
    for (const sim::Lanes& lanes : sim::supported_lanes()) {
        sim::SharedMemory memory;
        memory.reset(256, false);
        memory.enter_reads();
        const sim::SharedView view = memory.view();
        std::array<uint64_t, 32> at{};
        at[3] = 64;
        const auto touches = [&](uint32_t warp, bool loads) {
            return lanes.vectors->touch_lanes(view, {.warp = warp,
                                                     .lanes = 1u << 3,
                                                     .by = memory.touch(warp, 0, 15, 7),
                                                     .at = at.data(),
                                                     .bytes = bytes,
                                                     .loads = loads});
        };
        EXPECT_FALSE(touches(0, true)) << lanes.name << ": nothing has written there";
        EXPECT_TRUE(touches(0, false)) << lanes.name;
        EXPECT_FALSE(touches(1, true)) << lanes.name << ": warp 1 knows nothing of warp 0";
        EXPECT_FALSE(touches(1, false)) << lanes.name;
        const auto told = memory.release(0);
        EXPECT_FALSE(touches(1, true)) << lanes.name << ": it has not been told yet";
        memory.acquire(1, told);
        EXPECT_TRUE(touches(1, true)) << lanes.name;
        EXPECT_EQ(memory.reader[16], memory.touch(1, 3, 15, 7)) << lanes.name;
        EXPECT_EQ(memory.reader[27], memory.touch(1, 3, 15, 7)) << lanes.name;
        EXPECT_EQ(memory.reader[28], 0u) << lanes.name;
        EXPECT_FALSE(touches(0, false)) << lanes.name << ": warp 1 has read there, which warp 0 does not know";
        memory.set_pending(100, 4);
        memory.pass_barrier();
        EXPECT_FALSE(touches(0, false)) << lanes.name << ": a copy is under way to one of the words";
    }
}

} // namespace
