// The client against a worker that misbehaves in every way we could think of (fake_worker.py).
#include "gpu/client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

gpu::Worker::Options fake(const std::string& mode, const fs::path& pid_file = {}) {
    gpu::Worker::Options options;
    options.command = "python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' " + mode + " " + pid_file.string();
    options.hello_limit_s = 20; // a loaded machine starts Python slowly
    options.silence_limit_s = 20;
    return options;
}

gpu::BenchRequest request(double limit_s = 0.1) {
    gpu::BenchRequest request;
    request.launch.kernel = "naive";
    request.launch.parameters = {{"BLOCK", 16}};
    request.launch.image = {std::byte{1}, std::byte{2}};
    request.launch.entry = "naive";
    request.time_limit_s = limit_s;
    return request;
}

// The next event of type T; Hello and Progress are skipped on the way.
template <class T>
std::optional<T> awaited(gpu::Worker& worker) {
    while (auto event = worker.next(30)) {
        if (auto* found = std::get_if<T>(&*event)) return *found;
        if (!std::holds_alternative<gpu::Hello>(*event) && !std::holds_alternative<measure::Progress>(*event)) break;
    }
    return {};
}

void expect_error(gpu::Worker& worker, base::Failure failure, const std::string& said) {
    auto error = awaited<base::Error>(worker);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->failure, failure);
    EXPECT_NE(error->sentence().find(said), std::string::npos) << error->sentence();
    EXPECT_FALSE(worker.busy());
}

// Also false for one that has ended but whom its new parent has not buried.
bool runs(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return stat >> number >> name >> state && state != "Z";
}

TEST(Worker, HelloThenPointThenAnother) {
    gpu::Worker worker(fake("good"));
    EXPECT_FALSE(worker.busy());
    worker.start();
    EXPECT_TRUE(worker.busy());
    auto hello = awaited<gpu::Hello>(worker);
    ASSERT_TRUE(hello);
    EXPECT_EQ(hello->devices.at(0).name, "Fake");
    EXPECT_FALSE(worker.busy());
    for (int turn = 0; turn < 2; ++turn) {
        ASSERT_TRUE(worker.send(request()));
        auto point = awaited<measure::NotedPoint>(worker);
        ASSERT_TRUE(point);
        EXPECT_EQ(point->point.kernel, "naive");
        EXPECT_EQ(point->point.parameters.at("BLOCK"), 16);
        EXPECT_EQ(point->notes.at(0), "invented");
        EXPECT_FALSE(worker.busy());
    }
}

TEST(Worker, OneRequestAtATime) {
    gpu::Worker worker(fake("hang"));
    ASSERT_TRUE(worker.send(request(100)));
    auto second = worker.send(request());
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().what.english().find("busy"), std::string::npos);
}

TEST(Worker, ARequestStartsIt) {
    gpu::Worker worker(fake("good"));
    gpu::RunRequest run;
    run.launch = request().launch;
    run.values = true;
    ASSERT_TRUE(worker.send(run));
    auto result = awaited<gpu::RunResult>(worker);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->c, base::Numbers(std::vector<float>{1, 2}));
}

TEST(Worker, ProgressArrivesInOrderAndWakes) {
    auto options = fake("good");
    std::atomic<int> woken = 0;
    options.wake = [&] { ++woken; };
    gpu::Worker worker(options);
    ASSERT_TRUE(worker.send(request()));
    std::vector<gpu::Event> events;
    while (events.empty() || !std::holds_alternative<measure::NotedPoint>(events.back())) {
        auto event = worker.next(60);
        ASSERT_TRUE(event) << "no answer";
        events.push_back(*event);
    }
    ASSERT_EQ(events.size(), 4u); // Hello, 2 Progress, Point
    EXPECT_TRUE(std::holds_alternative<gpu::Hello>(events[0]));
    EXPECT_EQ(std::get<measure::Progress>(events[1]).done, 1);
    EXPECT_EQ(std::get<measure::Progress>(events[2]).done, 2);
    EXPECT_TRUE(std::holds_alternative<measure::NotedPoint>(events[3]));
    worker.cancel(); // its thread has ended: the last wake, too
    EXPECT_EQ(woken, 4);
}

TEST(Worker, GreetingsOfALoginShellAreSkipped) {
    gpu::Worker worker(fake("greeting"));
    worker.start();
    EXPECT_TRUE(awaited<gpu::Hello>(worker));
}

TEST(Worker, MessagesMayComeInPieces) {
    gpu::Worker worker(fake("halves"));
    ASSERT_TRUE(worker.send(request()));
    expect_error(worker, base::Failure::check_failed, "in halves");
}

