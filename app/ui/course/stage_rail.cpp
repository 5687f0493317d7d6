#include "lesson/formula.h"
#include "ui/course/classroom.h"
#include "ui/course/stage_parts.h"
#include "ui/draw/grid.h"
#include "ui/draw/prose.h"
#include "ui/speed/speed.h"

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
    const Standing& standing = standing_now(context);
    const auto below = context.session.catalog().beside(context.view.subject.kernel, -1);
    const auto before = below ? standing.gflops.find(below->id) : standing.gflops.end();
    if (before == standing.gflops.end() || standing.problem != now->size) return poster;
    if (const auto [old, old_unit] = number_and_unit(gflops(before->second)); old_unit == unit) poster.before = old;
    return poster;
}

// Of what the picture shows: the step, or what its question asked about.
std::optional<Poster> step_poster(const Context& context, const lesson::Step& step, const lesson::Told* told) {
    if (!told) return std::nullopt;
    const bool of_question = told->question && context.classroom->shows_what_was_asked();
    const auto& number = of_question ? told->question->number : told->number;
    if (!number) return std::nullopt;
    return Poster{told->before ? told->before->text : std::string(), number->text,
                  step.scene.label.in(context.tr.language())};
}

// Returns the height.
float draw_poster(const Context& context, ImVec2 at, float width, const Poster& poster) {
    const Style& style = context.style;
    const Palette& colour = style.colour;
    float x = at.x;
    const float base = std::floor(at.y + style.poster->Ascent);
    const float arrow = 13 * style.unit;
    const bool fits = text_size(style.figure, poster.before).x + arrow + text_size(style.poster, poster.now).x <= width;
    if (!poster.before.empty() && fits) {
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
    ImFont* const large = x + text_size(style.poster, poster.now).x <= at.x + width ? style.poster : style.figure;
    text(large, {x, base - large->Ascent}, colour.text, poster.now);
    std::string words = poster.label;
    if (!poster.before.empty() && !fits) words += "\n" + say(context, "lesson.before", poster.before);
    const float label =
        words.empty() ? 0 : text_wrapped(style.text, {at.x, at.y + style.poster->FontSize}, width, colour.dim, words);
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

    // A place of that height; the lines that follow stand below it.
    Rect place(float height) {
        const Rect box{at_.x, at_.y, width_, height};
        advance(height);
        return box;
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
    if (question.kind != Kind::lane) return words;
    for (const char c : lane_list(answer.lanes))
        words += c == ',' ? std::string(", ") : std::string(1, c); // to be wrapped
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
        if (column.item(fmt::format("lesson.item.{}", i), letter, told.items[i].in(context.tr.language()),
                        chosen || right, context.style.colour.text))
            room.choose(context, i);
    }
}

// Speed, or whatever is asked for, over the parameter's values: the reader draws a line, and the engine's lies over it afterwards.
void draw_curve(Context& context, const Rect& area, const lesson::Question& question, const lesson::Answer& truth) {
    using Point = lesson::Answer::Point;
    const Style& style = context.style;
    Prediction& prediction = context.classroom->prediction();
    if (truth.curve.size() < 2) return;
    const float line = style.text->FontSize, pad = 3 * style.unit;
    const Rect data{area.x + pad, area.y + line, area.width - 2 * pad, area.height - 2.5f * line};
    double most = 0;
    for (const Point& point : truth.curve) most = std::max(most, point.y);
    most *= 1.3; // the top says nothing of the answer
    const auto at = [&](size_t i, double y) {
        const float share = static_cast<float>(i) / static_cast<float>(truth.curve.size() - 1);
        return ImVec2{data.x + share * data.width, data.bottom() - static_cast<float>(y / most) * data.height};
    };
    fill(data, style.colour.background);
    text(style.text, {area.x, area.y}, style.colour.dim, say(context, "lesson.curve_top", fmt::format("{:.2g}", most)));
    text_centred(style.text, {area.x, data.bottom() + line, area.width, line / 2}, style.colour.dim, question.over);
    std::vector<ImVec2> drawn, real;
    for (size_t i = 0; i < truth.curve.size(); ++i) {
        const int x = truth.curve[i].x;
        const std::string words = std::to_string(x);
        text(style.text, {at(i, 0).x - text_size(style.text, words).x / 2, data.bottom()}, style.colour.dim, words);
        real.push_back(at(i, truth.curve[i].y));
        const auto known =
            std::find_if(prediction.curve.begin(), prediction.curve.end(), [&](const Point& p) { return p.x == x; });
        if (known != prediction.curve.end()) drawn.push_back(at(i, known->y));
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float thick = std::max(0.75f * style.unit, 2.0f);
    const auto draw = [&](const std::vector<ImVec2>& points, ImU32 ink) {
        list->AddPolyline(points.data(), static_cast<int>(points.size()), ink, 0, thick);
        for (const ImVec2& point : points) list->AddCircleFilled(point, 1.5f * thick, ink);
    };
    draw(drawn, style.colour.selection);
    if (prediction.done()) return draw(real, style.colour.text);

    context.probe.mark("lesson.curve", data.x, data.y, data.width, data.height);
    ImGui::SetCursorScreenPos({data.x - pad, data.y});
    ImGui::InvisibleButton("curve", {data.width + 2 * pad, data.height});
    if (!ImGui::IsItemActive()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float share = std::clamp((mouse.x - data.x) / data.width, 0.0f, 1.0f);
    const int x = truth.curve[static_cast<size_t>(std::lround(share * static_cast<float>(truth.curve.size() - 1)))].x;
    const double y = most * std::clamp((data.bottom() - mouse.y) / data.height, 0.0f, 1.0f);
    const auto behind =
        std::find_if(prediction.curve.begin(), prediction.curve.end(), [&](const Point& p) { return p.x >= x; });
    if (behind != prediction.curve.end() && behind->x == x) behind->y = y;
    else prediction.curve.insert(behind, {x, y});
    prediction.state = Prediction::State::open;
}

void draw_question(Context& context, Column& column, const lesson::Question& question,
                   const lesson::ToldQuestion& told) {
    using Kind = lesson::Question::Kind;
    Classroom& room = *context.classroom;
    Prediction& prediction = room.prediction();
    const Style& style = context.style;
    const Palette& colour = style.colour;
    const session::Language language = context.tr.language();
    column.say(told.title.in(language), style.title, colour.text);
    column.say(told.ask.in(language), style.caption, colour.text);
    column.gap(2);
    if (question.kind == Kind::number && !prediction.done())
        column.field(prediction.digits, context.tr("lesson.type_number"));
    if (question.kind == Kind::lane && !prediction.done())
        column.say(say(context, "lesson.click_lane", context.view.selection.lane), style.text, colour.dim);
    if (question.kind == Kind::curve) {
        if (!prediction.done()) column.say(context.tr("lesson.draw_curve"), style.text, colour.dim);
        draw_curve(context, column.place(9 * style.text->FontSize), question, told.answer);
    }
    draw_items(context, column, question, told);
    column.gap(2);
    if (prediction.state == Prediction::State::wrong) column.say(context.tr("lesson.wrong"), style.title, colour.alarm);
    const auto offer_class = [&] {
        if (room.students() == 0) return;
        column.gap(2);
        column.press("lesson.class", context.tr("lesson.class"), [&] { room.show_class(context); });
    };
    if (!prediction.done()) {
        column.press("lesson.commit",
                     context.tr(prediction.state == Prediction::State::wrong ? "lesson.tell" : "lesson.commit"),
                     [&] { room.commit(context); });
        return offer_class();
    }
    const bool right = prediction.state == Prediction::State::right;
    if (question.kind != Kind::curve)
        column.say(say(context, right ? "lesson.right" : "lesson.answer", answer_text(question, told.answer)),
                   style.title,
                   right ? legible(colour.a, mixed(colour.panel, colour.text, 0.04f), colour.text) : colour.text);
    else
        column.say(context.tr(right                                       ? "lesson.curve_right"
                              : lesson::is_measured(question.answer.text) ? "lesson.curve_measured"
                                                                          : "lesson.curve_counted"),
                   style.title,
                   right ? legible(colour.a, mixed(colour.panel, colour.text, 0.04f), colour.text) : colour.text);
    column.say(told.explanation.in(language), style.caption, colour.text);
    offer_class();
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
        const bool explained = asks && !hidden && !wide; // the explanation needs the room
        if (!explained) {
            column.say((told ? told->text : step.text).in(context.tr.language()), style.caption, style.colour.text);
            column.gap(4);
        }
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
