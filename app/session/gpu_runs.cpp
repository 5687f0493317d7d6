#include "session/gpu_runs.h"

#include <fmt/format.h>

namespace session {

constexpr const char* compile_job = "gpu.compile";

base::Result<gpu::Launch> gpu_launch(const catalog::Kernel& kernel, const Subject& subject, const std::string& arch) {
    Subject there = subject;
    there.arch = arch;
    auto job = resolve(kernel, there);
    if (!job) return job.error();
    auto machine = machine_code(*job);
    if (machine.failed) return machine.failed->error;
    auto launch = gpu::launch_of(kernel, job->parameters, subject.problem, subject.alpha, subject.beta, subject.seed);
    if (!launch) return launch.error();
    launch->image = machine.value->cubin;
    launch->entry = machine.value->entry;
    launch->cuda = compile::availability().version;
    return launch;
}

GpuRuns::GpuRuns(base::Jobs& jobs, std::string worker, std::function<void()> wake)
    : jobs_(jobs), worker_({.command = std::move(worker), .wake = std::move(wake)}) {}

void GpuRuns::run(std::shared_ptr<const catalog::Kernel> kernel, const Subject& subject) {
    if (busy() || !kernel) return;
    kernel_ = std::move(kernel);
    subject_ = subject;
    state_.face = GpuState::Face::running;
    state_.problem = subject.problem;
    state_.progress.reset();
    state_.reason.clear();
    state_.doing = "starting the GPU worker";
    if (arch_.empty()) worker_.start();
    else compile();
}

void GpuRuns::cancel() {
    if (!busy()) return;
    jobs_.cancel(compile_job);
    worker_.cancel();
    state_.face = arch_.empty() ? GpuState::Face::unknown : GpuState::Face::idle;
    state_.doing.clear();
}

void GpuRuns::compile() {
    state_.doing = fmt::format("compiling for {}", arch_);
    auto work = [kernel = kernel_, subject = subject_, arch = arch_](std::stop_token) { return gpu_launch(*kernel, subject, arch); };
    auto done = [this](base::Result<gpu::Launch>&& launch) {
        if (!launch) return fail(launch.error());
        gpu::BenchRequest request;
        request.launch = std::move(*launch);
        if (auto sent = worker_.send(std::move(request)); !sent) fail(sent.error());
    };
    jobs_.start(compile_job, std::move(work), std::move(done), [this](base::Error error) { fail(error); });
}

void GpuRuns::take(const gpu::Hello& hello) {
    state_.device = hello.devices.front().name;
    if (!arch_.empty()) return; // a restarted worker; a request is on its way already
    arch_ = hello.devices.front().arch;
    compile();
}

void GpuRuns::take(const gpu::Progress& progress) {
    state_.progress = progress;
    const catalog::Problem& p = subject_.problem;
    state_.doing = fmt::format("{} x {} x {}", p.m, p.n, p.k);
    if (progress.phase == gpu::Phase::samples) state_.doing += fmt::format(", {} of {} samples", progress.done, progress.of);
}

void GpuRuns::take(const gpu::Point& point) {
    points_.push_back(point.point);
    state_.face = GpuState::Face::idle;
    state_.doing.clear();
}

void GpuRuns::take(const gpu::RunResult&) {} // never asked for

void GpuRuns::take(const base::Error& error) { fail(error); }

// Nothing can run where no worker ever said hello.
void GpuRuns::fail(const base::Error& error) {
    state_.face = arch_.empty() ? GpuState::Face::absent : GpuState::Face::failed;
    state_.reason = error.sentence();
    state_.doing.clear();
}

bool GpuRuns::update() {
    const auto events = worker_.poll();
    for (const gpu::Event& event : events) std::visit([this](const auto& e) { take(e); }, event);
    return !events.empty();
}

bool GpuRuns::wait(double seconds) {
    auto event = worker_.next(seconds);
    if (event) std::visit([this](const auto& e) { take(e); }, *event);
    return event.has_value();
}

} // namespace session
