#include "analysis/counting.h"

#include "analysis/counters.h"

#include "access_patterns.h"
#include "analysis/sectors.h"

#include <gtest/gtest.h>

#include <thread>

namespace {

using trace::Instruction;
using trace::Kind;
using trace::Space;

Instruction instruction(Kind kind, Space space, int bytes) {
    Instruction i;
    i.kind = kind;
    i.space = space;
    i.bytes = static_cast<uint8_t>(bytes);
    return i;
}

void see(trace::Observer& observer, uint32_t pc, const Instruction& i, uint32_t active, const trace::Addresses& address,
         uint64_t shape = 0) {
    trace::Addresses offset{};
    trace::Footprint footprint = trace::footprint(active, address, offset);
    footprint.shape = shape;
    observer.access(pc, i, footprint);
}

// Five memory instructions; the last is neither shared nor global.
std::vector<Instruction> program() {
    return {instruction(Kind::load, Space::shared, 16), instruction(Kind::store, Space::shared, 4),
            instruction(Kind::load, Space::global, 4), instruction(Kind::store, Space::global, 16),
            instruction(Kind::load, Space::local, 4)};
}

// The memo must not be seen: any mixture of patterns adds up to what each access costs by itself.
TEST(Counting, AddsUpWhatEachAccessCosts) {
    const std::vector<Instruction> code = program();
    const analysis::BankRule rule = analysis::bank_rule("sm_90");
    analysis::Counting counting(rule, code.size());
    trace::Observer* observer = counting.observer();
    trace::Counts want(code.size()), got(code.size());

    std::mt19937 random(1);
    std::vector<test::Access> pool;
    for (int i = 0; i < 12; ++i) pool.push_back(test::random_access(random, 1 << 14));
    for (int i = 0; i < 20000; ++i) {
        const auto pc = static_cast<uint32_t>(random() % code.size());
        const size_t chosen = random() % pool.size();
        const test::Access& x = pool[chosen];
        const uint64_t shape = random() % 4 == 0 ? 0 : chosen * code.size() + pc + 1; // numbered or not, it adds up
        const uint64_t moved_by = random() % 64 * 4; // often not a multiple of a sector
        trace::Addresses address = x.address;
        for (uint64_t& a : address)
            a = a / code[pc].bytes * code[pc].bytes + moved_by / code[pc].bytes * code[pc].bytes;
        see(*observer, pc, code[pc], x.active, address, shape);
        if (code[pc].space == Space::shared) {
            const auto c =
                analysis::source_page_wavefronts(rule, code[pc].kind == Kind::load, code[pc].bytes, x.active, address);
            want[pc].wavefronts += static_cast<uint64_t>(c.wavefronts);
            want[pc].wavefronts_ideal += static_cast<uint64_t>(c.ideal);
        } else if (code[pc].space == Space::global) {
            const auto s = analysis::sectors(code[pc].bytes, x.active, address);
            want[pc].sectors += static_cast<uint64_t>(s.sectors);
            want[pc].sectors_ideal += static_cast<uint64_t>(s.ideal);
        }
    }
    counting.add_to(got);
    for (size_t pc = 0; pc < code.size(); ++pc) {
        EXPECT_EQ(got[pc].wavefronts, want[pc].wavefronts) << pc;
        EXPECT_EQ(got[pc].wavefronts_ideal, want[pc].wavefronts_ideal) << pc;
        EXPECT_EQ(got[pc].sectors, want[pc].sectors) << pc;
        EXPECT_EQ(got[pc].sectors_ideal, want[pc].sectors_ideal) << pc;
    }
    EXPECT_GT(got[0].wavefronts, 0u);
    EXPECT_EQ(got[4].sectors + got[4].wavefronts, 0u); // local memory is neither
}

TEST(Counting, AnAsyncCopyHasWavefrontsAndSectors) {
    const Instruction copy = instruction(Kind::async_copy, Space::shared, 16);
    analysis::Counting counting(analysis::bank_rule("sm_90"), 1);
    trace::Observer* observer = counting.observer();
    for (int i = 0; i < 3; ++i) {
        see(*observer, 0, copy, ~0u, test::strided(0, 32),
            7); // destination, of a known shape: every other piece of 16 bytes
        see(*observer, 0, copy, ~0u, test::strided(0x1000, 16)); // source: 512 bytes in a row
    }
    trace::Counts counts(1);
    counting.add_to(counts);
    EXPECT_EQ(counts[0].wavefronts, 3u * 8);
    EXPECT_EQ(counts[0].wavefronts_ideal, 3u * 4);
    EXPECT_EQ(counts[0].sectors, 3u * 16);
    EXPECT_EQ(counts[0].sectors_ideal, 3u * 16);
}

// Rows of 40 bytes that begin 4 bytes before a sector's end: three sectors each; 80 bytes would fit into three.
TEST(Counting, ABulkCopyCountsTheSectorsOfItsRows) {
    analysis::Counting counting(analysis::bank_rule("sm_90"), 1);
    trace::Observer* observer = counting.observer();
    trace::BulkCopy copy;
    copy.rows = {{0x101C, 0, 40}, {0x201C, 0, 40}, {}};
    for (int i = 0; i < 2; ++i) observer->bulk_copy(0, copy);
    observer->bulk_copy(7, copy); // no such instruction
    trace::Counts counts(1);
    counting.add_to(counts);
    EXPECT_EQ(counts[0].sectors, 2u * 6);
    EXPECT_EQ(counts[0].sectors_ideal, 2u * 3);
    EXPECT_EQ(counts[0].wavefronts, 0u);
}

// At the edges: lanes that read nothing, and a copy that only writes zeros. The next one's destination is not taken for its source.
TEST(Counting, OfAnAsyncCopyTheLanesCountThatRead) {
    const Instruction copy = instruction(Kind::async_copy, Space::shared, 16);
    analysis::Counting counting(analysis::bank_rule("sm_90"), 1);
    trace::Observer* observer = counting.observer();
    for (const uint32_t reading : {0xFFFFu, 0u, 1u}) {
        see(*observer, 0, copy, ~0u, test::strided(0, 16));
        see(*observer, 0, copy, reading, test::strided(0x1000, 32));
    }
    trace::Counts counts(1);
    counting.add_to(counts);
    EXPECT_EQ(counts[0].wavefronts, 3u * 4);
    EXPECT_EQ(counts[0].sectors, 16u + 0 + 1);
    EXPECT_EQ(counts[0].sectors_ideal, 8u + 0 + 1);
}

TEST(Counting, ObserversOfSeveralThreadsAddUp) {
    const std::vector<Instruction> code = program();
    analysis::Counting counting(analysis::bank_rule("sm_90"), code.size());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            trace::Observer* observer = counting.observer();
            for (uint64_t i = 0; i < 1000; ++i) see(*observer, 2, code[2], ~0u, test::strided(i * 128, 4));
        });
    for (std::thread& t : threads) t.join();
    trace::Counts counts(code.size());
    counts[2].sectors = 5; // added to, not replaced
    counting.add_to(counts);
    EXPECT_EQ(counts[2].sectors, 5 + 4u * 1000 * 4);
}

