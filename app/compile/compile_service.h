// The other end of compile_processes.h.
#pragma once

#include "base/result.h"

namespace compile {

// Serves compilations over standard input, which is a socket, and standard output until the other end is closed; then,
// whatever it does at the moment, this process ends, and ptxas with it. Limits the memory, the stack and the files of
// this process, and the processor time of each compilation. Errors: standard input is no socket; somebody typed it.
base::Status serve_compilations();

} // namespace compile
