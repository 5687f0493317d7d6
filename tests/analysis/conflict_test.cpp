#include "analysis/conflict.h"

#include "made_trace.h"

#include <gtest/gtest.h>

namespace {

using trace::Kind;
using trace::Space;

trace::Addresses words_from(uint64_t first) {
    trace::Addresses address{};
    for (size_t lane = 0; lane < address.size(); ++lane) address[lane] = first + 4 * lane;
    return address;
}

struct Codes {
    explicit Codes(test::MadeTrace& made)
        : store(made.code(Kind::store, Space::shared, 4)), load(made.code(Kind::load, Space::shared, 4)),
          barrier(made.code(Kind::barrier)) {}
    uint32_t store, load, barrier;
};

TEST(Conflict, AReadOfWhatAnotherWarpWroteWithoutABarrier) {
    test::MadeTrace made(64);
    const Codes code(made);
    const uint32_t written = made.run(0, code.store, words_from(0));
    made.run(0, code.store, words_from(512));
    const uint32_t read = made.run(1, code.load, words_from(64)); // lanes 0 to 15 read words 16 to 31
    EXPECT_EQ(analysis::earlier_conflict(made.get(), read, ~0u), written);
    EXPECT_EQ(analysis::earlier_conflict(made.get(), read, 1u << 15), written);
    EXPECT_FALSE(analysis::earlier_conflict(made.get(), read, 1u << 16)) << "that lane reads a word that nobody wrote";
}

TEST(Conflict, ABarrierBetweenMakesItRight) {
    test::MadeTrace made(64);
    const Codes code(made);
    made.run(0, code.store, words_from(0));
    made.run(0, code.barrier);
    made.run(1, code.barrier);
    const uint32_t read = made.run(1, code.load, words_from(0));
    EXPECT_FALSE(analysis::earlier_conflict(made.get(), read, ~0u));
    const uint32_t again = made.run(0, code.store, words_from(0));
    EXPECT_EQ(analysis::earlier_conflict(made.get(), again, ~0u), read) << "the next write comes too early";
}

TEST(Conflict, TwoReadsAreNoneAndAWarpDoesNotRaceItself) {
    test::MadeTrace made(64);
    const Codes code(made);
    made.run(0, code.load, words_from(0));
    EXPECT_FALSE(analysis::earlier_conflict(made.get(), made.run(1, code.load, words_from(0)), ~0u));
    made.run(1, code.store, words_from(256));
    EXPECT_FALSE(analysis::earlier_conflict(made.get(), made.run(1, code.load, words_from(256)), ~0u));
    EXPECT_FALSE(analysis::earlier_conflict(made.get(), made.run(1, code.barrier), ~0u)) << "no access at all";
}

} // namespace
