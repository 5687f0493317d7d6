#include "analysis/mapping.h"

#include "access_patterns.h"
#include "made_trace.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace {

using test::MadeTrace;
using test::strided;
using trace::Kind;
using trace::Space;

constexpr uint64_t a_at = 0x10000, b_at = 0x20000;

TEST(Element, FromAddress) {
    const trace::Buffer b{"A", a_at, 4 * 10 * 6, base::NumberType::f32, 10, 6};
    EXPECT_EQ(analysis::element(b, a_at), (analysis::Element{0, 0}));
    EXPECT_EQ(analysis::element(b, a_at + 4 * 7), (analysis::Element{1, 1}));
    EXPECT_EQ(analysis::element(b, a_at + 4 * 7 + 3), (analysis::Element{1, 1})); // its last byte
    EXPECT_EQ(analysis::element(b, a_at + 239), (analysis::Element{9, 5}));
    EXPECT_EQ(analysis::element(b, a_at + 240), std::nullopt);
    EXPECT_EQ(analysis::element(b, a_at - 1), std::nullopt);
    EXPECT_EQ(analysis::element({}, 0), std::nullopt);
    EXPECT_EQ(analysis::element({"no shape", 0, 64, base::NumberType::f32, 0, 0}, 8), std::nullopt);
}

// 10 x 6, rows 8 apart.
trace::Buffer padded(uint64_t address) {
    return {"A", address, 4 * 10 * 8, base::NumberType::f32, 10, 6, base::Packing::none, 2};
}

TEST(Element, OfPaddingIsNone) {
    const trace::Buffer a = padded(a_at);
    EXPECT_EQ(analysis::element(a, a_at + 4 * 5), (analysis::Element{0, 5}));
    EXPECT_EQ(analysis::element(a, a_at + 4 * 6), std::nullopt);
    EXPECT_EQ(analysis::element(a, a_at + 4 * 8), (analysis::Element{1, 0}));
    EXPECT_EQ(analysis::padded_row(a, a_at + 4 * 15 + 3), 1u);
    EXPECT_EQ(analysis::padded_row(a, a_at + 4 * 16), std::nullopt);
    EXPECT_EQ(analysis::padded_row(a, a_at + 4 * 80), std::nullopt) << "behind the array";
}

TEST(Mapping, LeavesPaddingOut) {
    MadeTrace t(32);
    t.get().buffers = {padded(a_at)};
    const uint32_t load = t.code(Kind::load, Space::global, 16);
    t.run(0, load, strided(a_at + 4 * 4, 0), 0b1);  // columns 4 and 5 of row 0, and its padding
    t.run(0, load, strided(a_at + 6 * 4, 0), 0b10); // its padding, and columns 0 and 1 of row 1
    const auto maps = analysis::mapping(t.get());
    ASSERT_EQ(maps[0].loads.size(), 4u);
    EXPECT_EQ(maps[0].loads[0].column, 4u);
    EXPECT_EQ(maps[0].loads[1].column, 5u);
    EXPECT_EQ(maps[0].loads[2].row, 1u);
    EXPECT_EQ(maps[0].loads[2].column, 0u);
    EXPECT_EQ(maps[0].loads[3].column, 1u);
    EXPECT_EQ(maps[0].box.columns, 6u);
}

trace::Buffer bits(const char* name, uint64_t address, uint64_t rows, uint64_t columns, base::Packing packing) {
    trace::Buffer buffer{name, address, 0, base::NumberType::u32, rows, columns, packing};
    buffer.bytes = buffer.layout().stored() * 4;
    return buffer;
}