TEST(Worker, ACrashIsReportedAndTheNextRequestStartsAnew) {
    gpu::Worker worker(fake("crash"));
    for (int turn = 0; turn < 2; ++turn) {
        ASSERT_TRUE(worker.send(request()));
        expect_error(worker, base::Failure::missing, "Segmentation fault");
    }
    ASSERT_TRUE(worker.send(request()));
    expect_error(worker, base::Failure::missing, "an assertion failed"); // the last line that it wrote to stderr
}

TEST(Worker, AWorkerThatIsKilledIsReportedAndTheNextRequestStartsAnew) {
    fs::path pids = fs::path(testing::TempDir()) / ("killed_" + std::to_string(getpid()));
    gpu::Worker worker(fake("hang", pids));
    ASSERT_TRUE(worker.send(request(100)));
    ASSERT_TRUE(awaited<measure::Progress>(worker));
    pid_t pid = 0;
    std::ifstream(pids) >> pid;
    ASSERT_GT(pid, 1);
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    expect_error(worker, base::Failure::missing, "was killed by signal 9");
    ASSERT_TRUE(worker.send(request(100)));
    EXPECT_TRUE(awaited<measure::Progress>(worker));
    fs::remove(pids);
}

TEST(Worker, PeaksAreAnAnswer) {
    gpu::Worker worker(fake("good"));
    gpu::PeaksRequest wanted;
    wanted.fma = wanted.fp64 = wanted.copy = request().launch;
    wanted.flop_per_turn = 1;
    ASSERT_TRUE(worker.send(wanted));
    auto peaks = awaited<measure::Peaks>(worker);
    ASSERT_TRUE(peaks);
    EXPECT_EQ(peaks->fma_gflops, 240.5);
    EXPECT_FALSE(worker.busy());
}

