// Other programs.
#pragma once

#include "base/result.h"

#include <array>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace base {

// Which process group a program starts in: ours, so that it ends when our group is killed; its own, which keyboard and
// terminal do not interrupt; or that of a session of its own, which has no terminal at all to read from.
enum class Group { ours, own, session };

// Starts `command`, a path and its arguments (no shell), with default signals and with `streams` as its standard input,
// output and error; nothing else of ours. Returns 0, or the number of an error.
int spawn(pid_t& pid, const std::vector<std::string>& command, const std::array<int, 3>& streams, Group);

struct Ended {
    int status = 0; // its exit status
    int signal = 0; // what killed it; 0: nothing did
    std::string output, error;
};

// Spawns `command`, in our group, and waits for its end. The standard streams are files in memory, which the program may
// also open as /dev/stdin and /dev/stdout. Our resource limits are its limits. Thread-safe. Errors: it cannot be started.
Result<Ended> run_program(const std::vector<std::string>& command, std::string_view input);

} // namespace base
