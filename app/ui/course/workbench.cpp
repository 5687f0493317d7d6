#include "ui/course/workbench.h"

#include "exercise/hand_in.h"
#include "ui/code/editor.h"
#include "ui/code/findings.h"
#include "ui/course/stage.h"
#include "ui/draw/grid.h"
#include "ui/draw/notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ui {

namespace {

// The finding that the verdict tells.
const trace::Finding* finding_of(const exercise::Verdict& verdict, const exercise::Look& look) {
    const auto& all = verdict.findings;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.text == look.text; });
    return found == all.end() ? nullptr : &*found;
}

// Times and students' numbers may hold what a file's name may not.
std::string file_name(std::string text) {
    const auto is_bad = [](unsigned char c) { return c < 0x80 && !std::isalnum(c) && c != '-' && c != '_'; };
    std::replace_if(text.begin(), text.end(), is_bad, '-');
    return text;
}

// For the text and for whoever writes: no speed is graded, so the plot makes room.
void make_room(session::Layout& layout) {
    layout.code_panel = layout.ladder = true;
    layout.plot = false;
    layout.left = std::max(layout.left, 0.2f);
    layout.right = std::max(layout.right, 0.4f);
}

} // namespace

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

void Workbench::enter(Context& context, const std::string& id) {
    if (!exercise(context.view)) layout_before_ = context.view.layout;
    context.view.course = {};
    context.view.course.exercise = id;
    make_room(context.view.layout);
    seen_of_.clear();
}

void Workbench::start(Context& context, const std::string& id) {
    const auto found = exercises_.find(id);
    if (!found || !context.editor) return;
    enter(context, id);
    leave_stage(context.view);
    for (const exercise::Step& step : found->steps) // the last one says most about the kernel
        for (const exercise::Rule& rule : step.rules)
            if (const PanelRow* row = find_panel(rule.view)) row->prepare(context.view);
    context.chrome.page = Page::none;
    context.editor->open_own(context, id, found->starter->source, Editor::Keys::take);
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

void Workbench::leave(Context& context) {
    context.view.course.exercise.clear();
    if (layout_before_) context.view.layout = *std::exchange(layout_before_, {});
    else context.view.layout.plot = true;
}

void Workbench::show(Context& context, const exercise::Look& look) {
    session::View& view = context.view;
    come_back(context);
    if (look.size) view.subject.problem = *look.size;
    if (const auto kernel = work(context.session))
        if (const auto all = catalog::with(*kernel, look.parameters)) view.subject.parameters = *all;
    view.subject.alpha = look.alpha, view.subject.beta = look.beta;
    view.subject.schedule = look.schedule, view.subject.seed = look.seed;
    view.layout.map_panel = view.layout.banks = view.layout.numbers = view.layout.code_panel = true;
    view.code_tab = session::CodeTab::source;
    view.table = false;
    if (const PanelRow* row = find_panel(look.view)) row->prepare(view);
    view.result_field = session::ResultField::error; // where C is wrong, not what it holds
    const trace::Finding* found = verdict_ ? finding_of(*verdict_, look) : nullptr;
    if (found) jump(context, {*found});
    else if (look.step) jump(context, {*look.step});
    if (context.editor) context.editor->point_at(look.file, look.line);
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
    const auto file = places_.hand_ins / (file_name(fmt::format("{}-{}", now->id, one.time)) + ".gemm");
    if (done) done = exercise::write_hand_in(file, one);
    if (!done) return notify(context, context.tr(done.error()));
    ImGui::SetClipboardText(file.string().c_str()); // the folder is one that dialogs hide
    notify(context, say(context, "exercise.handed_in", file.string()));
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
    if (exercises_.find(stem)) enter(context, stem);
    context.editor->open_own(context, file_name(fmt::format("{}_{}_{}", stem, work->student, work->time)), source,
                             Editor::Keys::stay);
    notify(context, say(context, "exercise.opened", work->student, work->time));
}

void Workbench::follow(Context& context) {
    verdict_.reset();
    const auto now = exercise(context.view);
    const auto kernel = work(context.session);
    if (now && kernel) verdict_ = grading_->verdict(now, kernel->source, kernel->path);
    if (!verdict_ || verdict_ == seen_) return;
    news_ = seen_of_ == now->id; // before it there is the text to be read
    seen_ = verdict_, seen_of_ = now->id;
}

} // namespace ui