TEST(Element, OfAWordOfBitsIsTheFirstAndTheWordHoldsTheOthers) {
    const auto a = bits("A", a_at, 4, 70, base::Packing::along_rows);
    const auto b = bits("B", b_at, 70, 4, base::Packing::along_columns);
    EXPECT_EQ(analysis::element(a, a_at + 4 * 4), (analysis::Element{1, 32}));
    EXPECT_EQ(analysis::element(b, b_at + 4 * 9), (analysis::Element{64, 1}));
    EXPECT_EQ(analysis::element(b, b_at + 4 * 12), std::nullopt);
    const auto along_row = analysis::stored_with(a, 1, 69), along_column = analysis::stored_with(b, 40, 3);
    EXPECT_EQ(along_row.column, 64u);
    EXPECT_EQ(along_row.columns, 6u) << "behind K there is no element";
    EXPECT_EQ(along_row.rows, 1u);
    EXPECT_EQ(along_column.row, 32u);
    EXPECT_EQ(along_column.rows, 32u);
    EXPECT_EQ(along_column.columns, 1u);
    const auto alone = analysis::stored_with({"C", 0, 64, base::NumberType::f32, 4, 4}, 2, 3);
    EXPECT_EQ(alone.row, 2u);
    EXPECT_EQ(alone.columns, 1u);
}

TEST(Mapping, AWordOfBitsIsTouchedElementByElement) {
    MadeTrace t(32);
    t.get().buffers = {bits("A", a_at, 4, 70, base::Packing::along_rows),
                       bits("B", b_at, 70, 4, base::Packing::along_columns)};
    const uint32_t load = t.code(Kind::load, Space::global, 4);
    t.run(0, load, strided(a_at + 3 * 4, 4), 0b110); // the second and third word of row 1
    t.run(0, load, strided(b_at + 2 * 4, 0), 0b1);   // the first word of column 2
    const auto maps = analysis::mapping(t.get());
    ASSERT_EQ(maps[0].loads.size(), 32u + 6);
    EXPECT_EQ(maps[0].loads[0].row, 1u);
    EXPECT_EQ(maps[0].loads[0].column, 32u);
    EXPECT_EQ(maps[0].loads[0].thread, 1);
    EXPECT_EQ(maps[0].loads[37].column, 69u);
    EXPECT_EQ(maps[0].loads[37].thread, 2);
    EXPECT_EQ(maps[0].box.columns, 38u);
    ASSERT_EQ(maps[1].loads.size(), 32u);
    EXPECT_EQ(maps[1].loads[31].row, 31u);
    EXPECT_EQ(maps[1].loads[31].column, 2u);
    EXPECT_EQ(maps[1].box.rows, 32u);
}

TEST(Mapping, OfAnEmptyTraceIsEmpty) {
    EXPECT_TRUE(analysis::mapping({}).empty());
    MadeTrace t(32);
    t.buffer("A", a_at, 2, 2);
    const auto maps = analysis::mapping(t.get());
    ASSERT_EQ(maps.size(), 1u);
    EXPECT_EQ(maps[0].name, "A");
    EXPECT_TRUE(maps[0].loads.empty());
    EXPECT_EQ(maps[0].box.rows, 0u);
}

TEST(Mapping, TouchesAreOfThreadsAndElementsInOrder) {
    MadeTrace t(64);
    t.buffer("A", a_at, 8, 16);
    t.buffer("C", b_at, 8, 16);
    const uint32_t load = t.code(Kind::load, Space::global, 8), store = t.code(Kind::store, Space::global, 4);
    t.run(1, load, strided(a_at + 16 * 4, 8), 0b11); // row 1, columns 0 1 and 2 3
    t.run(0, store, strided(b_at + 3 * 4, 0), 0b100);
    const auto maps = analysis::mapping(t.get());
    ASSERT_EQ(maps.size(), 2u);
    ASSERT_EQ(maps[0].loads.size(), 4u);
    EXPECT_EQ(maps[0].loads[0].thread, 32);
    EXPECT_EQ(maps[0].loads[3].thread, 33);
    EXPECT_EQ(maps[0].loads[3].row, 1u);
    EXPECT_EQ(maps[0].loads[3].column, 3u);
    EXPECT_EQ(maps[0].box.row, 1u);
    EXPECT_EQ(maps[0].box.rows, 1u);
    EXPECT_EQ(maps[0].box.columns, 4u);
    ASSERT_EQ(maps[1].stores.size(), 1u);
    EXPECT_EQ(maps[1].stores[0].thread, 2);
    EXPECT_EQ(maps[1].stores[0].column, 3u);
    EXPECT_EQ(maps[1].stores[0].event, 1u);
}

