#include "base/process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

thread_local std::function<void(pid_t, int)> kill_here; // a look at each kill by this thread

} // namespace

// In place of the C library's.
extern "C" int kill(pid_t whom, int signal) noexcept {
    if (kill_here) kill_here(whom, signal);
    return static_cast<int>(::syscall(SYS_kill, whom, signal));
}

namespace {

std::string first_output(base::Process& process) {
    pollfd polled{process.output.number(), POLLIN, 0};
    ::poll(&polled, 1, 60'000);
    std::array<char, 256> chunk;
    const ssize_t count = ::read(process.output.number(), chunk.data(), chunk.size());
    return std::string(chunk.data(), static_cast<size_t>(std::max<ssize_t>(count, 0)));
}

TEST(Process, ItsEndIsDescribed) {
    const std::array<std::pair<const char*, const char*>, 3> cases{
        {{"exit 0", ""},
         {"exit 3", "exited with status 3"},
         {"kill -SEGV $$", "was killed by signal 11 (Segmentation fault)"}}};
    for (const auto& [command, said] : cases) {
        auto process = base::Process::start({"/bin/sh", "-c", command}, base::Group::own, "it");
        ASSERT_TRUE(process) << process.error().sentence();
        EXPECT_EQ(process->finish(60).english(), said);
        EXPECT_EQ(process->finish(0).english(), said) << "again";
    }
}

// Of a process that is buried somebody else may have the number, and the group.
TEST(Process, ItsGroupIsKilledBeforeItIsBuried) {
    auto process = base::Process::start({"/bin/sh", "-c", "echo $$"}, base::Group::own, "it");
    ASSERT_TRUE(process) << process.error().sentence();
    const pid_t pid = std::stoi(first_output(*process));
    bool unburied = false;
    kill_here = [&](pid_t whom, int) {
        siginfo_t how{};
        unburied = whom == -pid && ::waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOHANG | WNOWAIT) == 0;
    };
    EXPECT_EQ(process->finish(60).english(), "");
    kill_here = nullptr;
    EXPECT_TRUE(unburied);
    EXPECT_NE(::kill(pid, 0), 0) << "it is not buried";
}

TEST(Process, OneThatCannotBeKilledIsNotWaitedFor) {
    auto process = base::Process::start({"/bin/sh", "-c", "exec python3 '" SOURCE_DIR "/tests/gpu/traced_worker.py'"},
                                        base::Group::own, "it");
    ASSERT_TRUE(process) << process.error().sentence();
    std::istringstream said(first_output(*process));
    std::string traced;
    pid_t pid = 0;
    said >> traced >> pid;
    if (traced != "traced") GTEST_SKIP() << "a process may not be traced here";
    EXPECT_NE(process->finish(0).english().find("cannot be killed"),
              std::string::npos); // else it waits until this test is stopped
    EXPECT_EQ(::kill(pid, 0), 0) << "it is not buried yet";
    process->input.close(); // the tracer ends
    for (int i = 0; i < 3000 && ::kill(pid, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NE(::kill(pid, 0), 0) << "nobody buried it";
}

} // namespace
