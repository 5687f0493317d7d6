// Shadow words of one block's shared memory for accesses by other blocks of its cluster, kept until the block acquires them
// (ClusterRaces). The warps' fast path knows nothing of this.
#pragma once

#include "sim/checks/happens_before.h"
#include "sim/program/operation.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim {

struct RemoteTouch {
    const Operation* by = nullptr; // nullptr: nobody
    uint32_t epoch = 0;            // of the block that accesses
    uint32_t known = 0;            // of the home block: accesses of epochs before this one had happened before
    uint8_t rank = 0, warp = 0, lane = 0;
    uint8_t mask = 0;       // which of the word's bytes
    bool unwritten = false; // a read of what nothing had written
};

// A word's last writer and the readers of two blocks, as SharedMemory keeps them of warps.
struct RemoteWord {
    RemoteTouch writer, reader, other_reader;
};

// Reads of whole words that hold what was written there, by neighbouring lanes from touch.lane on, 2^each words a lane. As long as no other block
// has written there, nothing can be in conflict with them but what the block itself does: they are kept as they are.
struct RemoteReads {
    RemoteTouch touch;
    uint32_t first = 0, count = 0, each = 0; // words

    RemoteTouch of(uint32_t n) const { // of word first + n
        RemoteTouch t = touch;
        t.lane = static_cast<uint8_t>(touch.lane + (n >> each));
        return t;
    }
};

class RemoteShadow {
public:
    static constexpr size_t most_reads = 1 << 14;
    std::vector<RemoteReads> reads; // only while no word is touched
    void reset(uint32_t bytes) {
        reads.clear();
        for (const uint32_t n : touched_) words_[n] = {};
        touched_.clear();
        size_ = (bytes + 3) / 4;
    }
    bool empty() const { return touched_.empty() && reads.empty(); }
    bool logs_reads() const { return touched_.empty() && reads.size() < most_reads; }
    RemoteWord& word(uint64_t n) { // n below the size in words
        words_.resize(size_);      // the first time: most kernels have no clusters
        RemoteWord& w = words_[n];
        if (!w.writer.by && !w.reader.by) touched_.push_back(static_cast<uint32_t>(n));
        return w;
    }
    // Calls f(number, word) for each word that was touched, and keeps those for which it gives true.
    template <class F>
    void keep_if(F f) {
        std::erase_if(touched_, [&](uint32_t n) {
            const bool keep = f(n, words_[n]);
            if (!keep) words_[n] = {};
            return !keep;
        });
    }

private:
    std::vector<RemoteWord> words_;
    std::vector<uint32_t> touched_; // numbers of words
    uint32_t size_ = 0;
};

} // namespace sim
