// The GPU worker as seen from the window and the command line: a child process (here or, by a prefix such as
// `ssh lab-gpu`, elsewhere) that may crash or hang without harm. Nothing here blocks but next() and the destructor.
#pragma once

#include "gpu/protocol.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpu {

// An Error answers the request (or the start) in progress. After a crash, a hang or a cancel the next send() starts a new worker.
using Event = std::variant<Hello, measure::Progress, measure::NotedPoint, RunResult, measure::Peaks,
                           measure::BlockTimeline, measure::StreamRecord, Swept, Pong, base::Error>;

class Worker {
public:
    struct Options {
        std::string command;       // for /bin/sh: "ssh lab-gpu gemmscope worker"; empty: this program's own `worker`
        double hello_limit_s = 30; // queue_limit_s where a queue may hand out GPUs (srun)
        double silence_limit_s =
            30; // on top of the time limit of a request: no line for so long is a hang, and is killed
        double total_limit_s =
            600; // on top of ten times that limit: so is no answer for so long, whatever is said meanwhile
        std::function<void()> wake; // called from another thread when poll() has something; must not call back
    };

    explicit Worker(Options); // starts nothing yet
    ~Worker();                // asks it to quit, then kills it
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Starts the process if it does not run; a Hello or an Error follows.
    void start();
    // Starts the process if need be. One request at a time: an error while busy(). Its answer is a Point, a
    // RunResult, Peaks, a BlockTimeline, a StreamRecord, a Swept, a Pong or an Error.
    base::Status send(Request);
    // Kills the process and waits for nothing, though it may hang in the operating system. Whatever was asked is answered
    // by no event, and `wake` is called no more.
    void cancel();

    bool busy() const;                         // a start or a request is not answered yet
    std::vector<Event> poll();                 // what has come since the last call
    std::optional<Event> next(double seconds); // waits for one; nothing if none came

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Until a worker elsewhere says hello, where its owner can end the wait.
inline constexpr double queue_limit_s = 3600;

// The command that starts `program worker` on this machine.
std::string own_worker_command();

} // namespace gpu
