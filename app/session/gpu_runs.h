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

class GpuRuns {
public:
    // `worker`: the command; empty: this program. Starts nothing yet.
    GpuRuns(base::Jobs&, std::string worker, std::function<void()> wake);

    // Times it, records its blocks, then times it at `speed_problem`, if that is another size. Ignored while something is
    // running.
    void run(std::shared_ptr<const catalog::Kernel>, const Subject&, const catalog::Problem& speed_problem);
    // Takes the product, whose size is the subject's, through the GPU as its kernel says. Likewise ignored.
    void stream(std::shared_ptr<const catalog::Kernel>, const Subject&);
    void measure_peaks(const std::filesystem::path& assets); // likewise
    void cancel();
    void forget(const std::string& kernel); // what was measured of it: its file has changed
    bool update();                          // collects what the worker says; true if something has changed
    bool busy() const { return state_.face == GpuState::Face::running; }
    bool wait(double seconds); // until something has come; false if nothing did

    const GpuState& state() const { return state_; }
    const std::vector<gpu::BenchPoint>& points() const { return points_; } // in the order of measuring
    // Likewise; of a problem the latest.
    const std::vector<std::shared_ptr<const gpu::BlockTimeline>>& timelines() const { return timelines_; }
    // In the order of measuring.
    const std::vector<std::shared_ptr<const gpu::StreamRecord>>& streams() const { return streams_; }

private:
    using Make = std::function<base::Result<gpu::Request>(const gpu::Device&, std::stop_token)>; // on another thread
    struct Wish {
        catalog::Problem problem;
        Make make;
    };
    void begin(std::deque<Wish>);
    void compile();
    void take(const gpu::Hello&);
    void take(const gpu::Progress&);
    void take(const gpu::Point&);
    void take(const gpu::RunResult&);
    void take(const gpu::Peaks&);
    void take(const gpu::BlockTimeline&);
    void take(const gpu::StreamRecord&);
    void take(const gpu::Swept&) { fail_unasked(); }
    void take(const base::Error&);
    void next(); // what was asked is answered
    void fail(const base::Error&);
    void fail_unasked();

    base::Jobs& jobs_;
    gpu::Worker worker_;
    GpuState state_;
    std::deque<Wish> wishes_; // the first one is being answered
    std::vector<gpu::BenchPoint> points_;
    std::vector<std::shared_ptr<const gpu::BlockTimeline>> timelines_;
    std::vector<std::shared_ptr<const gpu::StreamRecord>> streams_;
};

} // namespace session
