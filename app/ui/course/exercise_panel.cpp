#include "ui/course/exercise_panel.h"

#include "exercise/verdict_words.h"
#include "ui/draw/grid.h"
#include "views/lines.h"

#include <fmt/format.h>

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
Sign sign(const Style& style, Standing standing) {
    switch (standing) {
    case Standing::passed: return {"exercise.sign_passed", style.colour.a};
    case Standing::failed: return {"exercise.sign_failed", style.colour.finding};
    case Standing::unknown: return {"exercise.sign_unknown", style.colour.store};
    case Standing::waiting: break;
    }
    return {"exercise.sign_waiting", style.colour.dim};
}

std::string rule_words(const Context& context, const Judged& judged) {
    std::string text = exercise::rule_text(judged, context.tr);
    if (judged.standing == Standing::passed && !judged.value) return text;
    if (!judged.got.empty()) text += fmt::format(": {}", exercise::got_text(judged, context.tr));
    if (judged.value) text += fmt::format(" ({})", context.tr(judged.wanted));
    return text;
}

void draw_first(Context& context, Column& column, const Judged& judged) {
    const Style& style = context.style;
    column.gap(1);
    if (judged.look && !judged.look->text.empty()) {
        const std::string place =
            judged.look->line > 0 ? say(context, "exercise.line", judged.look->line) + " " : std::string();
        column.words(style.text, style.colour.text, place + context.tr(judged.look->text), 5 * style.unit);
    }
    if (const std::string hint = exercise::hint_text(judged, context.tr); !hint.empty())
        column.words(style.text, style.colour.dim, fmt::format("{}: {}", context.tr("exercise.hint"), hint),
                     5 * style.unit);
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
        column.marked(context.tr(mark.text), mark.colour, dim ? style.colour.dim : style.colour.text,
                      rule_words(context, judged));
        if (&judged == first) draw_first(context, column, judged);
        column.gap(0.5f);
    }
}

void draw_footer(Context& context, bool work) {
    Column column(context);
    column.gap(1);
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
    const float footer =
        2 * (style.text->FontSize + 2 * style.unit) + 3 * style.unit; // always in sight, however long the text is
    ImGui::BeginChild("exercise", {0, -footer}, false, ImGuiWindowFlags_NoNav);
    Column column(context);
    column.words(style.heading, style.colour.text, context.tr(exercise->title));
    const auto work = context.workbench->work(context.session);
    if (now && now->passed()) column.words(style.heading, style.colour.a, context.tr("exercise.all_passed"));
    else if (verdict)
        column.words(style.text, style.colour.dim,
                     now ? say(context, "exercise.points", verdict->points(), verdict->most_points())
                         : std::string(context.tr("exercise.judging")));
    if (work != context.session.kernel() && column.link("exercise.back", context.tr("exercise.back")))
        context.workbench->come_back(context);
    column.gap(1);
    column.words(style.text, style.colour.text, joined_lines(context.tr(exercise->text)));
    if (verdict) draw_rules(context, column, *exercise, *verdict);
    column.end();
    ImGui::EndChild();
    draw_footer(context, work != nullptr);
}

} // namespace ui
