#include "gpu/process.h"

#include "base/program.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gpu {
namespace {

struct Pair {
    Descriptor ours, theirs;
};

base::Error system_error(const char* what) {
    return {base::Failure::missing, fmt::format("{}: {}", what, std::strerror(errno)), {}, {}};
}

base::Result<Pair> output_pipe() {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot make a pipe to the GPU worker");
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pair{Descriptor(ends[0]), Descriptor(ends[1])};
}

base::Result<Pair> input_socket() {
    std::array<int, 2> ends;
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return system_error("cannot make a socket to the GPU worker");
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pair{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string described(int status) {
    // A shell says that its command died by a signal with status 128 + signal.
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WIFEXITED(status) && WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
    if (signal > 0 && signal < NSIG) return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return fmt::format("exited with status {}", WEXITSTATUS(status));
    return {};
}

} // namespace

void Descriptor::close() {
    if (number_ >= 0) ::close(release());
}

base::Result<Process> Process::start(const std::string& command) {
    auto input = input_socket();
    auto output = output_pipe(), error = output_pipe();
    for (auto* pair : {&input, &output, &error})
        if (!*pair) return pair->error();
    pid_t pid = -1;
    errno = base::spawn(pid, {"/bin/sh", "-c", command},
                        {input->theirs.number(), output->theirs.number(), error->theirs.number()});
    if (errno != 0) return system_error("cannot start the GPU worker");
    Process process(pid);
    process.input = std::move(input->ours);
    process.output = std::move(output->ours);
    process.error = std::move(error->ours);
    return process;
}

Process::Process(Process&& other) noexcept
    : input(std::move(other.input)), output(std::move(other.output)), error(std::move(other.error)),
      pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}

Process::~Process() { finish(0); }

bool Process::reap(int options) {
    pid_t ended = 0;
    do ended = ::waitpid(pid_, &status_, options);
    while (ended < 0 && errno == EINTR);
    return ended != 0;
}

std::string Process::finish(double seconds) {
    using Clock = std::chrono::steady_clock;
    if (pid_ < 0) return described(status_);
    auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    bool ended = reap(WNOHANG);
    while (!ended && Clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ended = reap(WNOHANG);
    }
    ::kill(-pid_, SIGKILL); // the group may outlive its leader
    if (!ended) reap(0);
    pid_ = -1;
    return described(status_);
}

} // namespace gpu
