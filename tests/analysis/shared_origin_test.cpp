#include "analysis/mapping.h"

#include "access_patterns.h"
#include "followed.h"
#include "made_trace.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace {

using analysis::Origin;
using test::MadeTrace;
using test::strided;
using trace::Kind;
using trace::Space;

constexpr uint64_t a_at = 0x10000;

void expect(const Origin& o, int buffer, uint32_t row, uint32_t column) {
    EXPECT_EQ(o.buffer, buffer);
    EXPECT_EQ(o.row, row);
    EXPECT_EQ(o.column, column);
}

// A tile copied through registers, as the ladder's kernels do it, with a zero at the edge.
class Copy : public testing::Test {
protected:
    Copy() {
        t.buffer("A", a_at, 4, 8);
        t.get().shared_bytes = 128;
    }
    MadeTrace t{32};
    uint32_t load = t.code(Kind::load, Space::global, 8, "ld.global.v2.f32 {%f1, %f2}, [%rd1];");
    uint32_t move = t.code(Kind::arithmetic, Space::none, 0, "mov.f32 %f3, %f1;");
    uint32_t zero = t.code(Kind::arithmetic, Space::none, 0, "mov.f32 %f3, 0f00000000;");
    uint32_t add = t.code(Kind::arithmetic, Space::none, 0, "add.f32 %f2, %f1, %f3;");
    uint32_t store3 = t.code(Kind::store, Space::shared, 4, "st.shared.f32 [%r1], %f3;");
    uint32_t store12 = t.code(Kind::store, Space::shared, 8, "st.shared.v2.f32 [%r1], {%f1, %f2};");
    uint32_t reload = t.code(Kind::load, Space::shared, 4, "ld.shared.f32 %f1, [%r2];");
};

TEST_F(Copy, FollowsLoadsMovesAndStores) {
    t.run(0, load, strided(a_at + 32, 8), 0b11); // row 1: lane 0 has columns 0 1, lane 1 has 2 3
    t.run(0, move, 0b11);
    const uint32_t stored = t.run(0, store3, strided(40, 4), 0b11);
    const auto words = analysis::shared_origin(t.get(), stored);
    ASSERT_EQ(words.size(), 32u);
    expect(words[10], 0, 1, 0);
    expect(words[11], 0, 1, 2);
    EXPECT_EQ(words[9].buffer, -1);
    EXPECT_EQ(analysis::shared_origin(t.get(), stored - 1)[10].buffer, -1); // not stored yet
}

TEST_F(Copy, AVectorStoreFillsNeighbouringWords) {
    t.run(0, load, strided(a_at, 8));
    t.run(0, store12, strided(0, 8), 0b1001);
    const auto words = analysis::shared_origin(t.get(), 1);
    expect(words[0], 0, 0, 0);
    expect(words[1], 0, 0, 1);
    expect(words[6], 0, 0, 6);
    expect(words[7], 0, 0, 7);
    EXPECT_EQ(words[2].buffer, -1);
}

TEST_F(Copy, FollowsAChainOfMoves) {
    const uint32_t next = t.code(Kind::arithmetic, Space::none, 0, "mov.b32 %r9, %f3;");
    const uint32_t last = t.code(Kind::arithmetic, Space::none, 0, "mov.b32 %r10, %r9;");
    const uint32_t store = t.code(Kind::store, Space::shared, 4, "@%p1 st.shared.u32 [%r1], %r10;");
    t.run(0, load, strided(a_at, 8), 0b1);
    for (uint32_t pc : {move, next, last}) t.run(0, pc);
    expect(analysis::shared_origin(t.get(), t.run(0, store, strided(8, 0), 0b1))[2], 0, 0, 0);
}

