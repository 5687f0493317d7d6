#include "analysis/sectors.h"

#include "access_patterns.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace {

using test::all_lanes;
using test::strided;

void expect(const analysis::Sectors& s, int sectors, int ideal, int bytes) {
    EXPECT_EQ(s.sectors, sectors);
    EXPECT_EQ(s.ideal, ideal);
    EXPECT_EQ(s.bytes_used, bytes);
}

TEST(Sectors, TextbookCases) {
    expect(analysis::sectors(4, all_lanes, strided(4096, 4)), 4, 4, 128);     // coalesced
    expect(analysis::sectors(4, all_lanes, strided(4096, 0)), 1, 1, 4);       // broadcast
    expect(analysis::sectors(4, all_lanes, strided(4096, 1024)), 32, 4, 128); // a column: 4 of each 32 bytes used
    expect(analysis::sectors(4, all_lanes, strided(4112, 4)), 5, 4, 128);     // contiguous but off by half a sector
    expect(analysis::sectors(16, all_lanes, strided(0, 16)), 16, 16, 512);
    expect(analysis::sectors(4, all_lanes, strided(0, 8)), 8, 4, 128);
    expect(analysis::sectors(4, 1u << 31, strided(0, 4)), 1, 1, 4); // one lane
    expect(analysis::sectors(4, 0, strided(0, 4)), 0, 0, 0);
}

TEST(Sectors, OverlappingLanesCountBytesOnce) {
    expect(analysis::sectors(16, all_lanes, strided(0, 4)), 5, 5, 140); // 31 * 4 + 16 bytes
    expect(analysis::sectors(8, 3, strided(28, 0)), 2, 1, 8);           // across a sector's edge
}

// What an H200 said of naive with blocks of 8 x 8 (tests/data/counters): a warp reads one element of A in each of 4 rows, and 8
// neighbouring elements of B, each four times. Nsight Compute calls all 5 sectors ideal.
TEST(Sectors, LanesThatWantTheSameBytesCountApartInTheIdeal) {
    trace::Addresses a{}, b{};
    for (unsigned lane = 0; lane < 32; ++lane) {
        a[lane] = lane / 8 * 1024;
        b[lane] = lane % 8 * 4;
    }
    expect(analysis::sectors(4, all_lanes, a), 4, 4, 16);
    expect(analysis::sectors(4, all_lanes, b), 1, 1, 32);
}

TEST(Sectors, DescendingLanesAreTheSame) {
    trace::Addresses a = strided(0, 4);
    std::reverse(a.begin(), a.end());
    expect(analysis::sectors(4, all_lanes, a), 4, 4, 128);
}

TEST(Sectors, AgreesWithASetOfBytes) {
    std::mt19937 random(5);
    for (int i = 0; i < 5000; ++i) {
        test::Access x = test::random_access(random, 2048);
        if (i % 5 == 0)
            for (uint64_t& a : x.address) a += 3; // misaligned
        std::set<uint64_t> bytes, sectors;
        for (unsigned lane = 0; lane < 32; ++lane)
            for (uint64_t b = 0; (x.active >> lane & 1) && b < static_cast<uint64_t>(x.bytes); ++b) {
                bytes.insert(x.address[lane] + b);
                sectors.insert((x.address[lane] + b) / 32);
            }
        const analysis::Sectors s = analysis::sectors(x.bytes, x.active, x.address);
        ASSERT_EQ(s.sectors, static_cast<int>(sectors.size())) << i;
        ASSERT_EQ(s.bytes_used, static_cast<int>(bytes.size())) << i;
        const int asked = std::popcount(x.active) * x.bytes; // the same bytes asked for twice count twice
        ASSERT_EQ(s.ideal, std::min(static_cast<int>(sectors.size()), (asked + 31) / 32)) << i;
    }
}

// Rows of 528 bytes start in the middle of a sector every other time (tests/data/counters: async_copy, N = 132).
TEST(Sectors, PastL1EachPairOfLanesIsAskedForByItself) {
    const auto past_l1 = [](uint32_t active, uint64_t start) {
        return analysis::sectors_past_l1(active, strided(start, 16));
    };
    expect(past_l1(all_lanes, 4096), 16, 16, 512);
    expect(past_l1(all_lanes, 4096 + 528), 32, 16, 512);
    expect(past_l1(1, 4096 + 528), 1, 1, 16);
    expect(past_l1(0, 4096), 0, 0, 0);
}

TEST(Sectors, AnInstructionIsCountedAsTheHardwareCountsIt) {
    using trace::Cache;
    using trace::Kind;
    for (const auto& [kind, cache, sectors] : {std::tuple{Kind::async_copy, Cache::past_l1, 32},
                                               {Kind::async_copy, Cache::every_level, 17},
                                               {Kind::load, Cache::every_level, 17}}) {
        trace::Instruction i;
        i.kind = kind, i.cache = cache, i.bytes = 16;
        EXPECT_EQ(analysis::sectors_of(i, all_lanes, strided(4096 + 528, 16)).sectors, sectors);
    }
}

TEST(Sectors, TheEndOfTheAddressSpaceDoesNotWrap) {
    const analysis::Sectors s = analysis::sectors(16, all_lanes, strided(~0ull - 40, 4)); // later lanes wrap
    EXPECT_GE(s.sectors, 1);
    EXPECT_LE(s.sectors, 64);
}

} // namespace
