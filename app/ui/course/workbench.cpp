#include "ui/course/workbench.h"

#include "exercise/hand_in.h"
#include "ui/code/editor.h"
#include "ui/course/stage.h"
#include "ui/draw/grid.h"
#include "ui/draw/notices.h"

#include <fmt/format.h>

#include <algorithm>

namespace ui {

void Workbench::open(Places places, std::function<void()> wake) {
    places_ = std::move(places);
    exercises_ = exercise::load(places_.exercises);
    grading_ = std::make_unique<exercise::Grading>(std::move(wake));
}

std::shared_ptr<const exercise::Exercise> Workbench::exercise(const session::View& view) const {
    return view.course.exercise.empty() ? nullptr : exercises_.find(view.course.exercise);
}

std::shared_ptr<const catalog::Kernel> Workbench::work(const session::Session& session) const {
    const auto now = exercise(session.view());
    if (!now) return nullptr;
    const auto shown = session.kernel();
    return shown && shown->function == now->starter->function ? shown : session.catalog().find(now->id);
}

std::shared_ptr<const exercise::Verdict> Workbench::last(const session::View& view) const {
    const auto now = exercise(view);
    return now ? grading_->last(*now) : nullptr;
}

void Workbench::start(Context& context, const std::string& id) {
    const auto found = exercises_.find(id);
    if (!found || !context.editor) return;
    context.view.course = {};
    context.view.course.exercise = id;
    context.view.layout.code_panel = context.view.layout.ladder = true;
    leave_stage(context.view);
    for (const exercise::Step& step : found->steps) // the last one says most about the kernel
        for (const exercise::Rule& rule : step.rules)
            if (const PanelRow* row = find_panel(rule.view)) row->prepare(context.view);
    context.chrome.page = Page::none;
    context.editor->open_own(context, id, found->starter->source);
}

void Workbench::come_back(Context& context) {
    const auto now = exercise(context.view);
    const auto kernel = work(context.session);
    if (!now) return;
    if (!kernel) return start(context, now->id);
    if (context.view.subject.kernel == kernel->id) return;
    context.view.subject.kernel = kernel->id;
    context.view.subject.parameters.clear();
    context.view.subject.breaks.clear();
}

void Workbench::leave(Context& context) { context.view.course.exercise.clear(); }

void Workbench::show(Context& context, const exercise::Look& look) {
    session::View& view = context.view;
    come_back(context);
    if (look.size) view.subject.problem = *look.size;
    view.subject.alpha = look.alpha, view.subject.beta = look.beta;
    view.subject.schedule = look.schedule;
    view.layout.map_panel = view.layout.banks = view.layout.numbers = true;
    if (const PanelRow* row = find_panel(look.view)) row->prepare(view);
    if (verdict_ && !verdict_->findings.empty()) context.chrome.jump = Jump{verdict_->findings.front(), false};
}

void Workbench::hand_in(Context& context) {
    const auto now = exercise(context.view);
    const auto kernel = work(context.session);
    if (!now || !kernel) return;
    exercise::HandIn one;
    one.student = places_.student;
    one.sources[now->id + ".cu"] = kernel->source;
    one.view = session::to_json(context.view);
    base::Status done = exercise::stamp(one, places_.answers);
    std::string time = one.time; // in a file's name
    std::replace(time.begin(), time.end(), ':', '-');
    const auto file = places_.hand_ins / fmt::format("{}-{}.gemm", now->id, time);
    if (done) done = exercise::write_hand_in(file, one);
    notify(context, done ? say(context, "exercise.handed_in", file.string()) : context.tr(done.error()));
}

void Workbench::open_hand_in(Context& context, const std::filesystem::path& file) {
    const auto work = exercise::read_hand_in(file);
    if (!work) return notify(context, context.tr(work.error()));
    if (work->sources.empty() || !context.editor) return notify(context, context.tr("exercise.no_source"));
    const auto& [name, source] = *work->sources.begin();
    if (auto kept = session::view_from_json(work->view); kept) { // what was looked at; how is the reader's own
        context.view.subject = kept->subject;
        context.view.selection = kept->selection;
        context.view.middle_tab = kept->middle_tab;
        context.view.course = kept->course;
    }
    const std::string stem = std::filesystem::path(name).stem().string();
    if (exercises_.find(stem)) context.view.course = {}, context.view.course.exercise = stem;
    context.editor->open_own(context, fmt::format("{}_{}", stem, work->student), source);
    notify(context, say(context, "exercise.opened", work->student, work->time));
}

void Workbench::follow(Context& context) {
    verdict_.reset();
    const auto now = exercise(context.view);
    const auto kernel = work(context.session);
    if (now && kernel) verdict_ = grading_->verdict(now, kernel->source, kernel->path);
}

} // namespace ui