TEST(Mapping, ARepeatedTouchIsListedOnceForEachThreadAndDirection) {
    MadeTrace t(32);
    t.buffer("A", a_at, 4, 4);
    const uint32_t load = t.code(Kind::load, Space::global, 4), store = t.code(Kind::store, Space::global, 4);
    const uint32_t atomic = t.code(Kind::atomic, Space::global, 4);
    for (int i = 0; i < 3; ++i) t.run(0, load, strided(a_at, 0), 0b11);
    t.run(0, store, strided(a_at, 0), 0b1);
    t.run(0, atomic, strided(a_at + 4, 0), 0b1); // reads and writes
    const auto maps = analysis::mapping(t.get());
    EXPECT_EQ(maps[0].loads.size(), 3u);
    EXPECT_EQ(maps[0].stores.size(), 2u);
    EXPECT_EQ(maps[0].loads[0].event, 0u);
}

TEST(Mapping, AnAsyncCopyReadsItsSource) {
    MadeTrace t(32);
    t.buffer("A", a_at, 4, 64);
    const uint32_t copy = t.code(Kind::async_copy, Space::shared, 16);
    t.run(0, copy, strided(0, 16));
    t.source(strided(a_at, 16));
    EXPECT_EQ(analysis::mapping(t.get())[0].loads.size(), 128u);
}

TEST(Mapping, LanesWhoseAddressesNobodyUsesDoNotAccess) {
    MadeTrace t(32);
    const uint32_t one = t.rows_code(Kind::load, 1), two = t.rows_code(Kind::store, 2),
                   four = t.rows_code(Kind::load, 4);
    const uint32_t plain = t.code(Kind::load, Space::shared, 16);
    const std::vector<trace::Instruction>& code = t.get().listing->instructions;
    EXPECT_EQ(analysis::accessing_lanes(code[one], ~0u), 0xFFu);
    EXPECT_EQ(analysis::accessing_lanes(code[two], ~0u), 0xFFFFu);
    EXPECT_EQ(analysis::accessing_lanes(code[four], ~0u), ~0u);
    EXPECT_EQ(analysis::accessing_lanes(code[plain], 0xF0F0F0F0u), 0xF0F0F0F0u);
}

TEST(Mapping, ALaneThatReadsNothingTouchesNothing) {
    MadeTrace t(32);
    t.buffer("A", a_at, 4, 64);
    const uint32_t copy = t.code(Kind::async_copy, Space::shared, 16);
    trace::Addresses from{};
    from[3] = a_at + 16, from[8] = a_at + 32;
    const uint32_t event = t.run(0, copy, strided(0, 16), 0xFF);
    t.source(from);
    EXPECT_EQ(analysis::reading_lanes(t.get(), t.get().events[event]), 1u << 3); // lane 8 does not execute it
    const auto maps = analysis::mapping(t.get());
    ASSERT_EQ(maps[0].loads.size(), 4u);
    EXPECT_EQ(maps[0].loads[0].thread, 3u);
    EXPECT_EQ(maps[0].loads[0].column, 4u);
}