TEST(Worker, AHangIsKilled) {
    fs::path pids = fs::path(testing::TempDir()) / ("hang_" + std::to_string(getpid()));
    auto options = fake("hang", pids);
    options.silence_limit_s = 0.3;
    gpu::Worker worker(options);
    worker.start();
    ASSERT_TRUE(awaited<gpu::Hello>(worker));
    EXPECT_FALSE(worker.next(0.5)); // idle for longer than the limit: that is no hang
    ASSERT_TRUE(worker.send(request(0.2)));
    EXPECT_TRUE(awaited<measure::Progress>(worker));
    expect_error(worker, base::Failure::missing, "no sign of life");
    pid_t pid = 0;
    std::ifstream(pids) >> pid;
    ASSERT_GT(pid, 0);
    for (int i = 0; i < 3000 && runs(pid); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(runs(pid)) << "the hung process still runs";
    fs::remove(pids);
}

TEST(Worker, CancelKillsAndAnswersNothing) {
    gpu::Worker worker(fake("hang"));
    ASSERT_TRUE(worker.send(request(100)));
    ASSERT_TRUE(awaited<measure::Progress>(worker));
    worker.cancel();
    EXPECT_FALSE(worker.busy());
    EXPECT_TRUE(worker.poll().empty());
    EXPECT_FALSE(worker.next(0.1));
    ASSERT_TRUE(worker.send(request())); // a fresh one
    EXPECT_TRUE(awaited<measure::Progress>(worker));
}

TEST(Worker, SilenceBeforeTheHello) {
    auto options = fake("silent");
    options.hello_limit_s = 0.3;
    gpu::Worker worker(options);
    ASSERT_TRUE(worker.send(request()));
    expect_error(worker, base::Failure::missing, "did not say hello within 0.3 s");
}

TEST(Worker, GarbageIsQuoted) {
    gpu::Worker garbage(fake("garbage"));
    ASSERT_TRUE(garbage.send(request()));
    expect_error(garbage, base::Failure::missing, "not understood (not JSON): {\"type\": \"poi");
    gpu::Worker unknown(fake("unknown"));
    ASSERT_TRUE(unknown.send(request()));
    expect_error(unknown, base::Failure::missing, "type is unknown: \"tea\"");
}

TEST(Worker, WhatIsNoWorker) {
    gpu::Worker endless(fake("endless_greeting"));
    endless.start();
    expect_error(endless, base::Failure::missing, "it is not a worker");
    auto options = fake("endless_line");
    options.hello_limit_s = 1;
    gpu::Worker line(options);
    line.start();
    expect_error(line, base::Failure::missing, "did not say hello");
}

TEST(Worker, OtherVersion) {
    gpu::Worker worker(fake("version"));
    worker.start();
    expect_error(worker, base::Failure::missing,
                 "speaks version 15 of the protocol, this program version 16; install the same");
}

// A line that may not come where the child is, whatever it holds, answers what was asked by an error.
TEST(Worker, WhoSpeaksOutOfTurnIsNotHeard) {
    const std::array<std::pair<const char*, const char*>, 6> cases{
        {{"peaks_before_hello", "it has not said hello"},
         {"hello_again", "it says hello again"},
         {"late", "request 1 is asked, not 0"},
         {"other_kind", "another kind of answer is asked"},
         {"refuses_another", "request 1 is asked, not 7"},
         {"progress_of_another", "request 1 is asked, not 7"}}};
    for (const auto& [mode, why] : cases) {
        SCOPED_TRACE(mode);
        gpu::Worker worker(fake(mode));
        ASSERT_TRUE(worker.send(request()));
        expect_error(worker, base::Failure::missing, std::string("spoke out of turn (") + why + "): {\"type\": ");
    }
}

// It is heard where nothing is asked, or after the next request was sent: that is answered by a fresh worker
// or by an error, never by what was said before.
TEST(Worker, WhatNobodyAskedForAnswersNothing) {
    gpu::Worker unasked(fake("peaks_unasked"));
    unasked.start();
    ASSERT_TRUE(awaited<gpu::Hello>(unasked));
    EXPECT_FALSE(unasked.next(60)); // returns once it is gone
    EXPECT_FALSE(unasked.busy());
    gpu::Worker twice(fake("twice"));
    ASSERT_TRUE(twice.send(request()));
    ASSERT_TRUE(awaited<measure::NotedPoint>(twice));
    while (auto event = twice.next(60)) EXPECT_FALSE(std::holds_alternative<measure::NotedPoint>(*event));
    ASSERT_TRUE(twice.send(request()));
    EXPECT_TRUE(awaited<measure::NotedPoint>(twice)) << "a fresh one";
}

TEST(Worker, ADeeplyNestedAnswerIsRefused) {
    gpu::Worker worker(fake("deep"));
    ASSERT_TRUE(worker.send(request()));
    expect_error(worker, base::Failure::missing, "not understood (JSON of more than 16 levels): {\"type\":\"point\"");
}

// Progress without end is no answer; what an owner does not collect is bounded.
TEST(Worker, ProgressWithoutEndIsEnded) {
    auto options = fake("chatty");
    options.total_limit_s = 1;
    gpu::Worker worker(options);
    ASSERT_TRUE(worker.send(request(0.01)));
    size_t collected = 0;
    std::optional<base::Error> error;
    while (worker.busy()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const gpu::Event& event : worker.poll()) {
        ++collected;
        if (auto* found = std::get_if<base::Error>(&event)) error = *found;
    }
    ASSERT_TRUE(error);
    EXPECT_NE(error->what.english().find("reported progress but gave no answer in time"), std::string::npos)
        << error->what.english();
    EXPECT_LE(collected, 1002u); // with the Hello and the error
}

// stdout has ended, stderr never does.
TEST(Worker, LastWordsAreBounded) {
    gpu::Worker::Options options;
    options.command = "exec 1>&-; exec yes alas >&2";
    gpu::Worker worker(options);
    worker.start();
    expect_error(worker, base::Failure::missing, "was killed by signal 9 (Killed)");
}

TEST(Worker, MessagesWithoutEndAreEnded) {
    gpu::Worker::Options options;
    options.command = "yes alas >&2 & wait";
    gpu::Worker worker(options);
    worker.start();
    expect_error(worker, base::Failure::missing,
                 "the GPU worker's messages had no end, and it was killed: a"); // and what was read of its last line
}

TEST(Worker, WhatItSaysIsBounded) {
    gpu::Worker::Options options;
    options.command = "exec cat /dev/zero";
    gpu::Worker greets(options);
    greets.start();
    expect_error(greets, base::Failure::missing, "said more than an answer holds");
    gpu::Worker padded(fake("padded"));
    ASSERT_TRUE(padded.send(request(100)));
    expect_error(padded, base::Failure::missing, "said more than an answer holds");
}

// As one that hangs in the kernel of a lost device.
TEST(Worker, CancelLeavesOneThatCannotBeKilledBehind) {
    const fs::path said = fs::path(testing::TempDir()) / ("traced_" + std::to_string(getpid()));
    gpu::Worker::Options options;
    options.command = "exec python3 '" SOURCE_DIR "/tests/gpu/traced_worker.py' '" + said.string() + "'";
    gpu::Worker worker(options);
    worker.start();
    for (int i = 0; i < 3000 && !fs::exists(said); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::string traced;
    pid_t pid = 0;
    std::ifstream(said) >> traced >> pid;
    if (traced != "traced") {
        fs::remove(said);
        GTEST_SKIP() << "a process may not be traced here";
    }
    worker.cancel();
    EXPECT_EQ(::kill(pid, 0), 0) << "it is there still";
    EXPECT_FALSE(worker.busy());
    EXPECT_TRUE(worker.send(request())) << "another one";
    worker.cancel();
    fs::remove(said);
}

// However the end of one meets the next request, that is answered.
TEST(Worker, AWorkerThatEndsWhileItIsAskedLeavesNobodyWaiting) {
    gpu::Hello greeting;
    greeting.devices.emplace_back().name = "Fake";
    std::string hello = gpu::to_json(gpu::Reply(greeting));
    gpu::Worker::Options options;
    options.command = "echo '" + hello + "'";
    gpu::Worker worker(options);
    for (int turn = 0; turn < 200; ++turn) {
        worker.start();
        ASSERT_TRUE(awaited<gpu::Hello>(worker)) << turn;
        ASSERT_TRUE(worker.send(gpu::Ping{}));
        expect_error(worker, base::Failure::missing, "the GPU worker");
    }
}

TEST(Worker, APingSaysHowFarItIs) {
    gpu::Worker worker(fake("good"));
    ASSERT_TRUE(worker.send(gpu::Ping{}));
    const auto pong = awaited<gpu::Pong>(worker);
    ASSERT_TRUE(pong);
    EXPECT_GT(pong->ms, 0);
    gpu::Worker slow(fake("slow_ping"));
    ASSERT_TRUE(slow.send(gpu::Ping{}));
    const auto later = awaited<gpu::Pong>(slow);
    ASSERT_TRUE(later);
    EXPECT_GE(later->ms, 50) << "that is how long it sleeps";
}

// A command that would ask for a password has no terminal to ask at, and says so.
TEST(Worker, HasNoTerminal) {
    gpu::Worker::Options options;
    options.command = "read -r word </dev/tty; exit 7";
    gpu::Worker worker(options);
    worker.start();
    expect_error(worker, base::Failure::missing, "/dev/tty");
}

TEST(Worker, MissingDriverIsSaidByTheWorker) {
    gpu::Worker worker(fake("missing_driver"));
    ASSERT_TRUE(worker.send(request()));
    expect_error(worker, base::Failure::missing, "no NVIDIA driver; install it");
}

TEST(Worker, ACommandThatFailsIsQuotedWithItsReason) {
    gpu::Worker exits(fake("exits"));
    exits.start();
    expect_error(exits, base::Failure::missing, "exited with status 4: no such queue: gpu");
    gpu::Worker::Options options;
    options.command = "/no/such/program worker";
    gpu::Worker absent(options);
    absent.start();
    expect_error(absent, base::Failure::missing, "exited with status 127");
}

TEST(Worker, ARefusalKeepsTheWorker) {
    fs::path pids = fs::path(testing::TempDir()) / ("refuse_" + std::to_string(getpid()));
    gpu::Worker worker(fake("refuse", pids));
    for (int turn = 0; turn < 3; ++turn) {
        ASSERT_TRUE(worker.send(request()));
        expect_error(worker, base::Failure::check_failed, "C is wrong");
    }
    std::ifstream in(pids);
    EXPECT_EQ(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), 1) << "it was started more than once";
    fs::remove(pids);
}

TEST(Worker, AFatalRefusalEndsIt) {
    gpu::Worker worker(fake("fatal"));
    for (int turn = 0; turn < 2; ++turn) {
        ASSERT_TRUE(worker.send(request()));
        expect_error(worker, base::Failure::check_failed, "illegal address");
    }
}

TEST(Worker, TheEndOfAnIdleWorkerIsNoNews) {
    gpu::Worker worker(fake("dies_idle"));
    worker.start();
    ASSERT_TRUE(awaited<gpu::Hello>(worker));
    EXPECT_FALSE(worker.next(1)); // returns once it is gone
    EXPECT_FALSE(worker.busy());
}

TEST(Worker, ALargeRequestPassesThroughTheSocket) {
    gpu::Worker worker(fake("good"));
    auto large = request();
    large.launch.image.assign(8 << 20, std::byte{7});
    ASSERT_TRUE(worker.send(large));
    EXPECT_TRUE(awaited<measure::NotedPoint>(worker));
}

TEST(Worker, DestroyedWhileStarting) {
    for (int i = 0; i < 3; ++i) {
        gpu::Worker worker(fake("good"));
        worker.start();
    }
}

} // namespace
