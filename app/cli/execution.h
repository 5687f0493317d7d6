// Executing a whole launch for a command: refused where it would take days, watched while it runs, ended by Ctrl-C.
#pragma once

#include "session/stages.h"

namespace cli {

struct Execution {
    std::shared_ptr<const session::Prepared> prepared;
    std::shared_ptr<const session::FullRun> run;
    uint64_t compared =
        0; // other blocks that were executed to see whether they count the same, where only some stand for all
    std::string whole; // why all blocks were executed although some were to stand for all
};
enum class Blocks { all, kinds };
// Compiles the job and runs its grid. Errors besides those of the stages: Failure::usage for a launch that would take longer
// than anybody waits, as the time of its first block tells; Failure::check_failed if Ctrl-C ended it.
// Of `kinds` one block of each is executed if that is sound (session/sample.h), and all of them otherwise.
base::Result<Execution> execute(const session::Job&, int threads, Blocks = Blocks::all);

// "12 s", "5 minutes", "3 hours", "40 days", "2e+05 years"
std::string duration_text(double seconds);

} // namespace cli
