#include "ui/speed/speed.h"

#include "ui/draw/grid.h"
#include "ui/draw/notices.h"
#include "ui/speed/sliders.h"

namespace ui {

const Standing& standing_now(const Context& context) {
    return context.pictures.standing(context.session, context.view.speed_problem);
}

void step_speed_size(Context& context, const Standing& now, int direction) {
    const auto larger = [&](const catalog::Problem& size) { return size.m > now.problem.m; };
    const auto reached = [&](const catalog::Problem& size) { return size.m >= now.problem.m; };
    const auto next = direction > 0 ? std::find_if(now.cubes.begin(), now.cubes.end(), larger)
                                    : std::find_if(now.cubes.begin(), now.cubes.end(), reached);
    if (direction > 0 && next != now.cubes.end()) context.view.speed_problem = *next;
    if (direction < 0 && next != now.cubes.begin()) context.view.speed_problem = *(next - 1);
}

std::optional<SpeedNow> speed_now(const Context& context) {
    const auto kernel = context.session.kernel();
    if (!kernel) return std::nullopt;
    const session::Session& session = context.session;
    const Standing& standing = standing_now(context);
    const std::string device =
        session::speed_device(*kernel, session.sweeps(), session.series(), session.gpu().device, standing.device);
    // What was measured is the right kernel's, not that of one broken on purpose.
    static const std::vector<session::KernelSweep> no_sweeps;
    static const std::vector<measure::Series> no_series;
    const bool broken = !context.view.subject.breaks.empty();
    SpeedNow now{{kernel, broken ? no_sweeps : session.sweeps(), broken ? no_series : session.series(), device},
                 standing.share.empty() ? context.view.speed_problem : standing.problem,
                 values_in_force(context, *kernel),
                 {},
                 {}};
    now.speed = now.speeds.at(now.values, now.size);
    if (!now.speed && !broken) now.predicted = predicted(context, now.values, now.size);
    return now;
}

Standing with_current(Standing now, const SpeedNow& current) {
    const std::string& id = current.speeds.kernel().id;
    if (current.speeds.device() != now.device || current.size != now.problem) return now;
    now.share.erase(id), now.gflops.erase(id);
    const catalog::OperandType operands = current.speeds.kernel().operands;
    const bool has_peer =
        catalog::cublas_operands(operands) == operands; // else it is told in TFLOPS, and no share is shown
    if (!current.speed || current.speed->gflops <= 0 || (has_peer && current.speed->cublas_gflops <= 0)) return now;
    now.share[id] = current.speed->ratio(), now.gflops[id] = current.speed->gflops;
    return now;
}

std::optional<MapAxes> map_axes(const Context& context) {
    const auto kernel = context.session.kernel();
    const session::View& view = context.view;
    const bool swept = std::any_of(context.session.sweeps().begin(), context.session.sweeps().end(),
                                   [](const auto& sweep) { return !sweep.stale; });
    if (!kernel || kernel->parameters.size() < 2 || view.second_parameter == "-") return std::nullopt;
    const auto has = [&](const std::string& name) { return catalog::find_parameter(*kernel, name) != nullptr; };
    const bool chosen = has(view.second_parameter);
    if (!swept && !chosen) return std::nullopt;
    // Columns of C across, rows down, where the parameters are BM and BN.
    MapAxes axes{has(view.parameter) ? view.parameter : kernel->parameters[1].name, view.second_parameter};
    if (!chosen || axes.rows == axes.columns)
        axes.rows = kernel->parameters[axes.columns == kernel->parameters[0].name ? 1 : 0].name;
    return axes;
}

std::string speed_text(const Context& context, const catalog::Kernel& kernel,
                       const std::optional<session::Speed>& speed) {
    if (!speed) return context.tr("speed.unmeasured");
    if (speed->gflops <= 0) return say(context, "speed.failed", speed->failure);
    std::string words = gflops(speed->gflops);
    if (speed->cublas_gflops > 0) words += ", " + of_cublas(context.tr, speed->ratio(), kernel.operands);
    return words;
}

std::string changes_text(const catalog::Values& now, const catalog::Values& next) {
    std::string words;
    for (const auto& [name, value] : next)
        if (const auto before = now.find(name); before == now.end() || before->second != value)
            words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, value);
    return words;
}

void set_values(Context& context, const catalog::Values& values) {
    if (context.view.subject.parameters == values) return;
    context.view.subject.parameters = values;
    context.view.selection.event = 0; // another program: the session looks for an interesting event
}

void climb(Context& context) {
    const auto now = speed_now(context);
    if (!now) return;
    const std::string size = size_text(now->size.m, now->size.n, now->size.k);
    const auto next = now->speeds.best_neighbour(now->values, now->size);
    const auto best = now->speeds.best(now->size);
    if (!next || !best) return notify(context, say(context, "speed.no_neighbour", size));
    if (now->speed && next->speed.gflops <= now->speed->gflops) {
        if (best->values == now->values || best->speed.gflops <= now->speed->gflops)
            return notify(context, say(context, "speed.best_of_all", size));
        return notify(context, say(context, "speed.local_best", gflops(best->speed.gflops),
                                   changes_text(now->values, best->values)));
    }
    set_values(context, next->values);
}

} // namespace ui
