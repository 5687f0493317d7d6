#include "../analysis/made_trace.h"
#include "views/pictures.h"
#include "views/warp_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace {

using trace::Kind;
using trace::Space;
using views::Lane;

trace::Addresses run_of(uint64_t first, uint64_t step = 4) {
    trace::Addresses address{};
    for (size_t lane = 0; lane < address.size(); ++lane) address[lane] = first + lane * step;
    return address;
}

std::shared_ptr<const session::BlockRun> run(trace::Trace trace) {
    auto result = std::make_shared<session::BlockRun>();
    result->trace = std::move(trace);
    result->mapping = analysis::mapping(result->trace);
    result->timeline = analysis::timeline(result->trace);
    return result;
}

// Two warps; each loads, then they meet, then each stores one row of C. Warp 1 executes one instruction more.
test::MadeTrace two_warps() {
    test::MadeTrace made(64);
    made.buffer("A", 0x1000, 4, 32);
    made.buffer("C", 0x8000, 4, 32);
    const uint32_t load = made.code(Kind::load, Space::global, 4), add = made.code(Kind::arithmetic);
    const uint32_t barrier = made.code(Kind::barrier), store = made.code(Kind::store, Space::global, 4);
    made.run(0, load, run_of(0x1000));
    made.run(0, barrier);
    made.run(1, load, run_of(0x1080));
    made.run(1, add);
    made.run(1, barrier);
    made.run(0, store, run_of(0x8000));
    made.run(1, store, run_of(0x8080));
    return made;
}

TEST(Pictures, OwnersLoadersAndTimesComeFromTheTrace) {
    views::Pictures pictures;
    const auto block = pictures.block(run(two_warps().get()));
    ASSERT_EQ(block->a, 0);
    ASSERT_EQ(block->c, 1);
    const views::ArrayPicture &a = block->arrays[0], &c = block->arrays[1];
    ASSERT_TRUE(a.has(1, 5));
    EXPECT_FALSE(a.has(2, 0));
    EXPECT_EQ(a.loader[a.index(1, 5)], 32 + 5);
    EXPECT_EQ(a.loaded[a.index(1, 5)], 2u);
    EXPECT_EQ(a.owner[a.index(1, 5)], views::nobody);
    EXPECT_EQ(c.owner[c.index(1, 31)], 63);
    EXPECT_EQ(c.stored[c.index(0, 0)], 5u);
}

TEST(Pictures, WarpTilesCoverTheBlocksPartOfCOnce) {
    views::Pictures pictures;
    const auto block = pictures.block(run(two_warps().get()));
    ASSERT_EQ(block->tiles.size(), 2u);
    for (const views::WarpTile& tile : block->tiles) {
        EXPECT_EQ(tile.box.row, tile.warp);
        EXPECT_EQ(tile.box.rows, 1u);
        EXPECT_EQ(tile.box.columns, 32u);
    }
}

TEST(Pictures, SameRunGivesTheSamePicture) {
    views::Pictures pictures;
    const auto first = run(two_warps().get()), second = run(two_warps().get());
    const auto picture = pictures.block(first);
    EXPECT_EQ(pictures.block(first), picture);
    EXPECT_NE(pictures.block(second), picture);
    EXPECT_EQ(pictures.block(first), picture);
}

// Each may take hundreds of megabytes.
TEST(Pictures, RunsThatWereLeftDoNotLiveOnForWhatWasMadeOfThem) {
    views::Pictures pictures;
    std::vector<std::weak_ptr<const session::BlockRun>> shown;
    for (size_t i = 0; i < 3; ++i) {
        const auto block = pictures.block(run(two_warps().get()));
        shown.emplace_back(block->run);
        pictures.origin(*block, 3);
        pictures.slab(*block, 0, 0);
        pictures.costliest_shared(*block, 0, true, "sm_90");
        pictures.lives(*block, 0, 1);
        pictures.before(block->run, std::make_shared<const sim::BlockState>());
        if (i > 0) {
            EXPECT_TRUE(shown[i - 1].expired()) << i;
        }
    }
}

