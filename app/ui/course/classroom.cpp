#include "ui/course/classroom.h"

#include "catalog/tuned.h"
#include "ui/course/stage.h"
#include "ui/draw/notices.h"
#include "ui/key_press.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace ui {
namespace {

using Kind = lesson::Question::Kind;

// Whether a lesson's subject is what is set: parameters that it does not name have the values that the session gave them.
bool is_set(const session::Session& session, const session::Subject& wanted, session::Subject now) {
    const auto kernel = session.catalog().find(wanted.kernel);
    if (!kernel) return wanted == now;
    catalog::Values values = wanted.parameters.empty()
                                 ? catalog::default_values(*kernel, session.gpu().device, wanted.arch, wanted.problem)
                                 : catalog::initial_values(*kernel);
    for (const auto& [name, value] : wanted.parameters) values[name] = value;
    if (now.parameters == values) now.parameters = wanted.parameters;
    return wanted == now;
}

bool is_digit(int key) { return (key >= '0' && key <= '9') || key == '.' || key == '-'; }

} // namespace

void Classroom::open(lesson::Player::Options options, std::filesystem::path answers) {
    player_ = std::make_unique<lesson::Player>(std::move(options));
    answers_ = std::move(answers);
}

void Classroom::start_file(const std::filesystem::path& lesson) {
    if (!player_) return;
    player_->add(lesson);
    to_start_ = lesson.stem().string();
}

std::shared_ptr<const lesson::Lesson> Classroom::lesson(const session::View& view) const {
    if (!player_ || view.course.lesson.empty()) return nullptr;
    const auto found = player_->lessons().find(view.course.lesson);
    return found && view.course.step < found->steps.size() ? found : nullptr;
}

const lesson::Step* Classroom::step(const session::View& view) const {
    const auto found = lesson(view);
    return found ? &found->steps[view.course.step] : nullptr;
}

bool Classroom::asks(const session::View& view) const {
    const lesson::Step* now = step(view);
    return now && now->question && !prediction_.done();
}

bool Classroom::away(const session::Session& session) const {
    const session::View& view = session.view();
    const auto found = lesson(view);
    if (!found) return false;
    const session::View there = lesson::scene(*found, view.course.step, view);
    const auto& question = found->steps[view.course.step].question;
    const bool answered = question && prediction_.done() && is_set(session, question->subject, view.subject);
    return (!answered && !is_set(session, there.subject, view.subject)) || view.stage.first != there.stage.first ||
           view.stage.second != there.stage.second || view.selection.block != there.selection.block ||
           view.selection.warp != there.selection.warp;
}

void Classroom::show(Context& context, const lesson::Lesson& lesson, size_t step) {
    context.view = lesson::scene(lesson, step, context.view);
    context.chrome.focused_parameter.clear();
    arrived_ = false;
}

void Classroom::start(Context& context, const std::string& id) {
    const auto found = player_ ? player_->lessons().find(id) : nullptr;
    if (!found || found->steps.empty()) return;
    context.view.stage.shown = true;
    context.chrome.page = Page::none;
    show(context, *found, 0);
}

void Classroom::turn(Context& context, int direction) {
    const auto now = lesson(context.view);
    if (!now) return;
    const auto to = static_cast<int64_t>(context.view.course.step) + direction;
    if (to >= 0 && to < std::ssize(now->steps)) return show(context, *now, static_cast<size_t>(to));
    const auto& all = player_->lessons().lessons;
    const auto place = std::find(all.begin(), all.end(), now) - all.begin() + (to < 0 ? -1 : 1);
    if (place < 0 || place >= std::ssize(all))
        return notify(context, context.tr(to < 0 ? "lesson.first" : "lesson.last"));
    const auto& next = all[static_cast<size_t>(place)];
    show(context, *next, to < 0 ? next->steps.size() - 1 : 0);
}

