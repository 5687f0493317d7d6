#include "ui/course/workbench.h"

#include "ui/course/stage.h"
#include "ui/draw/notices.h"

namespace ui {

void Workbench::open(const std::vector<std::filesystem::path>& folders, session::OwnKernels own,
                     std::function<void()> wake) {
    exercises_ = exercise::load(folders);
    own_.emplace(std::move(own));
    grading_ = std::make_unique<exercise::Grading>(std::move(wake));
}

std::shared_ptr<const exercise::Exercise> Workbench::exercise(const session::View& view) const {
    return view.course.exercise.empty() ? nullptr : exercises_.find(view.course.exercise);
}

std::shared_ptr<const catalog::Kernel> Workbench::work(const session::Session& session) const {
    const auto now = exercise(session.view());
    return now ? session.catalog().find(now->id) : nullptr;
}

std::shared_ptr<const exercise::Verdict> Workbench::last(const session::View& view) const {
    const auto now = exercise(view);
    return now ? grading_->last(*now) : nullptr;
}

void Workbench::start(Context& context, const std::string& id) {
    const auto found = exercises_.find(id);
    if (!found || !own_) return;
    const auto file = own_->start(id, found->starter->source);
    if (!file) return notify(context, context.tr(file.error()));
    context.view.course.exercise = id;
    context.view.course.lesson.clear();
    context.view.layout.code_panel = context.view.layout.ladder = true;
    context.view.code_tab = session::CodeTab::source;
    leave_stage(context.view);
    for (const exercise::Step& step : found->steps) // the last one says most about the kernel
        for (const exercise::Rule& rule : step.rules)
            if (const PanelRow* row = find_panel(rule.view)) row->prepare(context.view);
    context.chrome.page = Page::none;
    context.commands.open = {*file};
}

void Workbench::come_back(Context& context) {
    const auto now = exercise(context.view);
    if (!now) return;
    if (!context.session.catalog().find(now->id)) return start(context, now->id);
    context.view.subject.kernel = now->id;
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

void Workbench::follow(Context& context) {
    verdict_.reset();
    const auto now = exercise(context.view);
    const auto kernel = work(context.session);
    if (now && kernel) verdict_ = grading_->verdict(now, kernel->source, kernel->path);
}

} // namespace ui
