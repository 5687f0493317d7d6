// Smaller problems whose blocks' times tell that of a whole one: a block's time grows with each turn of its loops by the same.
#pragma once

#include "session/block_streams.h"
#include "timing/multiprocessor.h"

#include <optional>
#include <vector>

namespace session {

// A launch, whole or with the depth of its product cut short.
struct Cut {
    base::Dim3 grid;
    BlockStreams blocks;
};
// One, or two of which the second is deeper. The whole depth is that and `further` times what the second has and the first has not.
struct Cuts {
    std::vector<Cut> all;
    double further = 0;
    // That, of a block: so many instructions of its warps, which are those of its main loop, by pc. An instruction tells turns of it; behind this
    // share of its executions blocks of the second do nothing but turns, at the pace that they keep in the whole. 0: they never do.
    double instructions = 0;
    std::vector<bool> of_loop;
    uint32_t turn_pc = timing::Issue::nobody;
    double steady_from = 0;
    std::optional<Cut> shallow; // a lesser depth, if there is one: what neighbours have in common shows there, too
    // Where blocks walk along C they walk along a part of it. The whole width is that and `wider` times what they execute for it, which are all
    // instructions but these.
    double wider = 0, of_no_width = 0;
};

// Errors: those of BlockStreams, where not even the smallest problem runs. `prepared` outlives what it gives.
base::Result<Cuts> cut(const catalog::Kernel&, const Subject&, const Job&, const Prepared&, const std::stop_token&);

} // namespace session