void Classroom::come_back(Context& context) {
    if (const auto now = lesson(context.view)) {
        context.view.stage.shown = true;
        show(context, *now, context.view.course.step);
    }
}

void Classroom::follow(Context& context) {
    if (!to_start_.empty() && !player_->reading()) start(context, std::exchange(to_start_, {}));
    const auto now = lesson(context.view);
    context.chrome.lines_to_show = {};
    if (!now) return told_.reset();
    if (std::exchange(shown_, context.view.course) != context.view.course) {
        prediction_ = {};
        told_.reset();
        votes_.reset(), counted_.reset();
        class_shown_ = ClassShown::nothing;
    }
    const session::Subject& subject = context.session.view().subject;
    const session::Subject set = lesson::scene(*now, context.view.course.step, context.view).subject;
    // Of a step whose question is answered the view shows what was asked about; the text still tells of the step.
    const auto& question = step(context.view)->question;
    const bool asks_about = prediction_.done() && question && is_set(context.session, question->subject, subject);
    const bool here = is_set(context.session, set, subject);
    shows_asked_ = asks_about;
    told_ = player_->told(now, context.view.course.step, asks_about || here ? set : subject, context.session.catalog());
    if (asks_about || here) count_class(*now, now->steps[context.view.course.step]);
    if (told_ && here && told_->event == context.view.selection.event)
        context.chrome.lines_to_show = {told_->first_line, told_->last_line};
    using Face = session::Slot<session::BlockRun>::Face;
    if (arrived_ || !told_ || !here || context.session.products().block.face != Face::ready) return;
    arrived_ = true;
    context.view.selection.event = told_->event;
}

bool Classroom::takes(const Context& context, const KeyPress& press) const {
    const lesson::Step* now = step(context.view);
    if (!now || !now->question || !context.view.stage.shown || prediction_.done()) return false;
    if (press.key == GLFW_KEY_ENTER || press.key == GLFW_KEY_KP_ENTER) return true;
    const Kind kind = now->question->kind;
    if (kind == Kind::number)
        return press.modifiers == no_modifier &&
               (is_digit(press.key) || (press.key == GLFW_KEY_BACKSPACE && !prediction_.digits.empty()));
    if (kind != Kind::choice && kind != Kind::order) return false;
    if (press.key == GLFW_KEY_BACKSPACE) return !prediction_.items.empty();
    const int letter = press.key - 'A';
    return (press.modifiers & (with_control | with_alt)) == 0 && letter >= 0 &&
           letter < std::ssize(now->question->items);
}

void Classroom::take(Context& context, const KeyPress& press) {
    if (press.key == GLFW_KEY_ENTER || press.key == GLFW_KEY_KP_ENTER) return commit(context);
    const bool number = step(context.view)->question->kind == Kind::number;
    if (press.key == GLFW_KEY_BACKSPACE) {
        if (number && !prediction_.digits.empty()) prediction_.digits.pop_back();
        if (!number && !prediction_.items.empty()) prediction_.items.pop_back();
    } else if (number) {
        if (prediction_.digits.size() < 12) prediction_.digits.push_back(static_cast<char>(press.key));
    } else {
        choose(context, static_cast<size_t>(press.key - 'A'));
    }
    if (prediction_.state == Prediction::State::wrong) prediction_.state = Prediction::State::open;
}

void Classroom::choose(Context& context, size_t item) {
    const lesson::Step* now = step(context.view);
    if (!now || !now->question || prediction_.done() || item >= now->question->items.size()) return;
    prediction_.state = Prediction::State::open;
    std::vector<size_t>& items = prediction_.items;
    if (now->question->kind == Kind::choice) items = {item};
    else if (const auto place = std::find(items.begin(), items.end(), item); place != items.end())
        items.erase(place, items.end());
    else items.push_back(item);
}

