// What a block notes for block_forms.h while it is executed.
#pragma once

#include "sim/run/block_context.h"
#include "sim/run/path_condition.h"
#include "sim/run/recorder.h"
#include "sim/run/segments.h"

#include <cstdint>
#include <vector>

namespace sim {

class PathNotes {
public:
    PathNotes(const BlockContext& block, const Recorder& recorder, Segments& segments)
        : block_(block), recorder_(recorder), segments_(segments) {}
    void reset();

    // An operation that is watched (Dependences::watches): notes it, and executes it.
    void execute(Warp&, const Operation&, uint32_t active);
    PathCondition condition(); // of the block that has ended

private:
    const BlockContext& block_;
    const Recorder& recorder_;
    Segments& segments_;
    std::vector<Noted> noted_; // by watch

    void note_box(const Warp&, const Operation&, int lane, Noted&);
};

} // namespace sim