TEST_F(Copy, ZerosAndSumsHaveNoOrigin) {
    t.run(0, load, strided(a_at, 8), 0b11);
    t.run(0, move);
    t.run(0, zero, 0b10); // lane 1 is at the edge
    t.run(0, store3, strided(0, 4), 0b11);
    t.run(0, add);
    const uint32_t last = t.run(0, store12, strided(64, 8), 0b1);
    const auto words = analysis::shared_origin(t.get(), last);
    expect(words[0], 0, 0, 0);
    EXPECT_EQ(words[1].buffer, -1);
    expect(words[16], 0, 0, 0);
    EXPECT_EQ(words[17].buffer, -1);
}

TEST_F(Copy, ALaterStoreReplacesAnEarlierOne) {
    t.run(0, load, strided(a_at, 8), 0b11);
    const uint32_t first = t.run(0, store12, strided(0, 8), 0b1);
    const uint32_t second = t.run(0, store12, strided(0, 0), 0b10);
    expect(analysis::shared_origin(t.get(), first)[0], 0, 0, 0);
    expect(analysis::shared_origin(t.get(), second)[0], 0, 0, 2);
    expect(analysis::shared_origin(t.get(), 4000000000u)[0], 0, 0, 2);
}

TEST_F(Copy, SharedToShared) {
    t.run(0, load, strided(a_at, 8), 0b1);
    t.run(0, store12, strided(0, 8), 0b1);
    t.run(0, reload, strided(4, 0), 0b1);
    const uint32_t last = t.run(0, store12, strided(16, 8), 0b1);
    expect(analysis::shared_origin(t.get(), last)[4], 0, 0, 1);
}

// Each lane's word of a matrix is of a row that another lane may name.
TEST_F(Copy, LanesExchangeWhatTheyHoldThroughRowsOfMatrices) {
    t.get().shared_bytes = 512;
    const uint32_t rows = t.rows_code(Kind::load, 1, "ldmatrix.x1 {%f1}, [%r1];"),
                   matrix = t.rows_code(Kind::store, 2, "stmatrix.x2 [%r1], {%f1, %f2};");
    t.run(0, load, strided(a_at, 8), 1);
    for (uint64_t at = 0; at < 512; at += 8) t.run(0, store12, strided(at, 0), 1); // A[0][0] and A[0][1] everywhere
    trace::Addresses address{};
    for (uint64_t lane = 0; lane < 16; ++lane) address[lane] = lane * 32; // the others give that of the first row
    t.run(0, rows, address);
    const uint32_t reloaded = t.run(0, store3, strided(16, 0), 1);
    EXPECT_EQ(analysis::shared_origin(t.get(), reloaded)[4].buffer, -1);
    const uint32_t stored = t.run(0, matrix, address);
    const auto words = analysis::shared_origin(t.get(), stored);
    for (size_t word = 0; word < 128; ++word)
        if (word != 4) EXPECT_EQ(words[word].buffer, word % 8 < 4 ? -1 : 0) << word;
}

TEST_F(Copy, RegistersBelongToTheirWarp) {
    MadeTrace two(64);
    two.buffer("A", a_at, 4, 64);
    two.get().shared_bytes = 64;
    const uint32_t ld = two.code(Kind::load, Space::global, 4, "ld.global.f32 %f1, [%rd1];");
    const uint32_t st = two.code(Kind::store, Space::shared, 4, "st.shared.f32 [%r1], %f1;");
    two.run(0, ld, strided(a_at, 4));
    const uint32_t last = two.run(1, st, strided(0, 0), 1);
    EXPECT_EQ(analysis::shared_origin(two.get(), last)[0].buffer, -1);
}

TEST_F(Copy, AnAsyncCopyNeedsNoRegisters) {
    const uint32_t copy = t.code(Kind::async_copy, Space::shared, 8, "cp.async.ca.shared.global [%r1], [%rd1], 8;");
    t.run(0, copy, strided(0, 8), 0b11);
    t.source(strided(a_at, 8));
    const auto words = analysis::shared_origin(t.get(), 0);
    expect(words[0], 0, 0, 0);
    expect(words[3], 0, 0, 3);
}

