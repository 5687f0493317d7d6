#include "cli/measuring.h"

#include "base/number.h"
#include "session/machines.h"

namespace cli {

using base::Error;
using base::Failure;

base::Result<std::unique_ptr<Measuring>> Measuring::start(const std::string& worker, const std::string& device) {
    gpu::Worker::Options options;
    options.command = session::worker_command(worker);
    if (!worker.empty()) options.hello_limit_s = gpu::queue_limit_s; // Ctrl-C ends the wait
    std::unique_ptr<Measuring> started(new Measuring(std::move(options)));
    started->worker_.start();
    auto event = started->answer("starting the GPU worker");
    if (!event) return event.error();
    auto* hello = std::get_if<gpu::Hello>(&*event);
    if (!hello)
        return Error{
            Failure::missing, base::say("the GPU worker did not say hello"), {}, base::say("see gemmscope doctor")};
    started->hello_ = std::move(*hello);
    auto index = base::parse_integer(device, "--device", 0, static_cast<int64_t>(started->hello_.devices.size()) - 1);
    if (!index) return index.error();
    started->index_ = static_cast<int>(*index);
    started->clear();
    return started;
}

// The next event that is not progress; a worker that was restarted greets again.
base::Result<gpu::Event> Measuring::answer(const std::string& label) {
    std::string doing = "starting";
    while (true) {
        const bool ending = interrupted();
        if (terminal_.interrupts() > 1) {
            worker_.cancel();
            return Error{Failure::check_failed, base::say("stopped"), {}, {}};
        }
        show(label + ": " + (ending ? "ends after this point, Ctrl-C ends now" : doing));
        const bool busy = worker_.busy(); // before: what ends it comes with an event
        auto event = worker_.next(0.1);
        if (!event && !busy)
            return Error{
                Failure::missing, base::say("the GPU worker gave no answer"), {}, base::say("see gemmscope doctor")};
        if (!event) continue;
        if (auto* progress = std::get_if<measure::Progress>(&*event)) doing = words(*progress);
        else if (auto* error = std::get_if<Error>(&*event)) return *error;
        else return std::move(*event);
    }
}

base::Result<measure::NotedPoint> Measuring::point(gpu::Request request, const std::string& label) {
    if (auto sent = worker_.send(std::move(request)); !sent) return sent.error();
    while (true) {
        auto event = answer(label);
        if (!event) return event.error();
        if (auto* point = std::get_if<measure::NotedPoint>(&*event)) return std::move(*point);
    }
}

template <class Answer, class Request>
base::Result<Answer> Measuring::asked(Request request) {
    request.device = index_;
    if (auto sent = worker_.send(std::move(request)); !sent) return sent.error();
    auto event = answer("measuring");
    while (event && std::holds_alternative<gpu::Hello>(*event)) event = answer("measuring");
    clear();
    if (!event) return event.error();
    if (auto* answer = std::get_if<Answer>(&*event)) return std::move(*answer);
    return Error{
        Failure::missing, base::say("the GPU worker gave another answer"), {}, base::say("see gemmscope doctor")};
}

base::Result<measure::Peaks> Measuring::peaks(gpu::PeaksRequest request) {
    return asked<measure::Peaks>(std::move(request));
}

base::Result<measure::BlockTimeline> Measuring::timeline(gpu::TimelineRequest request) {
    return asked<measure::BlockTimeline>(std::move(request));
}

base::Result<measure::StreamRecord> Measuring::stream(gpu::StreamRequest request) {
    return asked<measure::StreamRecord>(std::move(request));
}

} // namespace cli
