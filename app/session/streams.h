// Products streamed through a GPU: what comes with the program, what is planned without one, how one is asked
// for.
#pragma once

#include "gpu/protocol.h"
#include "session/view.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace session {

// Of assets/recorded/streams/*.json, by file name and line.
struct StreamFiles {
    std::vector<std::shared_ptr<const measure::StreamRecord>> records;
    std::vector<base::Error> problems; // files that could not be read; the others are there
};
StreamFiles read_streams(const std::filesystem::path& assets);

// What a plan of the kernel assumes: what its record of the largest product shows, else what its file says.
struct AssumedSpeed {
    measure::StreamSpeed speed;
    std::string device; // of the record; empty: the file says so
};
AssumedSpeed assumed_speed(const catalog::Kernel&, const std::vector<std::shared_ptr<const measure::StreamRecord>>&);

// How the kernel's host code would take the product through a GPU. `with_c`: beta is not 0. Errors: those of
// catalog::stream_shape and measure::stream_plan.
base::Result<measure::StreamRecord> planned_stream(const catalog::Kernel&, const catalog::Values&,
                                                   const catalog::Problem&, bool with_c, const AssumedSpeed&);

// A schedule with what follows from it.
struct Stream {
    std::shared_ptr<const measure::StreamRecord> record; // measured where there is one, else planned
    measure::StreamPlan plan;
    measure::StreamSummary sum;
};
base::Result<Stream> stream_of(const catalog::Kernel&, const catalog::Values&, const catalog::Problem&, bool with_c,
                               const std::vector<std::shared_ptr<const measure::StreamRecord>>&);

// For a GPU of architecture `arch`. Errors: those of compiling, of the plan, and a kernel whose blocks are
// not alike on every piece.
base::Result<gpu::StreamRequest> stream_request(const catalog::Kernel&, const Subject&, const std::string& arch,
                                                std::stop_token = {});

} // namespace session