TEST(Pictures, RunsThatAreKeptElsewhereKeepTheirPictures) {
    views::Pictures pictures;
    std::vector<std::shared_ptr<const session::BlockRun>> runs;
    std::vector<const views::BlockPicture*> made;
    for (int i = 0; i < 40; ++i) { // settings that are one key away
        runs.push_back(run(two_warps().get()));
        made.push_back(pictures.block(runs.back()).get());
    }
    for (size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(pictures.block(runs[i]).get(), made[i]);
}

// The jobs of subject and baseline make theirs while a frame asks for another.
TEST(Pictures, AreMadeByJobsBesideTheFrame) {
    views::Pictures pictures;
    const auto shown = run(two_warps().get());
    const auto picture = pictures.block(shown);
    const auto job = [&] {
        for (int i = 0; i < 50; ++i) {
            const auto own = run(two_warps().get());
            EXPECT_EQ(pictures.block(own)->run, own);
        }
    };
    std::jthread subject(job), baseline(job);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(pictures.block(shown), picture);
}

TEST(Pictures, SayWhatTheyTakeOfMemory) {
    views::Pictures pictures;
    const auto picture = pictures.block(run(two_warps().get()));
    const size_t elements = 2 * 2 * 32, each = 2 * sizeof(uint32_t) + 2 * sizeof(uint16_t);
    EXPECT_GE(views::bytes_of(*picture), elements * each + picture->trace().events.size() * sizeof(uint32_t));
    EXPECT_LT(views::bytes_of(*picture), 4096u);
}

TEST(Pictures, ProductsAreOfThePipeThatComputesThem) {
    views::Pictures pictures;
    for (const auto& [kind, lane] : {std::pair{Kind::fma, Lane::math}, {Kind::matrix, Lane::tensor}}) {
        test::MadeTrace made(32);
        made.run(0, made.code(kind));
        const auto block = pictures.block(run(made.get()));
        EXPECT_EQ(views::lane_of(block->instruction(0)), lane);
        EXPECT_EQ(block->tensor_cores, lane == Lane::tensor);
    }
}

TEST(Pictures, SegmentsOfAllWarpsStartTogether) {
    views::Pictures pictures;
    const auto block = pictures.block(run(two_warps().get()));
    EXPECT_TRUE(block->barriers);
    EXPECT_EQ(block->segment_start, (std::vector<uint32_t>{0, 3, 4}));
    EXPECT_EQ(views::axis_place(*block, 0, 2), 3);
    EXPECT_EQ(views::axis_place(*block, 1, 3), 3);
    for (size_t warp = 0; warp < 2; ++warp)
        for (uint32_t index = 0; index < block->warps[warp].events.size(); ++index)
            EXPECT_EQ(views::axis_index(*block, warp, views::axis_place(*block, warp, index)), index);
    EXPECT_EQ(views::axis_index(*block, 0, 2.5), 1u); // while it waits: the barrier
}

TEST(Pictures, ATrackCountsEveryInstructionAndShowsWaiting) {
    views::Pictures pictures;
    const auto block = pictures.block(run(two_warps().get()));
    const auto quick = views::warp_track(*block, 0, {0, 4}, 4), slow = views::warp_track(*block, 1, {0, 4}, 4);
    ASSERT_EQ(quick.size(), 4u);
    EXPECT_EQ(quick[0].count[static_cast<size_t>(Lane::global_load)], 1u);
    EXPECT_EQ(quick[1].count[static_cast<size_t>(Lane::wait)], 1u);
    EXPECT_TRUE(quick[2].waits);
    EXPECT_EQ(quick[2].total, 0u);
    EXPECT_EQ(slow[2].count[static_cast<size_t>(Lane::wait)], 1u);
    EXPECT_EQ(slow[3].count[static_cast<size_t>(Lane::global_store)], 1u);
    uint32_t total = 0;
    for (const views::Pixel& pixel : views::warp_track(*block, 1, {0, 4}, 2)) total += pixel.total;
    EXPECT_EQ(total, 4u);
}

// Turns of 64 instructions of three kinds, in two warps; as many as a pixel may have to itself. A pixel that looked at every so many of them
// would see one kind, or miss the rare one.
test::MadeTrace two_loops(bool shuffled) {
    test::MadeTrace made(64);
    const uint32_t load = made.code(Kind::load, Space::global, 4), fma = made.code(Kind::fma),
                   move = made.code(Kind::arithmetic);
    for (uint32_t i = 0; i < 3000; ++i)
        for (uint16_t warp = 0; warp < 2; ++warp)
            if (warp == 0 || i % 3 > 0) made.run(warp, i % 64 == 5 ? load : i % 2 ? fma : move);
    if (shuffled) made.get().schedule = {trace::Schedule::Kind::shuffled, 1};
    return made;
}

TEST(Pictures, EveryInstructionIsCountedHoweverManyShareAPixel) {
    for (const bool shuffled : {false, true}) {
        views::Pictures pictures;
        const auto block = pictures.block(run(two_loops(shuffled).get()));
        ASSERT_EQ(block->in_turn(), shuffled);
        const double end = block->segment_start.back();
        for (size_t warp = 0; warp < 2; ++warp)
            for (const views::AxisRange range :
                 {views::AxisRange{0, end}, {0, 64}, {17.5, end - 40.25}, {end / 3, end / 3 + 700}, {5, 6}})
                for (const int count : {1, 3, 10, 47, 640, 2500}) {
                    const auto pixels = views::warp_track(*block, warp, range, count);
                    ASSERT_EQ(pixels.size(), static_cast<size_t>(count));
                    const double per_pixel = (range.last - range.first) / count;
                    std::vector<views::Pixel> expected(pixels.size());
                    for (uint32_t i = 0; i < block->warps[warp].events.size(); ++i) {
                        const double place = views::axis_place(*block, warp, i);
                        if (place + 1 <= range.first || place >= range.last) continue;
                        const auto at = [&](double p) {
                            return static_cast<size_t>(std::clamp((p - range.first) / per_pixel, 0.0, count - 1.0));
                        };
                        const size_t last = per_pixel < 1 ? at(std::nextafter(place + 1, 0.0)) : at(place);
                        for (size_t p = at(place); p <= last; ++p) {
                            const Lane lane = views::lane_of(block->instruction(block->warps[warp].events[i]));
                            ++expected[p].count[static_cast<size_t>(lane)], ++expected[p].total;
                        }
                    }
                    for (size_t p = 0; p < pixels.size(); ++p) {
                        ASSERT_EQ(pixels[p].count, expected[p].count) << "pixel " << p << " of " << count;
                        ASSERT_EQ(pixels[p].total, expected[p].total) << "pixel " << p << " of " << count;
                    }
                }
    }
}

// The same two warps in turns: where their order is looked at, every event of the block has its own place.
TEST(Pictures, InAnOrderOfTheirOwnWarpsLieOneAfterTheOther) {
    views::Pictures pictures;
    test::MadeTrace made = two_warps();
    trace::Trace& trace = made.get();
    const auto e = trace.events;                               // warps 0 0 1 1 1 0 1
    trace.events = {e[0], e[2], e[3], e[1], e[4], e[6], e[5]}; // 0 1 1 0 1 1 0
    trace.schedule = {trace::Schedule::Kind::shuffled, 1};
    const auto block = pictures.block(run(trace));
    EXPECT_EQ(block->segment_start, (std::vector<uint32_t>{0, 5, 7}));
    for (size_t warp = 0; warp < 2; ++warp)
        for (uint32_t index = 0; index < block->warps[warp].events.size(); ++index) {
            EXPECT_EQ(views::axis_place(*block, warp, index), block->warps[warp].events[index]);
            EXPECT_EQ(views::axis_index(*block, warp, views::axis_place(*block, warp, index) + 0.5), index);
        }
    EXPECT_EQ(views::axis_index(*block, 0, 2.5), 0u) << "the last one not after it";
    const auto first = views::warp_track(*block, 0, {0, 7}, 7), second = views::warp_track(*block, 1, {0, 7}, 7);
    std::string turns, waiting;
    for (size_t p = 0; p < 7; ++p) {
        turns += first[p].total == 1 && second[p].total == 0   ? '0'
                 : first[p].total == 0 && second[p].total == 1 ? '1'
                                                               : '?';
        waiting += first[p].waits ? '0' : second[p].waits ? '1' : '.';
    }
    EXPECT_EQ(turns, "0110110");
    EXPECT_EQ(waiting, "....0..") << "from its arrival until the other has come";
    EXPECT_EQ(first[3].count[static_cast<size_t>(Lane::wait)], 1u);
    uint32_t total = 0;
    for (const views::Pixel& pixel : views::warp_track(*block, 1, {1.5, 7}, 2)) total += pixel.total;
    EXPECT_EQ(total, 4u) << "also the one that the range cuts";
}

TEST(Pictures, SlabIsWhatTheSegmentFetches) {
    views::Pictures pictures;
    const auto block = pictures.block(run(two_warps().get()));
    const views::Slab first = pictures.slab(*block, 0, 0);
    EXPECT_EQ(first.fetched[0].rows, 2u); // both warps' rows
    EXPECT_EQ(first.fetched[0].columns, 32u);
    EXPECT_EQ(pictures.slab(*block, 0, 5).fetched[0].rows, 0u);
}

// One block of a 2 x 3 grid stores an 8 x 16 tile at its place.
trace::Trace one_block(base::Dim3 grid, base::Dim3 index, uint32_t top, uint32_t left, uint64_t rows,
                       uint64_t columns) {
    test::MadeTrace made(32);
    made.buffer("C", 0x8000, rows, columns);
    const uint32_t store = made.code(Kind::store, Space::global, 16);
    made.run(0, store, run_of(0x8000 + (top * columns + left) * 4, 16));
    trace::Trace trace = made.get();
    // 32 lanes of 16 bytes: spread over 8 rows of 16 elements
    for (size_t lane = 0; lane < 32; ++lane)
        trace.accesses[0][lane] = 0x8000 + ((top + lane / 4) * columns + left + lane % 4 * 4) * 4;
    trace.grid = grid, trace.block_index = index;
    return trace;
}

TEST(Pictures, LatticeOfBlocksInBothOrders) {
    views::Pictures pictures;
    const auto across = pictures.block(run(one_block({3, 2, 1}, {1, 1, 0}, 8, 16, 16, 48)));
    ASSERT_TRUE(across->lattice);
    EXPECT_EQ(across->lattice->rows, 8u);
    EXPECT_EQ(across->lattice->columns, 16u);
    EXPECT_EQ(across->lattice->block_at(0, 40, {3, 2, 1}), (base::Dim3{2, 0, 0}));
    const auto down = pictures.block(run(one_block({2, 3, 1}, {1, 0, 0}, 8, 0, 16, 48)));
    ASSERT_TRUE(down->lattice);
    EXPECT_EQ(down->lattice->block_at(0, 40, {2, 3, 1}), (base::Dim3{0, 2, 0}));
}

TEST(Pictures, NoLatticeWhereTheGridContradictsTheBlock) {
    views::Pictures pictures;
    EXPECT_FALSE(pictures.block(run(one_block({7, 1, 1}, {0, 0, 0}, 0, 0, 16, 48)))->lattice);
}

} // namespace
