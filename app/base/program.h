// Another program, run to its end.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace base {

struct Ended {
    int status = 0; // its exit status
    int signal = 0; // what killed it; 0: nothing did
    std::string output, error;
};

// `command` is a path and its arguments; no shell. The standard streams are files in memory, which the
// program may also open as /dev/stdin and /dev/stdout, in one process group of its own: Ctrl-C ends us, not
// it. Thread-safe. Errors: it cannot be started.
Result<Ended> run_program(const std::vector<std::string>& command, std::string_view input);

} // namespace base
