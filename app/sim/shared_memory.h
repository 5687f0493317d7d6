// The shared memory of one block with what is known of each byte and word: written or not, and by whom since the
// last barrier.
#pragma once

#include "sim/warp.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sim {

// 0: nobody.
inline uint32_t touch_tag(Touch t) { return static_cast<uint32_t>(t >> 32); }
inline uint32_t touch_pc(Touch t) { return static_cast<uint32_t>(t); }

struct SharedMemory {
    enum : uint8_t { unwritten = 0, written = 1, pending = 2 }; // pending: an async copy's target before its wait

    std::vector<std::byte> data;
    std::vector<uint8_t> state;         // per byte
    // Per 4-byte word. Two readers of different warps are enough: a third warp's write conflicts with either, and a
    // write of one of them with the other.
    std::vector<Touch> writer, reader, other_reader;
    uint32_t epoch = 1;                 // counts barriers; never 0, so that old touches need no clearing
    ReadLog log;

    void reset(uint32_t bytes); // for a block that begins
    void pass_barrier();
    // Enters the logged reads; from here on, until the next barrier, every access is entered at once.
    void enter_reads();
    void set_pending(uint64_t at, uint32_t count); // an async copy to these bytes begins
    void note_read(Touch by, uint32_t word);
    SharedView view() {
        return {data.data(), state.data(), writer.data(), reader.data(), other_reader.data(), data.size(), &epoch, &log};
    }
    uint32_t tag(uint32_t warp) const { return epoch << 5 | warp; }

private:
    std::unique_ptr<ReadLog::Entry[]> entries_ = std::make_unique<ReadLog::Entry[]>(ReadLog::most_entries);
    std::unique_ptr<Pattern::Run[]> runs_ = std::make_unique<Pattern::Run[]>(ReadLog::most_runs);
    size_t unwritten_ = 0; // a byte that was not written when it was looked at last; all before it were

    void look_for_unwritten();
    void empty_log();
};

} // namespace sim
