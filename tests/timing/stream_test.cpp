// What the accesses of an executed block cost: wavefronts, sectors and lines.
#include "timing/stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace {

using timing::Stream;
using trace::Kind;
using trace::Space;

trace::Instruction instruction(Kind kind, Space space, uint8_t bytes) {
    trace::Instruction i;
    i.kind = kind;
    i.space = space;
    i.bytes = bytes;
    return i;
}

trace::Addresses lanes(uint64_t first, uint64_t apart) {
    trace::Addresses at{};
    for (size_t lane = 0; lane < at.size(); ++lane) at[lane] = first + lane * apart;
    return at;
}

// An instruction each, executed once by the first warp.
Stream stream(std::vector<trace::Instruction> instructions, std::vector<trace::Addresses> accesses,
              uint32_t active = ~0u) {
    trace::Trace t;
    t.block = {64, 1, 1};
    auto listing = std::make_shared<trace::Listing>();
    listing->instructions = std::move(instructions);
    uint32_t access = 0;
    for (uint32_t pc = 0; pc < listing->instructions.size(); ++pc) {
        t.events.push_back({.pc = pc, .active = active, .access = access, .warp = 0});
        access += listing->instructions[pc].kind == Kind::async_copy ? 2 : 1;
    }
    t.listing = listing;
    t.accesses = std::move(accesses);
    return timing::stream_of(t, analysis::bank_rule("sm_90"));
}

TEST(Stream, CountsWhatAnAccessTouches) {
    const struct {
        Space space;
        uint8_t bytes;
        trace::Addresses at;
        int wavefronts, lines, sectors;
        uint32_t active = ~0u;
    } cases[] = {
        {Space::shared, 4, lanes(0, 4), 1, 0, 0},         {Space::shared, 4, lanes(0, 8), 2, 0, 0},
        {Space::shared, 4, lanes(0, 128), 32, 0, 0},      {Space::shared, 16, lanes(0, 16), 4, 0, 0},
        {Space::global, 4, lanes(4096, 4), 0, 1, 4},      {Space::global, 4, lanes(4096 + 64, 4), 0, 2, 4},
        {Space::global, 4, lanes(4096 + 4, 4), 0, 2, 5},  {Space::global, 4, lanes(4096, 0), 0, 1, 1},
        {Space::global, 4, lanes(4096, 128), 0, 32, 32},  {Space::global, 16, lanes(4096, 16), 0, 4, 16},
        {Space::global, 4, lanes(4096, 128), 0, 2, 2, 3}, // of two lanes
        {Space::local, 4, lanes(4096, 4), 0, 1, 4},
    };
    for (const auto& c : cases) {
        const Stream s = stream({instruction(Kind::load, c.space, c.bytes)}, {c.at}, c.active);
        ASSERT_EQ(s.warps.size(), 2u);
        ASSERT_EQ(s.accesses.size(), 1u);
        EXPECT_EQ(s.accesses[0].wavefronts, c.wavefronts);
        EXPECT_EQ(s.accesses[0].lines, c.lines);
        EXPECT_EQ(s.accesses[0].sectors, c.sectors);
        EXPECT_EQ(s.lines.size(), static_cast<size_t>(c.lines));
    }
}

TEST(Stream, OfRowsOfMatricesOnlyThoseOfTheFirstLanesCount) {
    for (const uint8_t matrices : {1, 2, 4}) {
        trace::Instruction rows = instruction(Kind::load, Space::shared, 16);
        rows.role = trace::Role::matrix_rows;
        rows.register_bytes = static_cast<uint8_t>(4 * matrices);
        const Stream s = stream({rows}, {lanes(0, 16)});
        EXPECT_EQ(s.accesses.at(0).wavefronts, matrices);
        EXPECT_EQ(s.accesses.at(0).ideal, matrices);
    }
}

