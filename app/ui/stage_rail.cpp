#include "ui/about.h"
#include "ui/classroom.h"
#include "ui/grid.h"
#include "ui/prose.h"
#include "ui/speed.h"
#include "ui/stage_parts.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// One number for the back row, what it was before in front of it, and what it counts below.
struct Poster {
    std::string before, now, label;
};

// "44.0" and "TFLOPS" of "44.0 TFLOPS".
std::pair<std::string, std::string> number_and_unit(const std::string& words) {
    const size_t blank = words.find(' ');
    return {words.substr(0, blank), blank == words.npos ? std::string() : words.substr(blank + 1)};
}

// The speed, and that of the rung below at the same size.
std::optional<Poster> speed_poster(const Context& context) {
    const auto now = speed_now(context);
    if (!now || !now->speed || now->speed->gflops <= 0) return std::nullopt;
    const auto [number, unit] = number_and_unit(gflops(now->speed->gflops));
    Poster poster{{}, number, unit};
    const Standing standing = standing_now(context);
    const auto below = context.session.catalog().beside(context.view.subject.kernel, -1);
    const auto before = below ? standing.gflops.find(below->id) : standing.gflops.end();
    if (before == standing.gflops.end() || standing.problem != now->size) return poster;
    if (const auto [old, old_unit] = number_and_unit(gflops(before->second)); old_unit == unit) poster.before = old;
    return poster;
}

std::optional<Poster> step_poster(const Context& context, const lesson::Step& step, const lesson::Told* told) {
    if (!told || !told->number) return std::nullopt;
    return Poster{told->before ? told->before->text : std::string(), told->number->text,
                  step.scene.label.in(context.view.language)};
}

// Returns the height.
float draw_poster(const Context& context, ImVec2 at, float width, const Poster& poster) {
    const Style& style = context.style;
    const Palette& colour = style.colour;
    float x = at.x;
    const float base = std::floor(at.y + style.poster->Ascent);
    if (!poster.before.empty()) {
        text(style.figure, {x, base - style.figure->Ascent}, colour.dim, poster.before);
        x += text_size(style.figure, poster.before).x + 2 * style.unit;
        const float middle = std::floor(base - style.figure->Ascent * 0.36f), length = 5 * style.unit,
                    half = 2 * style.unit;
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddLine({x, middle}, {x + length, middle}, colour.dim, style.unit);
        list->AddTriangleFilled({x + length, middle - half}, {x + length + 2 * half, middle},
                                {x + length, middle + half}, colour.dim);
        x += length + 2 * half + 2 * style.unit;
    }
    text(style.poster, {x, at.y}, colour.text, poster.now);
    const float label = poster.label.empty() ? 0
                                             : text_wrapped(style.text, {at.x, at.y + style.poster->FontSize}, width,
                                                            colour.dim, poster.label);
    return style.poster->FontSize + label;
}

// Lines below each other in a column that scrolls where they are too many.
class Column {
public:
    Column(Context& context, const char* id, const Rect& area) : context_(context) {
        ImGui::SetCursorScreenPos({area.x, area.y});
        ImGui::BeginChild(id, {area.width, area.height}, false, ImGuiWindowFlags_NoNav);
        at_ = ImGui::GetCursorScreenPos();
        top_ = at_.y;
        width_ = ImGui::GetContentRegionAvail().x;
    }
    ~Column() {
        ImGui::SetCursorScreenPos({at_.x, top_});
        ImGui::Dummy({width_, at_.y - top_});
        ImGui::EndChild();
    }
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;

    void say(const lesson::Prose& prose, ImFont* font, ImU32 ink) {
        advance(draw_prose(context_.style, font, at_, width_, ink, prose));
    }
    void say(std::string_view words, ImFont* font, ImU32 ink) { advance(text_wrapped(font, at_, width_, ink, words)); }
    void poster(const Poster& poster) { advance(draw_poster(context_, at_, width_, poster)); }
    void gap(float units) { at_.y += units * context_.style.unit; }

    // A line that can be chosen: its letter, what it says, and how it stands. Returns whether it was clicked.
    bool item(const std::string& name, const std::string& letter, const lesson::Prose& words, bool chosen, ImU32 ink) {
        const Style& style = context_.style;
        const float indent = 8 * style.unit, pad = style.unit;
        const float height = draw_prose(style, style.caption, {}, width_ - indent - pad, 0, words) + 2 * pad;
        const Rect box{at_.x, at_.y, width_, height};
        context_.probe.mark(name, box.x, box.y, box.width, box.height);
        const bool over = hovered(box);
        if (chosen || over) fill(box, mixed(style.colour.panel, style.colour.selection, chosen ? 0.35f : 0.12f));
        text(style.title, {box.x + 2 * style.unit, box.y + pad}, ink, letter);
        draw_prose(style, style.caption, {box.x + indent, box.y + pad}, width_ - indent - pad, ink, words);
        advance(height + style.unit);
        return clicked(box);
    }

    // A field that shows what was typed.
    void field(const std::string& typed, const std::string& hint) {
        const Style& style = context_.style;
        const Rect box{at_.x, at_.y, width_, style.figure->FontSize + 2 * style.unit};
        outline(box, style.colour.dim, std::max(style.unit / 2, 2.0f));
        if (typed.empty())
            text_cut(context_, style.text, {box.x + 2 * style.unit, box.y + 2.5f * style.unit},
                     box.width - 4 * style.unit, style.colour.dim, hint);
        else text(style.figure, {box.x + 2 * style.unit, box.y + style.unit}, style.colour.text, typed);
        advance(box.height);
    }

