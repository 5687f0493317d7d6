// The terminal while something is measured: progress, Ctrl-C.
#pragma once

#include "cli/interrupt.h"
#include "measure/progress.h"

#include <string>

namespace cli {

class Terminal {
public:
    // On standard error, in place of what was shown before; only on a terminal. clear() before anything else
    // is printed.
    void show(const std::string& text);
    void clear();
    int interrupts() { return interrupt_.count(); } // how often Ctrl-C was pressed

private:
    Interrupt interrupt_;
    bool shown_ = false;
};

// What others wrote, without what a terminal takes for a command.
std::string without_commands(std::string text);

std::string words(const measure::Progress&); // "20 of at most 100 samples"

} // namespace cli
