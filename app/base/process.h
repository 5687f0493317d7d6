// A child process with its standard streams in our hands.
#pragma once

#include "base/program.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace base {

// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            number_ = other.release();
        }
        return *this;
    }

    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    int release() {
        int number = number_;
        number_ = -1;
        return number;
    }
    void close();

private:
    int number_;
};

class Process {
public:
    // Starts `command`, a path and its arguments (no shell); whatever it starts dies with it. Errors name `what`.
    static Result<Process> start(const std::vector<std::string>& command, Group, const std::string& what);
    ~Process(); // kills what still runs
    Process(Process&& other) noexcept;
    Process& operator=(Process&&) = delete;

    Descriptor input;         // a socket, non-blocking: writing to a dead child is an error, not a signal
    Descriptor output, error; // pipes, non-blocking

    void kill(); // the group; does not wait
    // Waits up to so long for the end, then kills the group. How it ended: "exited with status 3", "was killed by signal 11
    // (Segmentation fault)"; empty for status 0. Calls after the first give the same. One that hangs in the kernel (of a lost
    // device, of a file on the network) outlives its kill: after a second it is left to a thread that buries it.
    Sentence finish(double seconds);
    bool was_killed_by(int signal) const; // after finish()

private:
    explicit Process(pid_t pid) : pid_(pid) {}
    bool has_ended() const; // it is not buried: nobody else gets its number, which is the group's
    bool ends_within(double seconds) const;

    pid_t pid_; // -1: reaped
    int status_ = 0;
    Sentence ended_as_;
};

} // namespace base
