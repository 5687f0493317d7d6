// The traced block in time, as a multiprocessor executes it and as one would that no GPU has.
#pragma once

#include "session/prediction.h"
#include "session/stages.h"

#include <memory>

namespace session {

struct TimedBlock {
    std::shared_ptr<const BlockRun> block;
    timing::WhatIf what_if;
    std::shared_ptr<const BlockTime> real, shown; // without `what_if` and with it; the same where nothing is asked
    double clock_mhz = 0;                         // that cycles are turned into seconds by
    bool asked() const { return what_if != timing::WhatIf{}; }
};

// `before`: an earlier one of the same block, whose real time stands; or nullptr. Errors: those of time_block().
Stage<TimedBlock> timed_block(const Job&, const Prepared&, std::shared_ptr<const BlockRun>, const timing::WhatIf&,
                              const std::shared_ptr<const TimedBlock>& before, const std::stop_token& = {});

} // namespace session
