// What happened before what between the blocks of a grid: they release and acquire through words of global memory. One releases
// (a fence, then an atomic or volatile access to a word), another acquires (an atomic or volatile access to that word), and
// knows then all that the first did and knew.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace sim {

using GridTime = uint64_t; // counts the releases and acquisitions of a run

// By word: when a block acquired it last.
using Acquired = std::map<uint64_t, GridTime>;

// All releases of a run, for the threads of the engine together.
class GridReleases {
public:
    bool any() const { return any_; }
    GridTime now() { return ++time_; }
    // What the block did in its epochs before `epoch`, and what it `acquired` since it released last (emptied then).
    void add(uint64_t block, uint32_t epoch, uint64_t word, Acquired& acquired);
    // Whether what `block` did in this epoch happened before what one that acquired this does now.
    bool before(uint64_t block, uint32_t epoch, const Acquired&);
    // Whether such a one has seen a release by `block` in this epoch through `word`, the access that released included.
    bool seen(uint64_t block, uint32_t epoch, uint64_t word, const Acquired&);

private:
    struct Release {
        uint64_t block;
        uint32_t epoch;
        GridTime time;
        Acquired acquired;
        uint32_t before; // the block's release before this one, or none
    };
    static constexpr uint32_t none = ~uint32_t{0};
    static constexpr size_t most_releases = 1 << 18, most_steps = 1 << 12; // beyond that everything counts as known
    bool full() const { return releases_.size() + acquired_ >= most_releases; }
    bool directly_before(uint64_t block, uint32_t epoch, const Acquired&) const;
    std::mutex mutex_;
    std::vector<Release> releases_;
    size_t acquired_ = 0;                                                     // words, in all of them
    std::map<std::pair<uint64_t, uint64_t>, std::vector<uint32_t>> by_block_; // and word; by time
    std::map<uint64_t, std::vector<uint32_t>> by_word_;                       // by time
    std::map<uint64_t, uint32_t> last_;                                       // by block
    std::atomic<GridTime> time_{0};
    std::atomic<bool> any_{false};
};

// One block's part in it.
class GridOrder {
public:
    static constexpr uint32_t most_epochs = 31; // a GlobalTouch holds no more; what comes later counts as known

    explicit GridOrder(GridReleases& releases) : releases_(releases) {}
    void reset(uint64_t block); // its number in the grid

    uint32_t epoch() const { return epoch_; }
    void note_access() { accessed_ = true; }
    // What follows is told apart from what was before, for whoever acquires what is released next. Fences and barriers of the cluster
    // leave half of the epochs to those who release by an access itself.
    void fence();
    void pass_cluster_barrier();

    // The word is acquired when the access to it is over, which complete_acquisitions() says.
    void acquire(uint64_t word);
    void complete_acquisitions();
    // `at_access`: by the access itself, not by a fence before it.
    void release(uint64_t word, bool at_access);

    // Whether what another block did in that epoch happened before what this one does now.
    bool before(uint64_t block, uint32_t epoch);
    bool seen(uint64_t block, uint32_t epoch, uint64_t word) { return releases_.seen(block, epoch, word, acquired_); }

private:
    // What was asked about another block: its epochs below `known` were known, and `unknown` and later ones were not, after so
    // many acquisitions.
    struct Asked {
        uint32_t known = 0, unknown = ~0u;
        uint64_t acquisitions = 0;
    };
    GridReleases& releases_;
    uint64_t block_ = 0;
    uint32_t epoch_ = 0;
    bool accessed_ = false;             // anything, in this epoch
    Acquired acquired_, since_release_; // ever; since the block released last
    std::vector<uint64_t> under_way_;   // words that are being acquired
    uint64_t acquisitions_ = 0;         // counted
    std::map<uint64_t, Asked> asked_;   // by block

    void begin_epoch();
};

} // namespace sim
