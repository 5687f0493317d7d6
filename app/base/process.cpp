#include "base/process.h"

#include "base/system_reason.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace base {
namespace {

struct Pair {
    Descriptor ours, theirs;
};

Error system_error(const Sentence& action) {
    return {Failure::missing, say("{}: {}", action, system_reason(errno)), {}, {}};
}

Result<Pair> output_pipe(const std::string& what) {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error(say("cannot make a pipe to {}", what));
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pair{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<Pair> input_socket(const std::string& what) {
    std::array<int, 2> ends;
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return system_error(say("cannot make a socket to {}", what));
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pair{Descriptor(ends[0]), Descriptor(ends[1])};
}

Sentence described(int status) {
    // A shell says that its command died by a signal with status 128 + signal.
    int signal = WIFSIGNALED(status)                              ? WTERMSIG(status)
                 : WIFEXITED(status) && WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128
                                                                  : 0;
    if (signal > 0 && signal < NSIG) return say("was killed by signal {} ({})", signal, ::strsignal(signal));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return say("exited with status {}", WEXITSTATUS(status));
    return {};
}

// Without a thread to spare it stays unburied until this program ends.
void bury_later(pid_t pid) {
    try {
        std::thread([pid] { ::waitpid(pid, nullptr, 0); }).detach();
    } catch (const std::system_error&) {
    }
}

} // namespace

void Descriptor::close() {
    if (number_ >= 0) ::close(release());
}

Result<Process> Process::start(const std::vector<std::string>& command, Group group, const std::string& what) {
    auto input = input_socket(what);
    auto output = output_pipe(what), error = output_pipe(what);
    for (auto* pair : {&input, &output, &error})
        if (!*pair) return pair->error();
    pid_t pid = -1;
    errno = spawn(pid, command, {input->theirs.number(), output->theirs.number(), error->theirs.number()}, group);
    if (errno != 0) return system_error(say("cannot start {}", what));
    Process process(pid);
    process.input = std::move(input->ours);
    process.output = std::move(output->ours);
    process.error = std::move(error->ours);
    return process;
}

Process::Process(Process&& other) noexcept
    : input(std::move(other.input)), output(std::move(other.output)), error(std::move(other.error)),
      pid_(std::exchange(other.pid_, -1)), status_(other.status_), ended_as_(std::move(other.ended_as_)) {}

Process::~Process() { finish(0); }

bool Process::has_ended() const {
    siginfo_t ended{};
    const int asked = ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    return asked != 0 ? errno != EINTR : ended.si_pid != 0;
}

bool Process::ends_within(double seconds) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    while (!has_ended()) {
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

void Process::kill() {
    if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

Sentence Process::finish(double seconds) {
    if (pid_ < 0) return ended_as_;
    bool ended = ends_within(seconds);
    kill(); // the group may outlive its leader
    constexpr double burial_s = 1;
    ended = ended || ends_within(burial_s);
    if (ended) ::waitpid(pid_, &status_, 0);
    else bury_later(pid_);
    pid_ = -1;
    return ended_as_ = ended ? described(status_) : say("hangs in the operating system and cannot be killed");
}

bool Process::was_killed_by(int signal) const { return WIFSIGNALED(status_) && WTERMSIG(status_) == signal; }

} // namespace base
