#include "ui/window/alone.h"

#include "ui/draw/draw.h"
#include "ui/window/caption.h"
#include "ui/window/window.h"

#include <utility>

namespace ui {

std::optional<catalog::Problem> problem_of(const session::View& view, const PanelRow& row) {
    if (row.draw == draw_stream) return view.stream_problem;
    const bool at_own_sizes = row.draw == draw_ladder || row.draw == draw_plot;
    if (at_own_sizes) return std::nullopt;
    return view.subject.problem;
}

void draw_alone(Context& context, const PanelRow& row) {
    const Style& style = context.style;
    const session::Subject& subject = context.session.view().subject;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {4 * style.unit, 3 * style.unit});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, style.colour.panel);
    ImGui::PushFont(style.text);
    ImGui::Begin("alone", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    if (const auto kernel = context.session.kernel()) {
        const std::string remark = setting_text(context, problem_of(context.session.view(), row));
        heading(context, context.tr(kernel->title), remark);
    } else {
        heading(context, subject.kernel);
    }
    ImGui::BeginChild("panel");
    row.draw(context);
    ImGui::EndChild();
    ImGui::End();
    ImGui::PopFont();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

namespace {

// A size that was asked for is that of the schedule; nothing so large is executed here.
void take_stream_size(session::View& view) {
    if (view.subject.problem != catalog::Problem{}) view.stream_problem = std::exchange(view.subject.problem, {});
}

// A comparison that names no baseline is with the rung below.
void pin_rung_below(session::View& view, const session::Session& session) {
    if (view.middle_tab != session::MiddleTab::compare || view.baseline) return;
    const auto below = session.catalog().beside(view.subject.kernel, -1);
    if (!below) return;
    view.baseline = view.subject;
    view.baseline->kernel = below->id;
    view.baseline->parameters.clear();
}

} // namespace

void pose(session::View& view, const PanelRow& row, const session::Session& session) {
    row.prepare(view);
    pin_rung_below(view, session);
    if (row.draw == draw_stream) take_stream_size(view);
}

base::Status selection_exists(const session::View& view, const session::Session& session) {
    const session::Selection& asked = view.selection;
    const auto& block = session.products().block.value;
    if (!block) return base::Done{};
    const trace::Trace& trace = block->trace;
    const auto inside = [](uint32_t at, uint32_t size) { return at < size; };
    if (!inside(asked.block.x, trace.grid.x) || !inside(asked.block.y, trace.grid.y) ||
        !inside(asked.block.z, trace.grid.z))
        return base::Error{base::Failure::usage,
                           base::say("there is no block {},{},{} in a grid of {} x {} x {}", asked.block.x,
                                     asked.block.y, asked.block.z, trace.grid.x, trace.grid.y, trace.grid.z),
                           "", base::say("count from 0")};
    const uint64_t warps = (trace.block.count() + trace::warp_size - 1) / trace::warp_size;
    const trace::Schedule schedule = view.subject.schedule;
    const uint64_t first = schedule.kind == trace::Schedule::Kind::warp_first ? schedule.number : 0;
    for (const uint64_t warp : {static_cast<uint64_t>(asked.warp), first})
        if (warp >= warps)
            return base::Error{base::Failure::usage, base::say("there is no warp {} in a block of {}", warp, warps), "",
                               base::say("count from 0")};
    if (asked.event > 0 && asked.event >= trace.events.size())
        return base::Error{base::Failure::usage,
                           base::say("there is no step {} in a trace of {}", asked.event, trace.events.size()), "",
                           base::say("count from 0")};
    return base::Done{};
}

base::Error unknown_view(std::string_view name) {
    return {base::Failure::usage, base::say("there is no view \"{}\"", name), "",
            base::say("choose one of {}", base::names(rendered_views()))};
}

Page page_named(std::string_view name) {
    return name == "start"      ? Page::start
           : name == "lessons"  ? Page::lessons
           : name == "machines" ? Page::machines
           : name == "log"      ? Page::log
                                : Page::none;
}

} // namespace ui
