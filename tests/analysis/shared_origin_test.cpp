#include "analysis/mapping.h"

#include "access_patterns.h"
#include "made_trace.h"

#include <gtest/gtest.h>

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

TEST_F(Copy, OfTwoHalvesTheLowerOneNamesTheWord) {
    MadeTrace halves(32);
    halves.buffer("A", a_at, 4, 8, base::NumberType::bf16);
    halves.get().shared_bytes = 64;
    const uint32_t ld = halves.code(Kind::load, Space::global, 2, "ld.global.u16 %rs1, [%rd1];");
    const uint32_t st = halves.code(Kind::store, Space::shared, 2, "st.shared.u16 [%r1], %rs1;");
    halves.run(0, ld, strided(a_at, 2), 0b111);
    const uint32_t last = halves.run(0, st, strided(0, 2), 0b111);
    const auto words = analysis::shared_origin(halves.get(), last);
    expect(words[0], 0, 0, 0);
    expect(words[1], 0, 0, 2);
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

} // namespace
