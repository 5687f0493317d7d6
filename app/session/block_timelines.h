// Recordings of blocks: what comes with the program, and how one is made.
#pragma once

#include "gpu/protocol.h"
#include "measure/block_timeline.h"
#include "session/stages.h"

#include <filesystem>
#include <stop_token>
#include <vector>

namespace session {

// The kernel's PTX with a record of each block, see ptx/block_records.h. Errors: those of compiling, and what
// cannot be recorded.
base::Result<compile::Ptx> recording_ptx(const Job&, std::stop_token = {});

// For a GPU of architecture `arch`: the kernel as it is, and as it records itself. Errors: those of
// compiling, and a grid of too many blocks.
base::Result<gpu::TimelineRequest> timeline_request(const catalog::Kernel&, const Subject&, const std::string& arch,
                                                    std::stop_token = {});

// Of assets/recorded/timelines/*.json, by file name.
struct TimelineFiles {
    std::vector<std::shared_ptr<const measure::BlockTimeline>> timelines;
    std::vector<base::Error> problems; // files that could not be read; the others are there
};
TimelineFiles read_timelines(const std::filesystem::path& assets);

} // namespace session
