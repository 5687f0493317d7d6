// The plan of a streamed product, with sizes and speeds chosen so that it can be followed by hand.
#include "measure/stream_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace {

using measure::StreamRow;
using measure::StreamStep;
using measure::StreamWait;

constexpr auto f32 = catalog::OperandType::f32;

catalog::StreamShape shape(int tile, int depth, int buffers, uint64_t cap = uint64_t{1} << 40) {
    return {tile, tile, depth, buffers, cap};
}

measure::StreamPlan plan(const catalog::Problem& problem, const catalog::StreamShape& shape, bool with_c = false) {
    auto made = measure::stream_plan(problem, shape, f32, with_c);
    EXPECT_TRUE(made) << (made ? "" : made.error().sentence());
    return made ? *made : measure::StreamPlan{};
}

double waited(const measure::StreamSummary& sum, StreamWait wait) { return sum.waited_ms[static_cast<size_t>(wait)]; }

// Two tiles of 1000 x 1000 in two pieces 500 deep. At 4 GB/s a piece of A and B, 4 MB, takes 1 ms to come,
// and a tile of C 1 ms to go; at 500 GFLOPS its product, 1e9 operations, takes 2 ms.
const catalog::Problem two_tiles{1000, 2000, 1000};
constexpr measure::StreamSpeed speed{4, 500};

TEST(StreamPlan, TwoBuffersByHand) {
    const auto p = plan(two_tiles, shape(1000, 500, 2));
    const auto times = measure::planned_times(p, speed);
    const std::vector<measure::StreamTime> expected{
        {0, 1}, {1, 3}, // tile 0: piece 0 comes, is multiplied
        {1, 2}, {3, 5}, // piece 1 comes into the other buffer meanwhile
        {5, 6},         // the tile goes
        {3, 4}, {5, 7}, // tile 1: its first piece takes the buffer that is free at 3
        {5, 6}, {7, 9}, //
        {9, 10}};
    EXPECT_EQ(times, expected);
    const auto sum = measure::summary(p, times);
    EXPECT_EQ(sum.total_ms, 10);
    EXPECT_DOUBLE_EQ(sum.compute_share(), 0.8);
    EXPECT_DOUBLE_EQ(sum.gflops(), 400);
    EXPECT_EQ(waited(sum, StreamWait::operands), 1); // for the very first piece
    EXPECT_EQ(waited(sum, StreamWait::c), 0);
    EXPECT_EQ(sum.tail_ms, 1);
    EXPECT_EQ(sum.speed(), speed);
}

TEST(StreamPlan, OneBufferHidesNothing) {
    const auto p = plan(two_tiles, shape(1000, 500, 1));
    const auto sum = measure::summary(p, measure::planned_times(p, speed));
    EXPECT_EQ(sum.total_ms, 4 * 3 + 2 - 1); // four pieces that come, then are multiplied; two tiles that go,
                                            // one behind a piece that comes
    EXPECT_EQ(waited(sum, StreamWait::operands), 4);
}

TEST(StreamPlan, SaysWhatTheArithmeticWaitsFor) {
    // Copies that take ten times as long.
    const auto p = plan(two_tiles, shape(1000, 500, 2));
    auto times = measure::planned_times(p, {0.4, 500});
    auto sum = measure::summary(p, times);
    EXPECT_EQ(sum.total_ms, 40 + 2 + 10); // four pieces of 10 ms, the last one's product, the last tile
    EXPECT_EQ(waited(sum, StreamWait::operands), 10 + 8 + 8 + 8);
    // A tile of C that is slow to leave holds up the tile that needs its buffer.
    const auto narrow = plan({1000, 3000, 500}, shape(1000, 500, 2));
    times = measure::planned_times(narrow, speed); // load 0 1, multiply 1 3, store 3 4 and so on
    for (size_t i = 0; i < narrow.operations.size(); ++i)
        if (narrow.operations[i].step == StreamStep::multiply && narrow.operations[i].tile == 2) {
            times[2].end_ms = 20;
            times[i].start_ms = 20, times[i].end_ms = 22;
        }
    EXPECT_EQ(waited(measure::summary(narrow, times), StreamWait::c), 20 - 5);
}

TEST(StreamPlan, OfSizesThatDivideNothingEveryElementIsCopiedAndMultipliedOnce) {
    const catalog::Problem odd{1001, 777, 333};
    for (const bool with_c : {false, true})
        for (const int buffers : {1, 2, 3}) {
            const auto p = plan(odd, shape(256, 100, buffers), with_c);
            double flop = 0;
            std::map<StreamStep, uint64_t> bytes;
            std::set<std::array<int, 3>> corners;
            for (const auto& o : p.operations) {
                flop += o.flop;
                bytes[o.step] += o.bytes;
                EXPECT_LE(o.row + o.size.m, odd.m);
                EXPECT_LE(o.column + o.size.n, odd.n);
                EXPECT_LE(o.k + o.size.k, odd.k);
                if (o.step == StreamStep::multiply) {
                    EXPECT_TRUE(corners.insert({o.row, o.column, o.k}).second);
                }
            }
            EXPECT_EQ(flop, 2.0 * odd.m * odd.n * odd.k);
            EXPECT_EQ(corners.size(), 4u * 4 * 4);
            // A comes once for each of four columns of tiles, B for each of four rows.
            EXPECT_EQ(bytes[StreamStep::load], 4u * (4 * 1001 * 333 + 4 * 333 * 777));
            EXPECT_EQ(bytes[StreamStep::store], 4u * 1001 * 777);
            EXPECT_EQ(bytes[StreamStep::load_c], with_c ? 4u * 1001 * 777 : 0u);
        }
}