    void press(const char* name, const char* label, auto&& act) {
        ImGui::SetCursorScreenPos(at_);
        if (button(context_, name, label)) act();
        at_.y = ImGui::GetCursorScreenPos().y;
    }

private:
    void advance(float height) { at_.y += height; }

    Context& context_;
    ImVec2 at_{};
    float top_ = 0, width_ = 0;
};

// What the reader reads off the engine's answer.
std::string answer_text(const lesson::Question& question, const lesson::Answer& answer) {
    using Kind = lesson::Question::Kind;
    if (question.kind == Kind::number) return fmt::format("{:g}", answer.number);
    std::string words;
    for (const size_t item : answer.items)
        words += (words.empty() ? "" : ", ") + std::string(1, static_cast<char>('A' + item));
    if (question.kind == Kind::lane) words = lane_list(answer.lanes);
    return words;
}

void draw_items(Context& context, Column& column, const lesson::Question& question, const lesson::ToldQuestion& told) {
    Classroom& room = *context.classroom;
    const Prediction& prediction = room.prediction();
    for (size_t i = 0; i < told.items.size(); ++i) {
        const auto place = std::find(prediction.items.begin(), prediction.items.end(), i);
        const bool chosen = place != prediction.items.end();
        std::string letter(1, static_cast<char>('A' + i));
        if (question.kind == lesson::Question::Kind::order && chosen)
            letter = std::to_string(place - prediction.items.begin() + 1);
        const bool right = prediction.done() && question.kind == lesson::Question::Kind::choice &&
                           !told.answer.items.empty() && told.answer.items.front() == i;
        if (column.item(fmt::format("lesson.item.{}", i), letter, told.items[i].in(context.view.language),
                        chosen || right, context.style.colour.text))
            room.choose(context, i);
    }
}

void draw_question(Context& context, Column& column, const lesson::Question& question,
                   const lesson::ToldQuestion& told) {
    using Kind = lesson::Question::Kind;
    Classroom& room = *context.classroom;
    Prediction& prediction = room.prediction();
    const Style& style = context.style;
    const Palette& colour = style.colour;
    const session::Language language = context.view.language;
    column.say(told.title.in(language), style.title, colour.text);
    column.say(told.ask.in(language), style.caption, colour.text);
    column.gap(2);
    if (question.kind == Kind::number && !prediction.done())
        column.field(prediction.digits, context.tr("lesson.type_number"));
    if (question.kind == Kind::lane && !prediction.done())
        column.say(say(context, "lesson.click_lane", context.view.selection.lane), style.text, colour.dim);
    draw_items(context, column, question, told);
    column.gap(2);
    if (prediction.state == Prediction::State::wrong)
        column.say(context.tr("lesson.wrong"), style.title, colour.finding);
    if (!prediction.done())
        return column.press("lesson.commit",
                            context.tr(prediction.state == Prediction::State::wrong ? "lesson.tell" : "lesson.commit"),
                            [&] { room.commit(context); });
    const bool right = prediction.state == Prediction::State::right;
    column.say(say(context, right ? "lesson.right" : "lesson.answer", answer_text(question, told.answer)), style.title,
               right ? colour.a : colour.text);
    column.say(told.explanation.in(language), style.caption, colour.text);
}

// What the step says, its number unless that is what is asked, and its question.
void draw_step(Context& context, const lesson::Step& step, const Rect& area, bool wide) {
    Classroom& room = *context.classroom;
    const Style& style = context.style;
    const lesson::Told* told = room.told().get();
    const bool asks = step.question && told && told->question;
    const bool hidden = asks && !room.prediction().done();
    const float gap = 6 * style.unit;
    const Rect left{area.x, area.y, wide ? area.width * 0.55f - gap : area.width, area.height};
    const auto poster = hidden ? std::nullopt : step_poster(context, step, told);
    const auto rest = [&](Column& column) {
        if (poster) column.poster(*poster), column.gap(4);
        if (asks) draw_question(context, column, *step.question, *told->question);
    };
    {
        Column column(context, "caption", left);
        column.say((told ? told->text : step.text).in(context.view.language), style.caption, style.colour.text);
        column.gap(4);
        if (!wide) rest(column);
    }
    if (!wide) return;
    Column column(context, "question", {area.x + area.width * 0.55f, area.y, area.width * 0.45f, area.height});
    rest(column);
}

} // namespace

void draw_rail(Context& context, const Rect& area) {
    const Style& style = context.style;
    fill(area, mixed(style.colour.panel, style.colour.text, 0.04f));
    const float inset = 4 * style.unit;
    const Rect inner{area.x + inset, area.y + inset, area.width - 2 * inset, area.height - 2 * inset};
    context.probe.mark("stage.caption", inner.x, inner.y, inner.width, inner.height);
    const bool wide = area.width > 2 * area.height;
    const lesson::Step* step = context.classroom ? context.classroom->step(context.view) : nullptr;
    if (step) return draw_step(context, *step, inner, wide);
    const auto kernel = context.session.kernel();
    if (!kernel) return;
    const auto poster = speed_poster(context);
    const Rect left{inner.x, inner.y, wide ? inner.width * 0.6f - inset : inner.width, inner.height};
    {
        Column column(context, "caption", left);
        column.say(context.tr(kernel->idea), style.caption, style.colour.text);
        column.gap(3);
        column.say(context.tr(kernel->look.say), style.caption, style.colour.dim);
        column.gap(6);
        if (poster && !wide) column.poster(*poster), column.gap(6);
        if (!wide) column.say(about(context, context.view.stage.first), style.text, style.colour.dim);
    }
    if (poster && wide) draw_poster(context, {inner.x + inner.width * 0.6f, inner.y}, inner.width * 0.4f, *poster);
}

} // namespace ui
