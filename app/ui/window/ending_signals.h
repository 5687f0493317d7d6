// SIGTERM, SIGINT and SIGHUP close the window as its user would, so that what was changed last is kept.
#pragma once

#include "base/process.h"

#include <csignal>
#include <functional>
#include <thread>

namespace ui {

class EndingSignals {
public:
    EndingSignals(); // before any other thread: those inherit that they leave the signals alone. What is ignored stays so
    ~EndingSignals();
    EndingSignals(const EndingSignals&) = delete;
    EndingSignals& operator=(const EndingSignals&) = delete;

    // Calls `end`, from that thread, at the first one. The next ends the program at once.
    std::jthread watch(std::function<void()> end) const;

private:
    sigset_t set_;
    base::Descriptor signals_;
};

} // namespace ui