TEST(Stream, AStoreTellsWhichSectorsItWritesInPart) {
    const struct {
        uint8_t bytes;
        trace::Addresses at;
        std::vector<int> partial; // by line
        uint32_t active = ~0u;
    } cases[] = {{4, lanes(4096, 4), {0}},
                 {16, lanes(4096, 16), {0, 0, 0, 0}},
                 {4, lanes(4096 + 4, 4), {1, 1}},
                 {4, lanes(4096, 32), std::vector<int>(8, 15)},
                 {4, lanes(4096, 128), std::vector<int>(32, 1)},
                 {4, lanes(4096, 4), {2}, 0xfff}, // twelve words: of the second sector only half
                 {8, lanes(4096, 8), {0, 0}}};
    for (const auto& c : cases) {
        const Stream s = stream({instruction(Kind::store, Space::global, c.bytes)}, {c.at}, c.active);
        std::vector<int> partial;
        for (const timing::Line& l : s.lines) partial.push_back(l.partial);
        EXPECT_EQ(partial, c.partial);
    }
}

TEST(Stream, ACopyReadsAndWrites) {
    trace::Addresses from = lanes(4096, 16);
    for (size_t lane = 16; lane < from.size(); ++lane) from[lane] = 0; // these write zeros
    const Stream s = stream({instruction(Kind::async_copy, Space::shared, 16)}, {lanes(0, 16), from});
    EXPECT_EQ(s.accesses.at(0).wavefronts, 4);
    EXPECT_EQ(s.accesses[0].lines, 2);
    EXPECT_EQ(s.accesses[0].sectors, 8);
}

TEST(Stream, WithoutActiveLanesThereIsNoAccess) {
    const Stream s = stream({instruction(Kind::load, Space::global, 4)}, {lanes(4096, 4)}, 0);
    EXPECT_EQ(s.warps.at(0).at(0).access, trace::no_access);
    EXPECT_TRUE(s.accesses.empty());
    EXPECT_TRUE(timing::stream_of(
                    [] {
                        trace::Trace t;
                        t.listing = std::make_shared<trace::Listing>();
                        return t;
                    }(),
                    {})
                    .accesses.empty());
}

TEST(Stream, TellsAtWhichBarrierAWarpMeetsOthers) {
    trace::Trace t;
    t.block = {64, 1, 1};
    auto listing = std::make_shared<trace::Listing>();
    listing->instructions = {instruction(Kind::barrier, Space::none, 0)};
    t.listing = listing;
    t.events = {{.pc = 0, .active = ~0u, .access = trace::no_access, .warp = 0},
                {.pc = 0, .active = ~0u, .access = trace::no_access, .warp = 1}};
    t.barrier_uses = {{.event = 0, .number = 3, .threads = 64}, {.event = 1, .number = 4, .threads = 0}};
    const Stream s = timing::stream_of(t, analysis::bank_rule("sm_90"));
    for (const auto& [warp, number, warps] : {std::tuple{0u, 3, 2}, {1u, 4, 0}}) {
        const auto effects = s.effects_of(s.warps.at(warp).at(0));
        ASSERT_EQ(effects.size(), 1u);
        EXPECT_EQ(effects[0].what, timing::Effect::meets);
        EXPECT_EQ(effects[0].barrier, number);
        EXPECT_EQ(effects[0].warps, warps);
    }
}

// A pattern that comes again is counted once: what else lies between does not matter.
TEST(Stream, CountsOfAPatternThatMoves) {
    trace::Trace t;
    t.block = {32, 1, 1};
    auto listing = std::make_shared<trace::Listing>();
    listing->instructions = {instruction(Kind::load, Space::shared, 4)};
    t.listing = listing;
    t.accesses = {lanes(0, 8), lanes(512, 8), lanes(4, 8), lanes(0, 4), lanes(0, 8)};
    for (uint32_t n = 0; n < t.accesses.size(); ++n)
        t.events.push_back({.pc = 0, .active = ~0u, .access = n, .warp = 0});
    const Stream s = timing::stream_of(t, analysis::bank_rule("sm_90"));
    std::vector<int> found;
    for (const timing::Step& step : s.warps.at(0)) found.push_back(s.accesses.at(step.access).wavefronts);
    EXPECT_EQ(found, (std::vector<int>{2, 2, 2, 1, 2}));
}

} // namespace
