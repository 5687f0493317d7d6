#include "views/flights.h"

#include <gtest/gtest.h>

namespace {

using trace::Kind;
using trace::Space;
using views::Carrier;

// One warp or more, an instruction an event.
class Flights : public testing::Test {
protected:
    uint32_t add(Kind kind, Space space, uint16_t warp = 0, uint64_t address = 0) {
        trace::Instruction instruction;
        instruction.kind = kind, instruction.space = space;
        return add(instruction, warp, address);
    }
    uint32_t commit() {
        trace::Instruction instruction;
        instruction.role = trace::Role::commit;
        return add(instruction);
    }
    uint32_t wait_but_for(int64_t groups_left) {
        trace::Instruction instruction;
        instruction.kind = Kind::wait, instruction.groups_left = groups_left;
        return add(instruction);
    }
    uint32_t add(trace::Instruction instruction, uint16_t warp = 0, uint64_t address = 0) {
        const Kind kind = instruction.kind;
        instruction.bytes = kind == Kind::load || kind == Kind::store ? 4 : 0;
        trace::Event event;
        event.pc = static_cast<uint32_t>(listing_->instructions.size());
        event.active = 1, event.warp = warp;
        if (instruction.bytes) {
            event.access = static_cast<uint32_t>(trace_.accesses.size());
            trace_.accesses.push_back({});
            trace_.accesses.back()[0] = address;
        }
        listing_->instructions.push_back(instruction);
        trace_.events.push_back(event);
        return static_cast<uint32_t>(trace_.events.size() - 1);
    }
    std::vector<std::vector<views::Flight>> flights(size_t warps = 1) {
        trace_.listing = listing_;
        return views::flights(trace_, warps);
    }
    trace::Trace trace_;

private:
    std::shared_ptr<trace::Listing> listing_ = std::make_shared<trace::Listing>();
};

TEST_F(Flights, ThroughRegistersLastFromTheFirstLoadToTheLastStore) {
    const uint32_t load = add(Kind::load, Space::global);
    add(Kind::load, Space::global);
    add(Kind::fma, Space::none);
    add(Kind::store, Space::shared);
    const uint32_t store = add(Kind::store, Space::shared);
    const uint32_t next = add(Kind::load, Space::global);
    const auto found = flights();
    ASSERT_EQ(found[0].size(), 2u);
    EXPECT_EQ(found[0][0].first, load);
    EXPECT_EQ(found[0][0].last, store);
    EXPECT_EQ(found[0][0].carrier, Carrier::registers);
    EXPECT_EQ(found[0][1].first, next);
    EXPECT_EQ(found[0][1].last, next) << "stored nowhere";
}

// Two groups are under way at once: the wait for all but one ends the first alone. An empty group counts.
TEST_F(Flights, ByAsyncCopyLastToTheWaitThatCoversTheirGroup) {
    const uint32_t first = add(Kind::async_copy, Space::shared);
    add(Kind::async_copy, Space::shared);
    commit();
    const uint32_t second = add(Kind::async_copy, Space::shared);
    commit();
    const uint32_t but_one = wait_but_for(1);
    commit();
    const uint32_t again = wait_but_for(1);
    const auto found = flights();
    ASSERT_EQ(found[0].size(), 2u);
    EXPECT_EQ(found[0][0].first, first);
    EXPECT_EQ(found[0][0].last, but_one);
    EXPECT_EQ(found[0][1].first, second);
    EXPECT_EQ(found[0][1].last, again);
    EXPECT_EQ(found[0][1].carrier, Carrier::async_copy);
}

TEST_F(Flights, AWaitForEverythingEndsWhatWasNotCommittedToo) {
    add(Kind::async_copy, Space::shared);
    const uint32_t wait = wait_but_for(0);
    const auto found = flights();
    ASSERT_EQ(found[0].size(), 1u);
    EXPECT_EQ(found[0][0].last, wait);
}

// The slot of 128 bytes at 256 is read by warp 1, filled by warp 0, read again; another slot is not its business.
TEST_F(Flights, ByTmaLastFromTheSlotsLastReadToTheNext) {
    const uint32_t before = add(Kind::load, Space::shared, 1, 300);
    add(Kind::load, Space::shared, 1, 128);
    const uint32_t copy = add(Kind::bulk_copy, Space::shared);
    add(Kind::load, Space::shared, 1, 384);
    const uint32_t after = add(Kind::load, Space::shared, 1, 380);
    trace_.bulk_copies.push_back({copy, 0, true, 0, 256, 64, {{}, {}}});
    const auto found = flights(2);
    ASSERT_EQ(found[0].size(), 1u);
    EXPECT_EQ(found[0][0].first, before);
    EXPECT_EQ(found[0][0].last, after);
    EXPECT_EQ(found[0][0].carrier, Carrier::bulk_copy);
    EXPECT_TRUE(found[1].empty()) << "it asked for nothing";
}

TEST_F(Flights, ThatNobodyReadsAreNotDrawn) {
    const uint32_t copy = add(Kind::bulk_copy, Space::shared);
    trace_.bulk_copies.push_back({copy, 0, true, 0, 0, 64, {{}}});
    EXPECT_TRUE(flights()[0].empty());
}

} // namespace