// Rows of 32 bytes, swizzled over 32: from 128 bytes on, the two halves of a row are exchanged. What of a row lies left of the
// matrix is zeros.
TEST_F(Copy, ABulkCopyBringsRowsWhereTheSwizzlePutsThem) {
    t.get().shared_bytes = 256;
    const uint32_t copy = t.code(Kind::bulk_copy, Space::shared, 0,
                                 "cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd1, {%r2, %r3}], [%r4];");
    const uint32_t before = t.run(0, store12), event = t.run(0, copy, 1);
    trace::BulkCopy rows{event, 0, true, 32, 0, 32, {}};
    for (const uint64_t row : {0, 1, 2, 3, 0}) rows.rows.push_back({a_at + row * 32, 0, 32});
    rows.rows[1] = {a_at + 32, 8, 24};
    t.get().bulk_copies = {rows};
    const auto words = analysis::shared_origin(t.get(), event);
    expect(words[0], 0, 0, 0);
    expect(words[7], 0, 0, 7);
    EXPECT_EQ(words[9].buffer, -1);
    expect(words[10], 0, 1, 0);
    expect(words[32 + 4], 0, 0, 0); // the fifth row begins in its second half
    expect(words[32 + 3], 0, 0, 7);
    EXPECT_EQ(analysis::shared_origin(t.get(), before)[7].buffer, -1);
}

class Halves : public testing::Test {
protected:
    Halves() {
        t.buffer("A", a_at, 4, 8, base::NumberType::bf16);
        t.get().shared_bytes = 64;
    }
    // Of word 0, after this store.
    std::array<analysis::Rectangle, 2> stored(uint32_t code, uint64_t stride) {
        const uint32_t last = t.run(0, code, strided(0, stride), 0b11);
        return analysis::elements_of(t.get(), analysis::shared_origin(t.get(), last)[0]);
    }
    MadeTrace t{32};
    uint32_t load = t.code(Kind::load, Space::global, 2, "ld.global.u16 %rs1, [%rd1];");
    uint32_t load_pair = t.code(Kind::load, Space::global, 4, "ld.global.u32 %r5, [%rd1];");
    uint32_t store = t.code(Kind::store, Space::shared, 2, "st.shared.u16 [%r1], %rs1;");
    uint32_t store_pair = t.code(Kind::store, Space::shared, 4, "st.shared.u32 [%r1], %r5;");
};

TEST_F(Halves, AWordHoldsTwo) {
    t.run(0, load_pair, strided(a_at, 4), 0b11);
    EXPECT_EQ(stored(store_pair, 4), (std::array<analysis::Rectangle, 2>{{{0, 0, 1, 2}}}));
}

TEST_F(Halves, EachIsStoredAlone) {
    t.run(0, load, strided(a_at, 2), 0b111);
    const uint32_t last = t.run(0, store, strided(0, 2), 0b111);
    const auto words = analysis::shared_origin(t.get(), last);
    expect(words[0], 0, 0, 0);
    EXPECT_EQ(words[0].upper, (analysis::Element{0, 1}));
    expect(words[1], 0, 0, 2); // its upper half was not written
    EXPECT_EQ(words[1].upper, (analysis::Element{0, 2}));
}

TEST_F(Halves, MayBeOfTwoRows) {
    t.run(0, load, strided(a_at, 16), 0b11);
    EXPECT_EQ(stored(store, 2), (std::array<analysis::Rectangle, 2>{{{0, 0, 2, 1}}}));
    t.run(0, load, strided(a_at, 32), 0b11);
    EXPECT_EQ(stored(store, 2), (std::array<analysis::Rectangle, 2>{{{0, 0, 1, 1}, {2, 0, 1, 1}}}));
}

