// Which block touched which word of global memory, for races between blocks. Shared by the threads of a run.
#pragma once

#include "sim/lanes/vectors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace sim {

// A block's number + 1 (24 bits), its epoch (GridOrder; 5), warp (5), lane (5), which of the word's bytes (4), pc (21). 0: nobody.
struct GlobalTouch {
    uint64_t bits = 0;

    static constexpr uint64_t most_blocks = (1u << 24) - 1;
    static constexpr uint32_t most_pcs = 1u << 21;
    static GlobalTouch of(uint64_t block, uint32_t epoch, uint32_t warp, uint32_t lane, uint32_t mask, uint32_t pc) {
        return {(block + 1) << global_block_at | uint64_t{epoch} << 35 | uint64_t{warp} << 30 |
                uint64_t{lane} << global_lane_at | uint64_t{mask} << 21 | pc};
    }
    uint64_t block() const { return (bits >> global_block_at) - 1; }
    uint32_t epoch() const { return bits >> 35 & 31; }
    uint32_t warp() const { return bits >> 30 & 31; }
    uint32_t lane() const { return bits >> global_lane_at & 31; }
    uint32_t mask() const { return bits >> 21 & 15; }
    uint32_t pc() const { return bits & (most_pcs - 1); }
};

// A kilobyte of words. The last writer is enough: an earlier one of another block conflicted with it. Of the readers the first
// and one of another block are: any third block's write conflicts with either. Atomic and volatile writes, which are in conflict with
// plain ones only, hide no plain one, and are kept as the readers are.
struct ShadowPage {
    static constexpr uint64_t words = 256;
    struct Strong {
        std::array<GlobalTouch, words> writer, other_writer;
    };
    struct Readers {
        std::array<GlobalTouch, words> reader, other_reader;
    };
    std::atomic_flag busy;
    std::array<GlobalTouch, words> writer;
    std::array<uint32_t, words> value; // that was stored last
    std::unique_ptr<Readers> readers;  // where there are any: results are mostly only written
    std::unique_ptr<Strong> strong;    // the same
    static constexpr uint64_t most_bytes() { return sizeof(ShadowPage) + sizeof(Readers) + sizeof(Strong); }
};

// Holds one page at a time for one thread of the engine.
class PageLock {
public:
    PageLock() = default;
    ~PageLock() { release(); }
    PageLock(const PageLock&) = delete;
    PageLock& operator=(const PageLock&) = delete;
    void lock(ShadowPage* page) { // nullptr: only lets go
        if (page == page_) return;
        release();
        page_ = page;
        while (page_ && page_->busy.test_and_set(std::memory_order_acquire)) {
        }
    }
    void release() {
        if (page_) page_->busy.clear(std::memory_order_release);
        page_ = nullptr;
    }

private:
    ShadowPage* page_ = nullptr;
};

class GlobalShadow {
public:
    explicit GlobalShadow(uint64_t most_bytes) : left_(static_cast<int64_t>(std::min(most_bytes, uint64_t{1} << 62))) {}
    ~GlobalShadow();
    GlobalShadow(const GlobalShadow&) = delete;
    GlobalShadow& operator=(const GlobalShadow&) = delete;

    // Memory of so many bytes is watched from now on; its number. Before the threads start.
    int watch(uint64_t bytes);
    // nullptr: the bound on memory is reached; full() says so from then on.
    ShadowPage* page(int number, uint64_t index) {
        std::atomic<ShadowPage*>& slot = pages_[static_cast<size_t>(number)][index];
        ShadowPage* const page = slot.load(std::memory_order_acquire);
        return page ? page : make_page(slot);
    }
    // With room for reads, for strong writes; false likewise.
    bool hold_readers(ShadowPage&);
    bool hold_strong(ShadowPage&);
    bool full() const { return full_; }

private:
    bool take_room(size_t bytes);
    ShadowPage* make_page(std::atomic<ShadowPage*>& slot);
    std::vector<std::vector<std::atomic<ShadowPage*>>> pages_;
    std::atomic<int64_t> left_; // bytes
    std::atomic<bool> full_{false};
};

} // namespace sim
