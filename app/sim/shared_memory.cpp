#include "sim/shared_memory.h"

#include <algorithm>
#include <cstring>

namespace sim {

void SharedMemory::reset(uint32_t bytes) {
    data.assign(bytes, std::byte{0});
    state.assign(bytes, unwritten);
    const size_t words = (bytes + 3) / 4;
    // Touches of former blocks are of older epochs.
    if (writer.size() != words || epoch > (1u << 26)) {
        writer.assign(words, 0);
        reader.assign(words, 0);
        other_reader.assign(words, 0);
        epoch = 0;
    }
    ++epoch;
    log.entry = entries_.get();
    log.run = runs_.get();
    log.quiet = true;
    log.complete = false;
    empty_log();
    unwritten_ = 0;
}

void SharedMemory::pass_barrier() {
    ++epoch;
    log.quiet = true;
    empty_log();
    if (!log.complete) look_for_unwritten();
}

void SharedMemory::look_for_unwritten() {
    while (unwritten_ < state.size() && state[unwritten_] == written) ++unwritten_;
    log.complete = unwritten_ == state.size();
}

void SharedMemory::set_pending(uint64_t at, uint32_t count) {
    std::memset(state.data() + at, pending, count);
    unwritten_ = std::min<size_t>(unwritten_, at);
    log.complete = false;
}

void SharedMemory::note_read(Touch by, uint32_t word) {
    Touch &first = reader[word], &other = other_reader[word];
    if (touch_tag(first) >> 5 != epoch) first = by;
    else if (touch_tag(first) != touch_tag(by) && touch_tag(other) >> 5 != epoch) other = by;
}

void SharedMemory::enter_reads() {
    log.quiet = false;
    for (uint32_t n = 0; n < log.entries; ++n) {
        const ReadLog::Entry& entry = log.entry[n];
        for (uint32_t r = entry.first; r < entry.first + entry.runs; ++r) {
            const uint64_t begin = entry.low + log.run[r].at, end = begin + log.run[r].bytes;
            for (uint64_t word = begin / 4; word < (end + 3) / 4; ++word) note_read(entry.by, static_cast<uint32_t>(word));
        }
    }
    empty_log();
}

void SharedMemory::empty_log() {
    log.entries = log.runs = 0;
    ++log.generation;
}

} // namespace sim
