#include "cli/interrupt.h"

#include <csignal>
#include <cstdlib>
#include <sys/signalfd.h>
#include <unistd.h>

namespace cli {
namespace {

constexpr std::chrono::milliseconds same{500};

sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

} // namespace

// Blocked here, and so in every thread that is started later; a process that is started gets its signals
// (gpu/process.cpp).
Interrupt::Interrupt() {
    const sigset_t set = ending_signals();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupt::~Interrupt() {
    count();
    ::close(signals_);
    const sigset_t set = ending_signals();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

int Interrupt::count() {
    signalfd_siginfo signal;
    while (::read(signals_, &signal, sizeof signal) == sizeof signal) {
        const auto now = std::chrono::steady_clock::now();
        if (count_ > 0 && now - counted_ < same) continue;
        ++count_;
        counted_ = now;
    }
    return count_;
}

void Interrupt::give_up() {
    std::signal(SIGINT, SIG_DFL);
    const sigset_t set = ending_signals();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    (void)std::raise(SIGINT);
    std::_Exit(1);
}

} // namespace cli
