#include "base/program.h"

#include "base/system_reason.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace base {
namespace {

// A file that has no name and is gone when it is closed.
class MemoryFile {
public:
    MemoryFile() : descriptor_(::memfd_create("gemmscope", MFD_CLOEXEC)) {}
    ~MemoryFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    int descriptor() const { return descriptor_; }
    bool fill(std::string_view text) {
        for (size_t at = 0; at < text.size();) {
            const ssize_t count = ::pwrite(descriptor_, text.data() + at, text.size() - at, static_cast<off_t>(at));
            if (count <= 0) return false;
            at += static_cast<size_t>(count);
        }
        return true;
    }
    std::string contents() const {
        std::string all;
        std::array<char, 1 << 16> some;
        for (ssize_t count;
             (count = ::pread(descriptor_, some.data(), some.size(), static_cast<off_t>(all.size()))) > 0;)
            all.append(some.data(), static_cast<size_t>(count));
        return all;
    }

private:
    int descriptor_;
};

} // namespace

int spawn(pid_t& pid, const std::vector<std::string>& command, const std::array<int, 3>& streams, Group group) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&actions, streams[static_cast<size_t>(i)], i);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (group == Group::own) flags |= POSIX_SPAWN_SETPGROUP;
    if (group == Group::session) flags |= POSIX_SPAWN_SETSID;
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int failed = posix_spawn(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

Result<Ended> run_program(const std::vector<std::string>& command, std::string_view text) {
    MemoryFile input, output, error;
    const auto cannot_start = [&](int number) {
        return Error{
            Failure::missing, say("{}: {}", say("cannot start {}", command.front()), system_reason(number)), {}, {}};
    };
    if (!input.fill(text)) return cannot_start(errno);
    pid_t pid = -1;
    if (const int failed =
            spawn(pid, command, {input.descriptor(), output.descriptor(), error.descriptor()}, Group::ours))
        return cannot_start(failed);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return cannot_start(errno);
    const bool killed = WIFSIGNALED(status);
    return Ended{killed ? 0 : WEXITSTATUS(status), killed ? WTERMSIG(status) : 0, output.contents(), error.contents()};
}

} // namespace base
