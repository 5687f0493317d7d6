// Points measured one after another on one GPU, for bench and tune: the worker, progress on the terminal,
// Ctrl-C.
#pragma once

#include "cli/terminal.h"
#include "gpu/client.h"

#include <memory>
#include <string>

namespace cli {

class Measuring {
public:
    // `worker`: a machine's name, or the command that starts it; empty: this program's. `device`: its number, as typed.
    static base::Result<std::unique_ptr<Measuring>> start(const std::string& worker, const std::string& device);

    const gpu::Hello& hello() const { return hello_; }
    const measure::Device& device() const { return hello_.devices[static_cast<size_t>(index_)]; }

    // `label` stands before the progress: "3 of 12: naive, 1024 x 1024 x 1024". An error of the point leaves
    // the worker ready for the next one.
    template <class Request> // a BenchRequest or a HostProductRequest
    base::Result<measure::NotedPoint> measure(Request request, const std::string& label) {
        request.device = index_;
        return point(std::move(request), label);
    }

    base::Result<measure::Peaks> peaks(gpu::PeaksRequest);
    base::Result<measure::BlockTimeline> timeline(gpu::TimelineRequest);
    base::Result<measure::StreamRecord> stream(gpu::StreamRequest);

    void show(const std::string& text) { terminal_.show(text); }
    void clear() { terminal_.clear(); }
    bool interrupted() { return terminal_.interrupts() > 0; } // Ctrl-C was pressed: end after this point

private:
    explicit Measuring(gpu::Worker::Options options) : worker_(std::move(options)) {}
    base::Result<measure::NotedPoint> point(gpu::Request, const std::string& label);
    base::Result<gpu::Event> answer(const std::string& label);
    template <class Answer, class Request>
    base::Result<Answer> asked(Request);

    Terminal terminal_; // first: the worker's threads inherit how it takes Ctrl-C
    gpu::Worker worker_;
    gpu::Hello hello_;
    int index_ = 0;
};

} // namespace cli
