#include "ui/window/ending_signals.h"

#include "base/stop_event.h"

#include <array>
#include <poll.h>
#include <sys/signalfd.h>

namespace ui {

EndingSignals::EndingSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        struct sigaction now {};
        if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&set_, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    signals_ = base::Descriptor(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
}

EndingSignals::~EndingSignals() { ::pthread_sigmask(SIG_UNBLOCK, &set_, nullptr); }

std::jthread EndingSignals::watch(std::function<void()> end) const {
    return std::jthread([this, end = std::move(end)](const std::stop_token& token) {
        const base::StopEvent stop(token);
        std::array<pollfd, 2> polled{{{signals_.number(), POLLIN, 0}, {stop.descriptor(), POLLIN, 0}}};
        while (!polled[0].revents && !polled[1].revents) (void)::poll(polled.data(), polled.size(), -1);
        if (!polled[0].revents) return;
        signalfd_siginfo first;
        (void)!::read(signals_.number(), &first, sizeof first);
        end();
        ::pthread_sigmask(SIG_UNBLOCK, &set_, nullptr); // this thread takes the next one, as it ends any program
        while (!polled[1].revents) (void)::poll(&polled[1], 1, -1);
    });
}

} // namespace ui
