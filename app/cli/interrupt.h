// Ctrl-C as a question, for commands that measure for a long time and want to end between two points.
#pragma once

namespace cli {

class Interrupt {
public:
    Interrupt();  // from now on SIGINT and SIGTERM no longer end the program
    ~Interrupt(); // as before
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    int count(); // how often it was pressed since the start

private:
    int signals_; // a signalfd
    int count_ = 0;
};

} // namespace cli
