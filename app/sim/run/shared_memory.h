// The shared memory of one block with what is known of each byte and word: written or not, and by whom since the
// last barrier.
#pragma once

#include "sim/checks/block_order.h"
#include "sim/lanes/warp.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sim {

struct SharedMemory {
    // pending: an async copy's target before its wait; mbarrier: not to be used as data.
    enum : uint8_t { unwritten = 0, written = 1, pending = 2, mbarrier = 3 };

    std::vector<std::byte> data;
    std::vector<uint8_t> state; // per byte
    // Per 4-byte word. Two readers of different warps are enough: a third warp's write conflicts with either, and a
    // write of one of them with the other.
    std::vector<Touch> writer, reader, other_reader;
    ReadLog log;
    SharedRange
        read_by_products; // that began, and what was released before their wait: who writes here is looked at closely

    static uint64_t bytes(uint64_t shared_bytes); // of this machine's memory
    // For a block that begins. `keeps_reads`: barriers do not forget them, since other blocks may write there.
    void reset(uint32_t bytes, bool keeps_reads);
    // Synchronisation: of all warps; of some, through what one leaves and another takes; of the lanes of a warp.
    void pass_barrier();
    VectorClock release(uint32_t warp);
    void fence(uint32_t warp);
    VectorClock release_at_fence(uint32_t warp) const { return order_.release_at_fence(warp); }
    void acquire(uint32_t warp, const VectorClock& clocks) { order_.acquire(warp, clocks); }
    void lanes_meet(uint32_t warp, uint32_t lanes);

    // Enters the logged reads; from here on, until the next barrier, every access is entered at once.
    void enter_reads();
    uint32_t epoch() const { return order_.epoch; }
    void set_pending(uint64_t at, uint32_t count); // an async copy to these bytes begins
    // The 8 bytes are an mbarrier from now on, or no longer. Whatever touches them meanwhile is looked at
    // closely: two warps have touched them later than everything, so that every thread is another one.
    void begin_mbarrier(uint64_t at) {
        set_mbarrier(at, mbarrier, later_than_all, later_than_all | Touch{1} << touch_warp_at);
    }
    void end_mbarrier(uint64_t at) { set_mbarrier(at, written, 0, 0); }
    void note_read(Touch by, uint32_t word);
    void note_write(Touch by, uint32_t word);
    // The bytes count as written in `epoch`, when the copy to them was begun: who waits for its mbarrier acquires that epoch, and
    // nothing that the thread did since. If all warps met at a barrier meanwhile, they count as written now.
    void date_back(uint64_t at, uint64_t bytes, uint32_t epoch);
    bool since_barrier(uint32_t epoch) const { return epoch >= order_.floor; }
    bool recent(Touch t) const { return epoch_of(t) >= order_.floor; } // since the last barrier of all
    bool before(Touch t, uint32_t warp, uint32_t lane) const { return order_.before(t, warp, lane); }
    uint32_t known_until(uint32_t warp, uint32_t of) const { return order_.known_until(warp, of); }
    Touch touch(uint32_t warp, uint32_t lane, uint32_t mask, uint32_t pc) const {
        return Touch{order_.epoch} << touch_epoch_at | Touch{warp} << touch_warp_at | Touch{lane} << touch_lane_at |
               Touch{mask} << touch_mask_at | pc;
    }
    SharedView view() {
        return {data.data(), state.data(),     writer.data(), reader.data(),           other_reader.data(),
                data.size(), &order_.epoch,    &order_.floor, order_.own_floor.data(), order_.known(),
                &log,        &read_by_products};
    }

private:
    BlockOrder order_;
    bool keeps_reads_ = false;
    std::unique_ptr<ReadLog::Entry[]> entries_ =
        std::make_unique_for_overwrite<ReadLog::Entry[]>(ReadLog::most_entries);
    std::unique_ptr<Pattern::Run[]> runs_ = std::make_unique_for_overwrite<Pattern::Run[]>(ReadLog::most_runs);
    std::unique_ptr<ReadLog::Lanes[]> lanes_ = std::make_unique_for_overwrite<ReadLog::Lanes[]>(ReadLog::most_shapes);
    size_t unwritten_ = 0; // a byte that was not written when it was looked at last; all before it were

    static constexpr Touch later_than_all =
        ((Touch{1} << 27) - 1) << touch_epoch_at | Touch{15} << touch_mask_at; // more than BlockOrder::most_epochs

    void set_mbarrier(uint64_t at, uint8_t its_state, Touch its_writer, Touch its_reader);
    void look_for_unwritten();
    void empty_log();
    void enter_read(const ReadLog::Entry&, const Pattern::Run* runs, uint32_t count);
    void forget_touches();
    void update(Touch& noted, Touch by) const;
};

} // namespace sim
