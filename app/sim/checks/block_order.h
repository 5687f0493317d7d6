// What happened before what in a block: between its warps and between the lanes of a warp.
#pragma once

#include "sim/checks/happens_before.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sim {

inline uint32_t epoch_of(Touch t) { return static_cast<uint32_t>(t >> touch_epoch_at); }
inline uint32_t warp_of(Touch t) { return static_cast<uint32_t>(t >> touch_warp_at) & 31; }
inline uint32_t lane_of(Touch t) { return static_cast<uint32_t>(t >> touch_lane_at) & 31; }
inline uint32_t mask_of(Touch t) { return static_cast<uint32_t>(t >> touch_mask_at) & 15; }
inline uint32_t pc_of(Touch t) { return static_cast<uint32_t>(t) & (most_pcs - 1); }

// The bytes of word `word` that lie in [at, end).
inline uint32_t bytes_of_word(uint64_t word, uint64_t at, uint64_t end) {
    const uint64_t from = std::max(at, word * 4), to = std::min(end, word * 4 + 4);
    return ((1u << (to - from)) - 1) << (from & 3);
}

// Every release begins a new epoch for the whole block. A barrier of all warps is by far the most frequent one, so it only
// moves `floor`.
class BlockOrder {
public:
    uint32_t epoch = 1;
    uint32_t floor = 1;                            // what is older happened before everything from now on
    std::array<uint32_t, trace_warps> own_floor{}; // the same between any two lanes of one warp; at least `floor`

    static constexpr uint32_t most_epochs = (1u << 27) - 2; // a Touch holds no more
    bool worn_out() const { return epoch >= most_epochs; }
    void restart(); // all touches are forgotten, too
    void begin_block();
    void all_meet();                    // a barrier of all warps
    VectorClock release(uint32_t warp); // what the warp has done up to here, and what it knew
    void fence(uint32_t warp) { fences_[warp] = ++epoch; }
    VectorClock release_at_fence(uint32_t warp) const; // up to its last fence
    void acquire(uint32_t warp, const VectorClock&);   // and now knows
    void lanes_meet(uint32_t warp, uint32_t lanes);    // __syncwarp and the like
    // Whether what left the touch happened before what this lane does now.
    bool before(Touch, uint32_t warp, uint32_t lane) const;

    // Of what `of` did, `warp` knows its accesses of epochs before this one.
    uint32_t known_until(uint32_t warp, uint32_t of) const { return std::max(floor, known_[warp][of]); }
    // The vector clocks, one after the other.
    const uint32_t* known() const { return known_[0].data(); }

private:
    std::array<VectorClock, trace_warps> known_{};
    std::array<std::array<uint32_t, 32>, trace_warps> met_{}; // epoch in which a lane last met others of its warp
    std::array<uint32_t, trace_warps> fences_{};
};

} // namespace sim