// Nothing: the reader has not said anything yet, or not all.
std::optional<lesson::Answer> Classroom::given(const Context& context, const lesson::Question& question) const {
    lesson::Answer answer;
    switch (question.kind) {
    case Kind::number: {
        const std::string& digits = prediction_.digits;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), answer.number);
        if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
        return answer;
    }
    case Kind::choice:
    case Kind::order:
        if (prediction_.items.size() != (question.kind == Kind::choice ? 1 : question.items.size()))
            return std::nullopt;
        answer.items = prediction_.items;
        return answer;
    case Kind::lane: answer.lanes = 1u << context.view.selection.lane; return answer;
    case Kind::curve:
        if (!told_ || !told_->question || prediction_.curve.size() < told_->question->answer.curve.size())
            return std::nullopt;
        answer.curve = prediction_.curve;
        return answer;
    }
    return std::nullopt;
}

void Classroom::commit(Context& context) {
    const auto now = lesson(context.view);
    const lesson::Step* step = this->step(context.view);
    if (!now || !step || !step->question || !told_ || !told_->question || prediction_.done()) return;
    if (prediction_.state == Prediction::State::wrong) return give_up(context);
    const lesson::Question& question = *step->question;
    const bool of_readers_own = question.follow && told_->subject != step->scene.subject;
    const session::Subject& about = of_readers_own ? told_->subject : question.subject;
    const auto answer = given(context, question);
    if (!answer) return notify(context, context.tr("lesson.predict_first"));
    const bool right = lesson::is_right(question, told_->question->answer, *answer);
    if (!answers_.empty()) {
        const lesson::Given given{now->id, step->id,           about.parameters, *answer,
                                  right,   lesson::time_now(), question.kind,    about.kernel};
        if (const base::Status kept = lesson::append(answers_, given); !kept) notify(context, context.tr(kept.error()));
    }
    if (right) reveal(context, Prediction::State::right);
    else prediction_.state = Prediction::State::wrong;
}

void Classroom::give_up(Context& context) {
    const lesson::Step* now = step(context.view);
    if (now && now->question && told_ && told_->question && !prediction_.done())
        reveal(context, Prediction::State::told);
}

// The view shows what was asked about.
void Classroom::reveal(Context& context, Prediction::State state) {
    prediction_.state = state;
    const lesson::Question& question = *step(context.view)->question;
    if (question.follow || is_set(context.session, question.subject, context.view.subject)) return;
    context.view.subject = question.subject;
    context.view.selection.event = 0;
}

void Classroom::take_class(lesson::ClassFiles files) {
    class_ = std::move(files.students);
    votes_.reset(), counted_.reset();
    class_shown_ = ClassShown::nothing;
}

void Classroom::count_class(const lesson::Lesson& lesson, const lesson::Step& step) {
    if (class_.empty() || !step.question) return;
    if (!told_ || !told_->question) return;
    if (std::exchange(counted_, told_) == told_) return;
    votes_ = lesson::votes(class_, lesson.id, step, *told_->question);
}

void Classroom::show_class(Context& context) {
    const lesson::Step* now = step(context.view);
    if (class_.empty()) return notify(context, context.tr("lesson.no_class"));
    if (!now || !now->question || !context.view.stage.shown) return notify(context, context.tr("lesson.class_asks"));
    if (class_shown_ == ClassShown::nothing)
        class_shown_ = prediction_.done() ? ClassShown::right_answer : ClassShown::answers;
    else if (class_shown_ == ClassShown::answers) class_shown_ = ClassShown::right_answer;
    else class_shown_ = ClassShown::nothing;
}

lesson::Player::Options lesson_places(const std::filesystem::path& assets,
                                      const std::vector<std::filesystem::path>& folders, std::function<void()> wake) {
    lesson::Player::Options options;
    options.lessons = {assets / "lessons"};
    options.lessons.insert(options.lessons.end(), folders.begin(), folders.end());
    options.watch = wake != nullptr;
    options.assets = assets;
    options.wake = std::move(wake);
    return options;
}

} // namespace ui