// By the planned times, for speeds at which now the copies, now the arithmetic are slower.
TEST(StreamPlan, NoBufferIsWrittenWhileItIsInUse) {
    for (const bool with_c : {false, true})
        for (const int buffers : {1, 2, 3, 4})
            for (const measure::StreamSpeed s : {measure::StreamSpeed{1, 100}, {1, 10}, {1, 1000}}) {
                const auto p = plan({1001, 777, 333}, shape(256, 100, buffers), with_c);
                const auto times = measure::planned_times(p, s);
                std::map<int, double> piece_free, c_free;          // from when on a buffer may be written
                std::map<std::pair<int, int>, double> piece_there; // tile and piece: when it has come
                std::map<int, double> c_there;
                std::array<double, measure::stream_rows> row_free{};
                for (size_t i = 0; i < p.operations.size(); ++i) {
                    const auto& o = p.operations[i];
                    const auto [start, end] = times[i];
                    double& row = row_free[static_cast<size_t>(measure::row_of(o.step))];
                    EXPECT_GE(start, row) << "a row does one thing at a time";
                    row = end;
                    switch (o.step) {
                    case StreamStep::load:
                        EXPECT_GE(start, piece_free[o.buffer]);
                        piece_there[{o.tile, o.piece}] = end;
                        break;
                    case StreamStep::load_c:
                        EXPECT_GE(start, c_free[o.c_buffer]);
                        c_there[o.tile] = end;
                        break;
                    case StreamStep::multiply:
                        EXPECT_GE(start, (piece_there.at({o.tile, o.piece})));
                        EXPECT_GE(start, c_free[o.c_buffer]);
                        if (with_c) {
                            EXPECT_GE(start, c_there.at(o.tile));
                        }
                        piece_free[o.buffer] = end;
                        c_there[o.tile] = end;
                        break;
                    case StreamStep::store:
                        EXPECT_GE(start, c_there.at(o.tile));
                        c_free[o.c_buffer] = end;
                        break;
                    }
                }
            }
}

TEST(StreamPlan, MemoryIsThatOfTheBuffersAndNeverAboveTheCap) {
    // Two pieces of 1000 x 500 and 500 x 1000, two tiles of 1000 x 1000.
    EXPECT_EQ(plan(two_tiles, shape(1000, 500, 2)).device_bytes, 4u * (2 * (500'000 + 500'000) + 2 * 1'000'000));
    EXPECT_EQ(plan(two_tiles, shape(1000, 500, 1)).device_bytes, 4u * (500'000 + 500'000 + 1'000'000));
    // A small product needs no more than itself.
    EXPECT_EQ(plan({10, 20, 30}, shape(1000, 500, 4)).device_bytes, 4u * (300 + 600 + 200));
    EXPECT_TRUE(measure::stream_plan(two_tiles, shape(1000, 500, 2, 16'000'000), f32, false));
    const auto above = measure::stream_plan(two_tiles, shape(1000, 500, 2, 15'999'999), f32, false);
    ASSERT_FALSE(above);
    EXPECT_EQ(above.error().sentence(), "2 pieces of 1000 x 500 and 500 x 1000 and 2 of C of 1000 x 1000 "
                                        "need 16 MB on the GPU, 1 byte more than the cap allows; "
                                        "choose smaller tiles or pieces, fewer buffers, or a higher cap");
    // Doubles are twice as many bytes.
    const auto doubles = measure::stream_plan(two_tiles, shape(1000, 500, 2), catalog::OperandType::f64, false);
    ASSERT_TRUE(doubles);
    EXPECT_EQ(doubles->device_bytes, 8u * 4'000'000);
}

TEST(StreamPlan, TooManyOperationsAreAnError) {
    const auto many = measure::stream_plan({1 << 20, 1 << 20, 1 << 20}, shape(512, 256, 2), f32, false);
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().sentence(),
              "4194304 tiles of C in 4096 pieces each are too many to be recorded; choose larger tiles or pieces");
}

TEST(StreamPlan, ATileOfTheHidingEdgeTakesAsLongToComeAsToMultiply) {
    const measure::StreamSpeed s{55, 51000};
    const double edge = measure::hiding_edge(s, f32);
    EXPECT_NEAR(edge, 3709, 1);
    const int tile = static_cast<int>(edge);
    const auto p = plan({tile, tile, 4096}, shape(tile, 4096, 1));
    const auto times = measure::planned_times(p, s);
    EXPECT_NEAR(times[0].end_ms, times[1].end_ms - times[1].start_ms, 1e-3 * times[0].end_ms);
}

} // namespace
