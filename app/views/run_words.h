// What is told of a run in sentences: for the window and the command line.
#pragma once

#include "session/session.h"
#include "views/strings.h"

#include <string>

namespace views {

const char* program_text(const Strings&, trace::Engine); // "PTX", "SASS"
// What was executed: of the products' program; before there is one, PTX.
trace::Engine engine_of(const session::Products&);

std::string schedule_text(const Strings&, trace::Schedule); // "warp 3 first"

// From how many blocks the counters come; empty: from all.
std::string sample_text(const Strings&, const session::FullRun&);

// Why a race between blocks may be missing from the findings; empty: it may not.
std::string unwatched_text(const Strings&, const session::FullRun&);

} // namespace views
