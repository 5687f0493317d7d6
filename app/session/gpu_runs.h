// Timed runs on a GPU, one at a time, through the worker process.
#pragma once

#include "base/job.h"
#include "gpu/client.h"
#include "session/session.h"

#include <deque>

namespace session {

// The kernel compiled for `arch`, ready to be sent to the worker. With planted mistakes it is an error.
base::Result<gpu::Launch> gpu_launch(const catalog::Kernel&, const Subject&, const std::string& arch,
                                     std::stop_token = {});

// C as a GPU elsewhere left it.
struct GpuResult {
    Subject subject;
    gpu::RunResult run;
};
constexpr uint64_t most_fetched = 4u << 20;  // elements of such a C
constexpr size_t most_kept_blocks = 1 << 18; // of timelines: 6 MB

class GpuRuns {
public:
    // `worker`: the command; empty: this program. Starts nothing yet.
    GpuRuns(base::Jobs&, std::string worker, std::function<void()> wake);

    // From now on by that command; what is running is stopped.
    void use(const std::string& worker);

    // With `fetch` runs it once for result(). Times it, records its blocks, then times it at `speed_problem`, if that is another size. Ignored while something is
    // running.
    void run(std::shared_ptr<const catalog::Kernel>, const Subject&, const catalog::Problem& speed_problem,
             bool fetch = false);
    // Takes the product, whose size is the subject's, through the GPU as its kernel says. Likewise ignored.
    void stream(std::shared_ptr<const catalog::Kernel>, const Subject&);
    void measure_peaks(const std::filesystem::path& assets); // likewise
    void cancel();
    void forget(const std::string& kernel); // what was measured of it: its file has changed
    bool update();                          // collects what the worker says; true if something has changed
    bool busy() const { return state_.face == GpuState::Face::running; }
    bool wait(double seconds); // until something has come; false if nothing did

    std::shared_ptr<const GpuResult> result() const { return result_; }
    const GpuState& state() const { return state_; }
    const std::vector<measure::BenchPoint>& points() const { return points_; } // in the order of measuring
    // Likewise; of a problem the latest. Of most_kept_blocks together, but always the last one: who was elsewhere for long presses R again.
    const std::vector<std::shared_ptr<const measure::BlockTimeline>>& timelines() const { return timelines_; }
    // In the order of measuring.
    const std::vector<std::shared_ptr<const measure::StreamRecord>>& streams() const { return streams_; }

private:
    using Make =
        std::function<base::Result<gpu::Request>(const measure::Device&, std::stop_token)>; // on another thread
    struct Wish {
        catalog::Problem problem;
        Make make;
        std::optional<Subject> fetched{}; // C of this
    };
    void begin(std::deque<Wish>);
    void compile();
    void take(const gpu::Hello&);
    void take(const measure::Progress&);
    void take(const measure::NotedPoint&);
    void take(const gpu::RunResult&);
    void take(const measure::Peaks&);
    void take(const measure::BlockTimeline&);
    void take(const measure::StreamRecord&);
    void take(const gpu::Swept&) { fail_unasked(); }
    void take(const gpu::Pong&) { fail_unasked(); }
    void take(const base::Error&);
    void forget_old_timelines();
    void next(); // what was asked is answered
    void fail(const base::Error&);
    void fail_unasked();

    base::Jobs& jobs_;
    std::string command_;
    std::function<void()> wake_;
    std::optional<gpu::Worker> worker_;
    std::shared_ptr<const GpuResult> result_;
    GpuState state_;
    std::deque<Wish> wishes_; // the first one is being answered
    std::vector<measure::BenchPoint> points_;
    std::vector<std::shared_ptr<const measure::BlockTimeline>> timelines_;
    std::vector<std::shared_ptr<const measure::StreamRecord>> streams_;
};

} // namespace session