TEST(Counting, OutOfRangeInputIsIgnored) {
    const std::vector<Instruction> code = program();
    analysis::Counting counting(analysis::bank_rule("sm_90"), 1);
    trace::Observer* observer = counting.observer();
    see(*observer, 7, code[0], ~0u, test::strided(0, 4)); // no such pc
    see(*observer, 0, code[0], 0, test::strided(0, 4));   // no lane
    trace::Counts none, one(1);
    counting.add_to(none);
    counting.add_to(one);
    EXPECT_EQ(one[0].wavefronts, 0u);
}

TEST(Totals, SumsByKindAndSpace) {
    trace::Listing listing;
    listing.instructions = program();
    listing.instructions.push_back(instruction(Kind::fma, Space::none, 0));
    listing.instructions.push_back(instruction(Kind::async_copy, Space::shared, 16));
    listing.instructions.push_back(instruction(Kind::atomic, Space::global, 4));
    trace::Counts counts(listing.instructions.size());
    for (size_t pc = 0; pc < counts.size(); ++pc) {
        const uint64_t n = pc + 1;
        counts[pc] = {n, 32 * n, 10 * n, 5 * n, 100 * n, 50 * n};
    }
    const analysis::Totals t = analysis::totals(listing, counts);
    EXPECT_EQ(t.instructions_executed, 36u);
    EXPECT_EQ(t.thread_instructions, 36u * 32);
    EXPECT_EQ(t.ffma_thread_instructions, 6u * 32);
    EXPECT_EQ(t.shared_load.instructions, 1u);
    EXPECT_EQ(t.shared_load.wavefronts, 10u);
    EXPECT_EQ(t.shared_store.wavefronts_ideal, 10u);
    EXPECT_EQ(t.global_load.sectors, 300u);
    EXPECT_EQ(t.global_store.sectors_ideal, 200u);
    EXPECT_EQ(t.async_copy.instructions, 7u);
    EXPECT_EQ(t.async_copy.sectors, 700u);
}

TEST(Totals, OfNothingAreZero) {
    EXPECT_EQ(analysis::totals({}, trace::Counts(3)).instructions_executed, 0u);
    trace::Listing listing;
    listing.instructions = program();
    EXPECT_EQ(analysis::totals(listing, {}).shared_load.instructions, 0u);
}

} // namespace
