#include "ui/course/exercise_panel.h"

#include "exercise/verdict_words.h"
#include "ui/draw/grid.h"
#include "views/lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace ui {
namespace {

using exercise::Judged;
using exercise::Verdict;
using Standing = exercise::Judged::Standing;

// From top to bottom, each as high as its words.
class Column {
public:
    explicit Column(Context& context)
        : context_(context), style_(context.style), area_(free_area()), y_(area_.y),
          width_(area_.width - 3 * style_.unit) {}

    void words(ImFont* font, ImU32 colour, const std::string& text, float indent = 0) {
        y_ += text_wrapped(font, {area_.x + indent, y_}, width_ - indent, colour, text);
    }
    void gap(float units) { y_ += units * style_.unit; }
    // A sign in front of words, which keep their margin.
    void marked(const char* sign, ImU32 sign_colour, ImU32 colour, const std::string& text) {
        ui::text(style_.text, {area_.x, y_}, sign_colour, sign);
        words(style_.text, colour, text, 5 * style_.unit);
    }
    // Something to click; returns whether it was.
    bool link(const char* name, const std::string& label) {
        const ImVec2 size = text_size(style_.text, label);
        const Rect box{area_.x, y_, std::min(size.x + 4 * style_.unit, width_), size.y + 2 * style_.unit};
        fill(box, mixed(style_.colour.panel, style_.colour.text, hovered(box) ? 0.18f : 0.09f));
        text_cut(context_, style_.text, {box.x + 2 * style_.unit, box.y + style_.unit}, box.width - 3 * style_.unit,
                 style_.colour.text, label);
        context_.probe.mark(name, box.x, box.y, box.width, box.height);
        y_ += box.height;
        return clicked(box);
    }
    float y() const { return y_; }
    const Rect& area() const { return area_; }
    float width() const { return width_; }
    void end() const { ImGui::Dummy({area_.width, std::max(y_ - area_.y, 1.0f)}); }

private:
    Context& context_;
    const Style& style_;
    Rect area_;
    float y_, width_;
};

struct Sign {
    const char* text;
    ImU32 colour;
};
ImU32 ink(const Style& style, ImU32 hue) { return legible(hue, style.colour.panel, style.colour.text); }
Sign sign(const Style& style, Standing standing) {
    switch (standing) {
    case Standing::passed: return {"exercise.sign_passed", ink(style, style.colour.a)};
    case Standing::failed: return {"exercise.sign_failed", style.colour.alarm};
    case Standing::unknown: return {"exercise.sign_unknown", style.colour.dim};
    case Standing::waiting: break;
    }
    return {"exercise.sign_waiting", style.colour.dim};
}

// "counted: 65,536; wanted: at most 10,922", or what a check found; empty: nothing yet.
std::string got_words(const Context& context, const Judged& judged) {
    if (judged.value)
        return say(context, "exercise.counted", exercise::got_text(judged, context.tr), context.tr(judged.wanted));
    const bool told_again = judged.look && judged.look->text == judged.got; // as a compiler's error, with its line
    if (judged.standing == Standing::passed || judged.got.empty() || told_again) return {};
    return exercise::got_text(judged, context.tr);
}

void draw_first(Context& context, Column& column, const Judged& judged) {
    const Style& style = context.style;
    column.gap(1);
    if (judged.look && !judged.look->text.empty()) {
        const std::string text = context.tr(judged.look->text);
        column.words(style.text, style.colour.text,
                     judged.look->line > 0 ? say(context, "exercise.line", judged.look->line, text) : text,
                     5 * style.unit);
    }
    if (const std::string hint = exercise::hint_text(judged, context.tr); !hint.empty())
        column.words(style.text, style.colour.dim, say(context, "exercise.hint", hint), 5 * style.unit);
    column.gap(1);
    if (judged.look && judged.look->size && column.link("exercise.see", context.tr("exercise.see_here")))
        context.workbench->show(context, *judged.look);
    column.gap(1);
}

void draw_rules(Context& context, Column& column, const exercise::Exercise& exercise, const Verdict& verdict) {
    const Style& style = context.style;
    const Judged* const first = verdict.first();
    const Judged* before = nullptr;
    for (const Judged& judged : verdict.rules) {
        if (judged.rule && (!before || !before->rule || before->step != judged.step)) {
            column.gap(2);
            column.words(style.heading, style.colour.text,
                         fmt::format("{}  {}", judged.step + 1, context.tr(exercise.steps[judged.step].title)));
        }
        before = &judged;
        if (!judged.rule && judged.standing == Standing::passed) continue; // that it compiles goes without saying
        const Sign mark = sign(style, judged.standing);
        const bool dim = judged.standing == Standing::passed || judged.standing == Standing::waiting;
        const ImU32 ink = dim ? style.colour.dim : style.colour.text;
        if (&judged == first && context.workbench->take_news()) ImGui::SetScrollY(column.y() - column.area().y);
        column.marked(context.tr(mark.text), mark.colour, ink, exercise::rule_text(judged, context.tr));
        if (const std::string got = got_words(context, judged); !got.empty())
            column.words(style.text, ink, got, 5 * style.unit);
        if (&judged == first) draw_first(context, column, judged);
        column.gap(0.5f);
    }
}

// On the path; nullptr: it is the last one.
std::shared_ptr<const exercise::Exercise> next_after(const Context& context, const exercise::Exercise& one) {
    const auto& all = context.workbench->exercises()->exercises;
    const auto is_it = [&](const auto& other) { return other->id == one.id; };
    const auto found = std::find_if(all.begin(), all.end(), is_it);
    return found == all.end() || found + 1 == all.end() ? nullptr : *(found + 1);
}

// Title and standing, in sight wherever the rest is scrolled to.
void draw_head(Context& context, const exercise::Exercise& exercise, const Verdict* now, bool judged_before) {
    const Style& style = context.style;
    Column column(context);
    column.words(style.heading, style.colour.text, context.tr(exercise.title));
    if (now && now->passed())
        column.words(style.heading, ink(style, style.colour.a), context.tr("exercise.all_passed"));
    else if (now)
        column.words(style.text, style.colour.dim, say(context, "exercise.points", now->points(), now->most_points()));
    else if (judged_before) column.words(style.text, style.colour.dim, context.tr("exercise.judging"));
    column.gap(1);
    column.end();
}

constexpr float footer_lines = 2; // and one more where there is a next exercise to go to

void draw_footer(Context& context, bool work, const exercise::Exercise* next) {
    Column column(context);
    column.gap(1);
    if (next && column.link("exercise.next", say(context, "exercise.next", context.tr(next->title))))
        return context.workbench->start(context, next->id);
    if (next) column.gap(1);
    if (work && column.link("exercise.hand_in", say(context, "exercise.hand_in", context.workbench->student())))
        context.workbench->hand_in(context);
    column.gap(1);
    if (column.link("exercise.leave", context.tr("exercise.leave"))) context.workbench->leave(context);
    column.end();
}

} // namespace

bool has_exercise(const Context& context) {
    return context.workbench && context.workbench->exercise(context.view) != nullptr;
}

void draw_exercise(Context& context) {
    const auto exercise = context.workbench->exercise(context.view);
    if (!exercise) return;
    const Style& style = context.style;
    const auto& now = context.workbench->verdict();
    const auto verdict = now ? now : context.workbench->last(context.view);
    draw_head(context, *exercise, now.get(), verdict != nullptr);
    const auto next = now && now->passed() ? next_after(context, *exercise) : nullptr;
    const float footer = (footer_lines + (next ? 1 : 0)) * (style.text->FontSize + 3 * style.unit) + style.unit;
    ImGui::BeginChild("exercise", {0, -footer}, false, ImGuiWindowFlags_NoNav);
    Column column(context);
    const auto work = context.workbench->work(context.session);
    if (work != context.session.kernel() && column.link("exercise.back", context.tr("exercise.back")))
        context.workbench->come_back(context);
    column.gap(1);
    column.words(style.text, style.colour.text, joined_lines(context.tr(exercise->text)));
    if (verdict) draw_rules(context, column, *exercise, *verdict);
    column.end();
    ImGui::EndChild();
    draw_footer(context, work != nullptr, next.get());
}

} // namespace ui
