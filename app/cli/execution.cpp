#include "cli/execution.h"

#include "base/clock.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "session/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace cli {
namespace {

using base::Clock;
using base::Error;
using base::Failure;
using base::seconds_since;

// The longest run that is begun: over a weekend. The estimate may be too long by some factor, and how much is left is shown.
constexpr double longest_s = 2 * 86400;

// With fewer blocks the first one's time says little about the others', and finding it out costs as much as they do.
constexpr uint64_t many_blocks = 4096;

// Catches Ctrl-C and says on stderr how far a run is, while it lives. Made before any other thread starts (NVRTC has its
// own): those inherit that they leave the signal alone.
class Watch {
public:
    Watch() : watcher_([this](std::stop_token over) { watch(over); }) {}
    ~Watch() {
        watcher_.request_stop();
        watcher_.join();
        if (shown_) write("\r\033[K");
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    std::stop_token token() const { return stop_.get_token(); }
    void done(float fraction) { fraction_.store(fraction, std::memory_order_relaxed); } // from any thread
    Error interrupted() const {
        return {Failure::check_failed,
                base::say("stopped by Ctrl-C after {}, {:.3g} % of the blocks were done",
                          duration_text(seconds_since(start_)), 100 * std::max(0.0f, fraction_.load())),
                {},
                {}};
    }

private:
    void watch(std::stop_token over) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (!ended.wait_for(lock, over, std::chrono::milliseconds(100), [&] { return over.stop_requested(); })) {
            if (interrupt_.count() > 1) Interrupt::give_up();
            if (interrupt_.count() > 0) stop_.request_stop();
            show();
        }
    }

    // On a terminal a line that changes each second; in a file a line a minute. Nothing while there is no block to execute yet.
    void show() {
        const double fraction = fraction_.load(std::memory_order_relaxed);
        if (fraction < 0) return;
        if (!executing_) executing_ = Clock::now();
        const double now = seconds_since(*executing_);
        if (now < next_) return;
        next_ = now + (terminal_ ? 1 : 60);
        std::string text =
            fmt::format("executing: {:.1f} % of the blocks after {}", 100 * fraction, duration_text(now));
        if (fraction > 0.001)
            text += fmt::format(", about {} left; Ctrl-C stops it", duration_text(now / fraction - now));
        write(terminal_ ? "\r\033[K" + text : "gemmscope: " + text + "\n");
        shown_ = terminal_;
    }

    static void write(const std::string& text) {
        (void)std::fputs(text.c_str(), stderr);
        (void)std::fflush(stderr);
    }

    Interrupt interrupt_;
    std::stop_source stop_;
    std::atomic<float> fraction_ = -1; // of the blocks; negative: none has been begun
    const Clock::time_point start_ = Clock::now();
    const bool terminal_ = ::isatty(STDERR_FILENO) == 1;
    std::optional<Clock::time_point> executing_; // since when
    double next_ = terminal_ ? 1 : 10;
    bool shown_ = false;
    std::jthread watcher_; // last: it uses all of the above
};

// The first block's time: of the second run, because the first one meets cold memory.
base::Result<double> estimate_s(const session::Job& job, const session::Prepared& prepared, int threads,
                                std::stop_token stop) {
    double seconds = 0;
    for (int i = 0; i < 2; ++i) {
        auto block = session::run_block(job, prepared, {0, 0, 0}, stop);
        if (block.failed) return block.failed->error;
        const auto endless = [](const trace::Finding& f) { return f.kind == trace::FindingKind::endless_loop; };
        if (std::any_of(block.value->findings.begin(), block.value->findings.end(), endless))
            return 0.0; // ends the run, too
        seconds = session::estimate_grid_s(job, *block.value, threads);
    }
    return seconds;
}

base::Status check_duration(const session::Job& job, const session::Prepared& prepared, int threads,
                            std::stop_token stop) {
    const base::Dim3 grid = job.shape.grid;
    if (grid.count() < many_blocks) return base::Done{};
    auto seconds = estimate_s(job, prepared, threads, stop);
    if (!seconds) return seconds.error();
    if (*seconds <= longest_s) return base::Done{};
    return Error{Failure::usage,
                 base::say("a grid of {} x {} x {} blocks would take about {} on this machine", grid.x, grid.y, grid.z,
                           duration_text(*seconds)),
                 job.source.name,
                 job.gemm ? base::say("choose a smaller -m, -n or -k") : base::say("choose a smaller --grid")};
}

// Nothing, and why: the whole grid has to be counted.
base::Result<std::shared_ptr<const session::FullRun>> sample(const session::Job& job, const session::Prepared& prepared,
                                                             int threads, Watch& watch, Execution& execution) {
    const auto run = session::run_sample(job, prepared, threads, watch.token());
    if (run.failed && run.failed->error.failure != Failure::missing) return error_of(*run.failed);
    if (run.failed) {
        execution.whole = run.failed->error.what.english();
        return std::shared_ptr<const session::FullRun>();
    }
    if (run.value->stopped) return watch.interrupted();
    if (job.gemm) return run.value; // proved by the tests, kernel by kernel
    constexpr uint64_t some = 16;
    const auto check = session::check_sample(job, prepared, *run.value->sample, some, watch.token());
    if (check.failed) return error_of(*check.failed);
    if (watch.token().stop_requested()) return watch.interrupted();
    execution.compared = check.value->blocks;
    if (!check.value->differs) return run.value;
    const base::Dim3 b = *check.value->differs;
    execution.whole =
        fmt::format("block ({}, {}, {}) counts something else than the one that stood for it", b.x, b.y, b.z);
    return std::shared_ptr<const session::FullRun>();
}

base::Result<Execution> execute(const session::Job& job, int threads, Blocks blocks, Watch& watch) {
    auto prepared = session::prepare(job, watch.token());
    if (prepared.failed) return error_of(*prepared.failed);
    Execution execution{prepared.value, {}, 0, {}};
    if (blocks == Blocks::kinds) {
        auto run = sample(job, *prepared.value, threads, watch, execution);
        if (!run) return run.error();
        execution.run = *run;
        if (execution.run) return execution;
    }
    auto inputs = session::share_inputs(job, *prepared.value->program, nullptr, watch.token());
    if (!inputs) return inputs.error();
    session::Job ready = job;
    ready.inputs = *inputs;
    if (auto sensible = check_duration(ready, *prepared.value, threads, watch.token()); !sensible)
        return sensible.error();
    watch.done(0);
    auto run = session::run_grid(ready, *prepared.value, threads, watch.token(),
                                 [&](float fraction) { watch.done(fraction); });
    if (run.failed) return error_of(*run.failed);
    if (run.value->stopped) return watch.interrupted();
    execution.run = run.value;
    return execution;
}

} // namespace

std::string duration_text(double seconds) {
    struct Unit {
        double seconds;
        const char* name;
    };
    for (const Unit& unit :
         {Unit{365.25 * 86400, "years"}, Unit{86400, "days"}, Unit{3600, "hours"}, Unit{60, "minutes"}}) {
        if (seconds >= 2 * unit.seconds) return fmt::format("{:.2g} {}", seconds / unit.seconds, unit.name);
    }
    return fmt::format("{:.0f} s", seconds);
}

base::Result<Execution> execute(const session::Job& job, int threads, Blocks blocks) {
    Watch watch;
    auto execution = execute(job, threads, blocks, watch);
    if (!execution && watch.token().stop_requested()) return watch.interrupted();
    return execution;
}

} // namespace cli