TEST(Mapping, ABulkCopyTouchesTheRowsOfItsBoxForOneThread) {
    MadeTrace t(64);
    t.buffer("A", a_at, 8, 16);
    const uint32_t copy = t.code(Kind::bulk_copy, Space::shared, 0), back = t.code(Kind::bulk_copy, Space::global, 0);
    const uint32_t event = t.run(1, copy, 1), last = t.run(1, back, 1);
    using Row = trace::BulkCopy::Row; // a box of 3 rows of 4 floats, the last one below the matrix, and one row back
    t.get().bulk_copies = {{event, 32, true, 0, 0, 16, {Row{a_at + 6 * 64, 0, 16}, Row{a_at + 7 * 64, 0, 16}, Row{}}},
                           {last, 32, false, 0, 0, 16, {Row{a_at + 60, 0, 4}}}};
    const auto maps = analysis::mapping(t.get());
    ASSERT_EQ(maps[0].loads.size(), 8u);
    EXPECT_EQ(maps[0].loads[4].row, 7u);
    EXPECT_EQ(maps[0].loads[4].thread, 32u);
    EXPECT_EQ(maps[0].loads[4].event, event);
    ASSERT_EQ(maps[0].stores.size(), 1u);
    EXPECT_EQ(maps[0].stores[0].column, 15u);
    EXPECT_EQ(maps[0].stores[0].event, last);
}

TEST(Mapping, WhatLiesOutsideIsLeftOut) {
    MadeTrace t(32);
    t.buffer("A", a_at, 1, 8);
    const uint32_t load = t.code(Kind::load, Space::global, 16);
    t.run(0, load, strided(a_at + 24, 16), 0b111);   // the first lane is half inside
    t.run(0, 99, strided(a_at, 4));                  // no such instruction
    t.get().events.push_back({load, ~0u, 12345, 0}); // no such access
    t.get().events.push_back({load, ~0u, trace::no_access, 0});
    const auto maps = analysis::mapping(t.get());
    EXPECT_EQ(maps[0].loads.size(), 2u);
    EXPECT_EQ(maps[0].box.column, 6u);
    EXPECT_EQ(maps[0].box.columns, 2u);
}

TEST(Mapping, AgreesWithASet) {
    MadeTrace t(96);
    t.buffer("A", a_at, 40, 33);
    t.buffer("B", b_at, 7, 129);
    std::mt19937 random(2);
    using Key = std::tuple<bool, bool, int, uint32_t, uint32_t>; // of B, store, thread, row, column
    std::set<Key> want;
    std::vector<uint32_t> pcs;
    for (int bytes : {4, 8, 16})
        for (Kind kind : {Kind::load, Kind::store}) pcs.push_back(t.code(kind, Space::global, bytes));
    for (int i = 0; i < 400; ++i) {
        const uint32_t pc = pcs[random() % pcs.size()];
        const bool of_b = random() % 2;
        const uint64_t bytes = t.get().listing->instructions[pc].bytes;
        test::Access x = test::random_access(random, 3000);
        const auto warp = static_cast<uint16_t>(random() % 3);
        for (uint64_t& address : x.address) address = (of_b ? b_at : a_at) + address % 3600 / bytes * bytes;
        t.run(warp, pc, x.address, x.active);
        const uint64_t size = of_b ? 7 * 129 : 40 * 33, columns = of_b ? 129 : 33;
        for (unsigned lane = 0; lane < 32; ++lane)
            for (uint64_t e = 0; (x.active >> lane & 1) && e < bytes / 4; ++e) {
                const uint64_t index = (x.address[lane] - (of_b ? b_at : a_at)) / 4 + e;
                if (index >= size) continue;
                want.insert({of_b, t.get().listing->instructions[pc].kind == Kind::store,
                             warp * 32 + static_cast<int>(lane), static_cast<uint32_t>(index / columns),
                             static_cast<uint32_t>(index % columns)});
            }
    }
    const auto maps = analysis::mapping(t.get());
    std::set<Key> got;
    size_t listed = 0;
    for (size_t m = 0; m < 2; ++m)
        for (bool store : {false, true})
            for (const analysis::Touch& touch : store ? maps[m].stores : maps[m].loads) {
                got.insert({m == 1, store, touch.thread, touch.row, touch.column});
                ++listed;
            }
    EXPECT_EQ(got, want);
    EXPECT_EQ(listed, want.size()); // none twice
}

} // namespace
