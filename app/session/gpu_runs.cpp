#include "session/gpu_runs.h"

#include "session/block_timelines.h"
#include "session/peaks.h"
#include "session/streams.h"

#include <fmt/format.h>

namespace session {

constexpr const char* compile_job = "gpu.compile";

base::Result<gpu::Launch> gpu_launch(const catalog::Kernel& kernel, const Subject& subject, const std::string& arch,
                                     std::stop_token stop) {
    // A GPU does not say who is wrong: a race may pass, a wait that nobody ends holds it for everybody, and a time would stand
    // beside the right kernel's as if it were its own.
    if (!subject.breaks.empty())
        return base::Error{base::Failure::usage,
                           base::say("{} has a planted mistake and is executed on the CPU alone", kernel.id),
                           {},
                           base::say("switch the mistake off to run it on the GPU")};
    Subject there = subject;
    there.arch = arch;
    auto job = resolve(kernel, there);
    if (!job) return job.error();
    auto machine = machine_code(*job, nullptr, stop);
    if (machine.failed) return machine.failed->error;
    auto launch = gpu::launch_of(kernel, job->parameters, subject.problem, subject.alpha, subject.beta, subject.seed);
    if (!launch) return launch.error();
    launch->image = machine.value->cubin;
    launch->entry = machine.value->entry;
    launch->cuda = compile::availability().version;
    return launch;
}

namespace {

gpu::Worker::Options options_of(const std::string& command, const std::function<void()>& wake) {
    gpu::Worker::Options options{.command = command, .wake = wake};
    if (!command.empty()) options.hello_limit_s = gpu::queue_limit_s; // Esc ends the wait
    return options;
}

} // namespace

GpuRuns::GpuRuns(base::Jobs& jobs, std::string worker, std::function<void()> wake)
    : jobs_(jobs), command_(std::move(worker)), wake_(std::move(wake)) {
    worker_.emplace(options_of(command_, wake_));
}

void GpuRuns::use(const std::string& worker) {
    if (worker == command_) return;
    cancel();
    worker_->cancel(); // idle, too: to ask it to quit would wait for the way there
    command_ = worker;
    worker_.emplace(options_of(command_, wake_));
    state_ = {};
    result_.reset();
}

void GpuRuns::run(std::shared_ptr<const catalog::Kernel> kernel, const Subject& subject,
                  const catalog::Problem& speed_problem, bool fetch) {
    if (!kernel || busy()) return;
    result_.reset();
    const auto time = [&](const catalog::Problem& problem) {
        Subject timed = subject;
        timed.problem = problem;
        return Wish{problem,
                    [kernel, timed](const measure::Device& device, std::stop_token stop) -> base::Result<gpu::Request> {
                        auto launch = gpu_launch(*kernel, timed, device.arch, stop);
                        if (!launch) return launch.error();
                        gpu::BenchRequest request;
                        request.launch = std::move(*launch);
                        return gpu::Request(std::move(request));
                    }};
    };
    const Wish blocks{
        subject.problem,
        [kernel, subject](const measure::Device& device, std::stop_token stop) -> base::Result<gpu::Request> {
            auto request = timeline_request(*kernel, subject, device.arch, stop);
            if (!request) return request.error();
            return gpu::Request(std::move(*request));
        }};
    const Wish c{subject.problem,
                 [kernel, subject](const measure::Device& device, std::stop_token stop) -> base::Result<gpu::Request> {
                     auto launch = gpu_launch(*kernel, subject, device.arch, stop);
                     if (!launch) return launch.error();
                     gpu::RunRequest request;
                     request.launch = std::move(*launch);
                     request.values = true;
                     return gpu::Request(std::move(request));
                 },
                 subject};
    std::deque<Wish> wishes{time(subject.problem), blocks};
    if (fetch) wishes.push_front(c);
    if (speed_problem != subject.problem) wishes.push_back(time(speed_problem));
    begin(std::move(wishes));
}

void GpuRuns::stream(std::shared_ptr<const catalog::Kernel> kernel, const Subject& subject) {
    if (!kernel) return;
    begin({{subject.problem,
            [kernel, subject](const measure::Device& device, std::stop_token stop) -> base::Result<gpu::Request> {
                auto request = stream_request(*kernel, subject, device.arch, stop);
                if (!request) return request.error();
                return gpu::Request(std::move(*request));
            }}});
}

void GpuRuns::measure_peaks(const std::filesystem::path& assets) {
    begin({{{}, [assets](const measure::Device& device, std::stop_token stop) -> base::Result<gpu::Request> {
                auto request = peaks_request(assets, device, stop);
                if (!request) return request.error();
                return gpu::Request(std::move(*request));
            }}});
}

void GpuRuns::forget(const std::string& kernel) {
    std::erase_if(points_, [&](const measure::BenchPoint& point) { return point.kernel == kernel; });
    std::erase_if(timelines_, [&](const auto& timeline) { return timeline->kernel == kernel; });
    std::erase_if(streams_, [&](const auto& record) { return record->kernel == kernel; });
}

void GpuRuns::begin(std::deque<Wish> wishes) {
    if (busy()) return;
    wishes_ = std::move(wishes);
    state_.face = GpuState::Face::running;
    state_.problem = wishes_.front().problem;
    state_.progress.reset();
    state_.reason = {};
    state_.doing = base::say("starting the GPU worker");
    if (state_.here) compile();
    else worker_->start();
}

void GpuRuns::cancel() {
    if (!busy()) return;
    jobs_.cancel(compile_job);
    worker_->cancel();
    state_.face = state_.here ? GpuState::Face::idle : GpuState::Face::unknown;
    state_.doing = {};
}

void GpuRuns::compile() {
    if (!state_.here || wishes_.empty()) return fail_unasked();
    state_.problem = wishes_.front().problem;
    state_.doing = base::say("compiling for {}", state_.here->device.arch);
    auto work = [make = wishes_.front().make, device = state_.here->device](std::stop_token stop) {
        return make(device, stop);
    };
    auto done = [this](base::Result<gpu::Request>&& request) {
        if (!request) return fail(request.error());
        if (auto sent = worker_->send(std::move(*request)); !sent) fail(sent.error());
    };
    jobs_.start(compile_job, std::move(work), std::move(done), [this](base::Error error) { fail(error); });
}

void GpuRuns::take(const gpu::Hello& hello) {
    state_.device = hello.devices.front().name;
    if (state_.here && state_.here->device == hello.devices.front())
        return;                         // a restarted worker; a request is on its way already
    if (state_.here) worker_->cancel(); // that request is for another GPU
    state_.here = DeviceRecord{hello.devices.front(), {}, {}};
    compile();
}

void GpuRuns::take(const measure::Progress& progress) {
    state_.progress = progress;
    const catalog::Problem& p = state_.problem;
    const std::string size = fmt::format("{} x {} x {}", p.m, p.n, p.k);
    state_.doing = progress.phase == measure::Phase::samples
                       ? base::say("{}, {} of {} samples", size, progress.done, progress.of)
                       : base::verbatim(size);
}

void GpuRuns::take(const measure::NotedPoint& point) {
    points_.push_back(point.point);
    next();
}

void GpuRuns::take(const gpu::RunResult& run) {
    if (wishes_.empty() || !wishes_.front().fetched) return fail_unasked();
    result_ = std::make_shared<const GpuResult>(GpuResult{*wishes_.front().fetched, run});
    next();
}

void GpuRuns::take(const measure::StreamRecord& record) {
    streams_.push_back(std::make_shared<const measure::StreamRecord>(record));
    next();
}

void GpuRuns::take(const measure::Peaks& peaks) {
    if (!state_.here) return fail_unasked();
    state_.here->measured = peaks;
    next();
}

void GpuRuns::take(const measure::BlockTimeline& timeline) {
    const catalog::Problem problem{timeline.m, timeline.n, timeline.k};
    std::erase_if(timelines_,
                  [&](const auto& old) { return measure::is_of(*old, timeline.kernel, timeline.parameters, problem); });
    timelines_.push_back(std::make_shared<const measure::BlockTimeline>(timeline));
    forget_old_timelines();
    next();
}

void GpuRuns::forget_old_timelines() {
    size_t blocks = timelines_.back()->blocks.size();
    const auto fits = [&](const auto& older) { return (blocks += older->blocks.size()) <= most_kept_blocks; };
    const auto first_gone = std::find_if_not(std::next(timelines_.rbegin()), timelines_.rend(), fits);
    timelines_.erase(timelines_.begin(), first_gone.base());
}

void GpuRuns::next() {
    if (!wishes_.empty()) wishes_.pop_front();
    state_.progress.reset();
    if (!wishes_.empty()) return compile();
    state_.face = GpuState::Face::idle;
    state_.doing = {};
}

void GpuRuns::take(const base::Error& error) { fail(error); }

void GpuRuns::fail_unasked() {
    fail({base::Failure::missing,
          base::say("the GPU worker answered what was not asked"),
          {},
          base::say("check the worker's command")});
}

// Nothing can run where no worker ever said hello.
void GpuRuns::fail(const base::Error& error) {
    state_.face = state_.here ? GpuState::Face::failed : GpuState::Face::absent;
    state_.reason = error.said();
    state_.doing = {};
}

bool GpuRuns::update() {
    const auto events = worker_->poll();
    for (const gpu::Event& event : events) std::visit([this](const auto& e) { take(e); }, event);
    return !events.empty();
}

bool GpuRuns::wait(double seconds) {
    auto event = worker_->next(seconds);
    if (event) std::visit([this](const auto& e) { take(e); }, *event);
    return event.has_value();
}

} // namespace session