TEST_F(Copy, AWideRegisterHoldsTwoWords) {
    const uint32_t ld = t.code(Kind::load, Space::global, 8, "ld.global.u64 %rd2, [%rd1];");
    const uint32_t st = t.code(Kind::store, Space::shared, 8, "st.shared.u64 [%r1], %rd2;");
    t.run(0, ld, strided(a_at, 8), 0b11);
    const uint32_t last = t.run(0, st, strided(0, 8), 0b11);
    const auto words = analysis::shared_origin(t.get(), last);
    for (uint32_t word = 0; word < 4; ++word) expect(words[word], 0, 0, word);
}

TEST_F(Copy, ADoubleNamesBothOfItsWords) {
    MadeTrace doubles(32);
    doubles.buffer("A", a_at, 4, 8, base::NumberType::f64);
    doubles.get().shared_bytes = 64;
    const uint32_t ld = doubles.code(Kind::load, Space::global, 8, "ld.global.f64 %fd1, [%rd1];");
    const uint32_t st = doubles.code(Kind::store, Space::shared, 8, "st.shared.f64 [%r1], %fd1;");
    doubles.run(0, ld, strided(a_at, 8), 0b111);
    const uint32_t last = doubles.run(0, st, strided(0, 8), 0b111);
    const auto words = analysis::shared_origin(doubles.get(), last);
    for (uint32_t word = 0; word < 6; ++word) expect(words[word], 0, 0, word / 2);
    EXPECT_EQ(words[6].buffer, -1);
}

TEST_F(Copy, OddTracesAreHarmless) {
    t.run(0, store12, strided(124, 8)); // off the end
    t.run(0, 77);                       // no such instruction
    t.run(40, load, strided(a_at, 8));  // no such warp
    t.get().events.push_back({store12, ~0u, 999, 0});
    EXPECT_EQ(analysis::shared_origin(t.get(), 10).size(), 32u);
    trace::Trace nothing;
    nothing.shared_bytes = 6;
    EXPECT_EQ(analysis::shared_origin(nothing, 0).size(), 2u);
}

// Accesses of every kind and width at random places, of two warps in any order, with lanes that sleep.
class RandomTrace {
public:
    explicit RandomTrace(uint64_t seed) : random_(seed) {
        made_.buffer("A", a_at, 8, 16);
        made_.buffer("B", 0x20000, 8, 16, seed % 2 ? base::NumberType::bf16 : base::NumberType::f32);
        made_.get().shared_bytes = 64 + 4 * below(64);
        for (int r = 1; r <= 4; ++r)
            for (int s = 1; s <= 4; ++s) list(std::to_string(r), std::to_string(s));
        const auto events = 1 + below(150);
        for (uint32_t i = 0; i < events; ++i) add();
    }
    const trace::Trace& get() { return made_.get(); }

private:
    struct Code {
        Kind kind;
        Space space;
        uint32_t pc;
    };
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
    void list(const std::string& r, const std::string& s) {
        const auto add = [&](Kind kind, Space space, int bytes, const std::string& text) {
            codes_.push_back({kind, space, made_.code(kind, space, bytes, text)});
        };
        const std::string one = "%f" + r, both = "{%f" + r + ", %f" + s + "}";
        add(Kind::load, Space::global, 4, "ld.global.f32 " + one + ", [%rd1];");
        add(Kind::load, Space::global, 8, "ld.global.v2.f32 " + both + ", [%rd1];");
        add(Kind::load, Space::global, 2, "ld.global.u16 " + one + ", [%rd1];");
        add(Kind::arithmetic, Space::none, 0, "mov.f32 " + one + ", %f" + s + ";");
        add(Kind::arithmetic, Space::none, 0, "mov.f32 " + one + ", 0f00000000;");
        add(Kind::arithmetic, Space::none, 0, "add.f32 " + one + ", %f" + s + ", %f1;");
        add(Kind::store, Space::shared, 4, "st.shared.f32 [%r1], " + one + ";");
        add(Kind::store, Space::shared, 8, "st.shared.v2.f32 [%r1], " + both + ";");
        add(Kind::store, Space::shared, 8, "st.shared.f64 [%r1], " + one + ";");
        add(Kind::store, Space::shared, 2, "st.shared.u16 [%r1], " + one + ";");
        add(Kind::load, Space::shared, 4, "ld.shared.f32 " + one + ", [%r2];");
        add(Kind::load, Space::shared, 8, "ld.shared.v2.f32 " + both + ", [%r2];");
        add(Kind::async_copy, Space::shared, 8, "cp.async.ca.shared.global [%r1], [%rd1], 8;");
        add(Kind::bulk_copy, Space::shared, 0, "cp.async.bulk.shared::cluster.global [%r1], [%rd1], 64, [%r4];");
    }
    trace::Addresses somewhere(Space space) {
        const uint32_t step = 2 << below(3), from = below(300), spread = 1 + below(300);
        trace::Addresses all{};
        for (uint64_t& address : all) address = (from + below(spread)) / step * step;
        if (space == Space::global)
            for (uint64_t& address : all) address = below(20) == 0 ? 0 : address + (below(2) ? a_at : 0x20000);
        return all;
    }
    void add() {
        const Code& code = codes_[below(static_cast<uint32_t>(codes_.size()))];
        const auto warp = static_cast<uint16_t>(below(2));
        const uint32_t active = below(3) == 0 ? ~0u : static_cast<uint32_t>(random_() >> 16);
        if (code.space == Space::none) made_.run(warp, code.pc, active);
        else if (code.kind == Kind::bulk_copy) bulk_copy(made_.run(warp, code.pc, 1));
        else made_.run(warp, code.pc, somewhere(code.space), active);
        if (code.kind == Kind::async_copy) made_.source(somewhere(Space::global));
    }
    void bulk_copy(uint32_t event) {
        trace::BulkCopy copy{event, 0, below(4) != 0, 32, 32 * below(8), 32, {}};
        for (uint32_t row = 0; row <= below(4); ++row)
            copy.rows.push_back({a_at + row * 64, 8 * below(2), 8 + 8 * below(2)});
        made_.get().bulk_copies.push_back(copy);
    }

