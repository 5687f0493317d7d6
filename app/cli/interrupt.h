// Ctrl-C as a question, for commands that work for a long time and want to end between two steps.
#pragma once

#include <chrono>

namespace cli {

class Interrupt {
public:
    Interrupt();  // from now on SIGINT and SIGTERM no longer end the program
    ~Interrupt(); // as before
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // How often it was pressed since the start. Twice within half a second is once: one request that came by
    // two ways, to the process and to its group, as from timeout(1).
    int count();

    [[noreturn]] static void give_up(); // ends the program at once, as Ctrl-C does without us

private:
    int signals_; // a signalfd
    int count_ = 0;
    std::chrono::steady_clock::time_point counted_; // the last time
};

} // namespace cli
