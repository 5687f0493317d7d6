// Executing a whole launch for a command: refused where it would take days, watched while it runs, ended by Ctrl-C.
#pragma once

#include "session/stages.h"

namespace cli {

struct Execution {
    std::shared_ptr<const session::Prepared> prepared;
    std::shared_ptr<const session::FullRun> run;
};
// Compiles the job and runs its grid. Errors besides those of the stages: Failure::usage for a launch that would take longer
// than anybody waits, as the time of its first block tells; Failure::check_failed if Ctrl-C ended it.
base::Result<Execution> execute(const session::Job&, int threads);

// "12 s", "5 minutes", "3 hours", "40 days", "2e+05 years"
std::string duration_text(double seconds);

} // namespace cli
