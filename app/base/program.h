// Other programs.
#pragma once

#include "base/result.h"

#include <array>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace base {

// Starts `command`, a path and its arguments (no shell), with default signals, in a process group of its own, and with
// `streams` as its standard input, output and error; nothing else of ours. Returns 0, or the number of an error.
int spawn(pid_t& pid, const std::vector<std::string>& command, const std::array<int, 3>& streams);

struct Ended {
    int status = 0; // its exit status
    int signal = 0; // what killed it; 0: nothing did
    std::string output, error;
};

// Spawns `command` and waits for its end. The standard streams are files in memory, which the program may also open as
// /dev/stdin and /dev/stdout. Ctrl-C ends us, not it. Thread-safe. Errors: it cannot be started.
Result<Ended> run_program(const std::vector<std::string>& command, std::string_view input);

} // namespace base
