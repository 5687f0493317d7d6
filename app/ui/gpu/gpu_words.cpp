#include "ui/gpu/gpu_words.h"

#include "ui/draw/grid.h"
#include "views/plot_data.h"

namespace ui {

namespace {

// "4096³: 20 of 60 samples"
std::string gpu_doing(const Context& context, const session::GpuState& state) {
    if (!state.progress) return context.tr("plot.gpu_preparing");
    const catalog::Problem& p = state.problem;
    const measure::Progress& progress = *state.progress;
    const auto phase = [&]() -> std::string {
        switch (progress.phase) {
        case measure::Phase::inputs: return context.tr("plot.gpu_inputs");
        case measure::Phase::verify: return context.tr("plot.gpu_verify");
        case measure::Phase::warm_up: return context.tr("plot.gpu_warm_up");
        case measure::Phase::samples: return say(context, "plot.gpu_samples", progress.done, progress.of);
        case measure::Phase::energy: return context.tr("plot.gpu_energy");
        case measure::Phase::back_to_back: return context.tr("plot.gpu_back_to_back");
        }
        return {};
    };
    return size_text(p.m, p.n, p.k) + ": " + phase();
}

} // namespace

std::string gpu_sentence(const Context& context) {
    const session::GpuState& gpu = context.session.gpu();
    const session::Subject& subject = context.session.view().subject;
    const bool streamed = context.session.shows_stream();
    const catalog::Problem& problem = streamed ? context.session.view().stream_problem : subject.problem;
    std::string size = size_text(problem.m, problem.n, problem.k);
    const catalog::Problem& speed = context.view.speed_problem;
    if (!streamed && speed != problem)
        size = say(context, "plot.gpu_sizes", size, size_text(speed.m, speed.n, speed.k));
    const auto kernel = context.session.kernel();
    const bool has_peer = !streamed && (!kernel || kernel->operation == catalog::Operation::product);
    using Face = session::GpuState::Face;
    switch (gpu.face) {
    case Face::absent:
        return say(context, has_peer ? "plot.gpu_absent" : "plot.gpu_absent_alone", subject.kernel, size,
                   context.tr(gpu.reason));
    case Face::idle:
        return say(context, has_peer ? "plot.gpu_idle" : "plot.gpu_idle_alone", subject.kernel, size, gpu.device);
    case Face::running:
        if (gpu.device.empty()) return context.tr("plot.gpu_starting");
        return say(context, "plot.gpu_running", gpu.device, gpu_doing(context, gpu));
    case Face::failed: return say(context, "plot.gpu_failed", context.tr(gpu.reason));
    case Face::unknown: break;
    }
    return say(context, has_peer ? "plot.gpu_unknown" : "plot.gpu_unknown_alone", subject.kernel, size);
}

} // namespace ui