    std::mt19937_64 random_;
    MadeTrace made_{64};
    std::vector<Code> codes_;
};

TEST(SharedOrigin, IsWhatExecutingEveryEventFromTheFirstOnGives) {
    size_t known = 0;
    for (uint64_t seed = 0; seed < 400; ++seed) {
        RandomTrace made(seed);
        const trace::Trace& t = made.get();
        for (uint32_t event = 0; event < t.events.size(); event += 1 + event / 3) {
            const std::vector<Origin> expected = test::Followed(t, event).words();
            ASSERT_EQ(analysis::shared_origin(t, event), expected) << "seed " << seed << " event " << event;
            std::vector<bool> wanted(expected.size());
            for (size_t word = 0; word < wanted.size(); ++word) wanted[word] = (word * 7 + seed) % 5 == 0;
            const std::vector<Origin> some = analysis::shared_origin(t, event, wanted);
            for (size_t word = 0; word < wanted.size(); ++word) {
                ASSERT_EQ(some[word], wanted[word] ? expected[word] : Origin{})
                    << "seed " << seed << " event " << event;
                known += wanted[word] && some[word].buffer >= 0;
            }
        }
    }
    EXPECT_GT(known, 1000u);
}

TEST_F(Copy, WritesAndTheFirstOneOfEachWordAreKnown) {
    t.run(0, load, strided(a_at, 8));
    const uint32_t first = t.run(0, store3, strided(40, 4), 0b11), second = t.run(0, store12, strided(44, 8), 0b1);
    const auto writes = analysis::shared_writes(t.get());
    EXPECT_EQ(writes.events, (std::vector<uint32_t>{first, second}));
    ASSERT_EQ(writes.first.size(), 32u);
    EXPECT_EQ(writes.first[10], first);
    EXPECT_EQ(writes.first[11], first);
    EXPECT_EQ(writes.first[12], second);
    EXPECT_EQ(writes.first[13], trace::no_access);
}

} // namespace
