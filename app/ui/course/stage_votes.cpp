// What the class answered, over the stage's views: bars that the back row tells apart. Which is right is told a key later.
#include "lesson/prose.h"
#include "ui/course/classroom.h"
#include "ui/course/stage_parts.h"
#include "ui/draw/grid.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using lesson::Votes;
using Kind = lesson::Question::Kind;

struct Poll { // what is drawn, and how
    const lesson::Question& question;
    const lesson::ToldQuestion& told;
    const Votes& votes;
    bool tells; // which is right
    size_t most() const {
        size_t most = 1;
        for (const Votes::Bar& bar : votes.bars) most = std::max(most, bar.students);
        return most;
    }
};

ImU32 bar_colour(const Context& context, const Poll& poll, const Votes::Bar& bar) {
    const Palette& colour = context.style.colour;
    return poll.tells && bar.right ? colour.a : mixed(colour.panel, colour.text, 0.5f);
}

// A tick, whose font may have none.
void draw_tick(const Style& style, ImVec2 middle, ImU32 ink) {
    const float size = style.caption->FontSize / 3;
    const ImVec2 points[]{{middle.x - size, middle.y},
                          {middle.x - size / 3, middle.y + size * 0.7f},
                          {middle.x + size, middle.y - size * 0.8f}};
    ImGui::GetWindowDrawList()->AddPolyline(points, 3, ink, 0, std::max(style.unit, 3.0f));
}

std::string label_of(const Context& context, const Poll& poll, size_t i) {
    const Votes::Bar& bar = poll.votes.bars[i];
    if (bar.answer.empty()) return context.tr("lesson.class_others");
    if (poll.question.kind == Kind::curve) return context.tr(bar.right ? "lesson.class_close" : "lesson.class_off");
    if (poll.question.kind != Kind::choice || i >= poll.told.items.size()) return bar.answer;
    return bar.answer + "  " + lesson::plain_text(poll.told.items[i].in(context.tr.language()), " ");
}

// A row for each answer but for one that nobody gave and that is there because it is right: it would tell.
std::vector<size_t> rows_of(const Poll& poll) {
    std::vector<size_t> rows;
    const bool lists_all = poll.tells || poll.question.kind == Kind::choice;
    for (size_t i = 0; i < poll.votes.bars.size(); ++i)
        if (lists_all || poll.votes.bars[i].students > 0) rows.push_back(i);
    return rows;
}

// How many gave the answer stands behind its bar.
void draw_rows(Context& context, const Rect& area, const Poll& poll) {
    const Style& style = context.style;
    const std::vector<Votes::Bar>& bars = poll.votes.bars;
    const std::vector<size_t> rows = rows_of(poll);
    ImFont* const font = style.caption;
    const float tick = font->FontSize * 1.2f, count = text_size(font, "0000").x, gap = 3 * style.unit;
    float widest = 0;
    for (const size_t i : rows) widest = std::max(widest, text_size(font, label_of(context, poll, i)).x + style.unit);
    const float labels = std::min(widest, area.width * 0.5f), left = area.x + tick + labels + gap;
    const float room = area.right() - left - count;
    const float height =
        std::min(area.height / static_cast<float>(std::max<size_t>(rows.size(), 1)), 2.5f * font->FontSize);
    float y = area.y - height;
    for (const size_t i : rows) {
        y += height;
        const float line = y + std::floor((height - font->FontSize) / 2);
        const bool right = poll.tells && bars[i].right;
        if (right) draw_tick(style, {area.x + tick / 2, y + height / 2}, style.colour.a);
        text_cut(context, font, {area.x + tick, line}, labels, style.colour.text, label_of(context, poll, i));
        const float length = room * static_cast<float>(bars[i].students) / static_cast<float>(poll.most());
        const Rect bar{left, y + height * 0.15f, std::max(length, style.unit / 2), height * 0.7f};
        fill(bar, bar_colour(context, poll, bars[i]));
        text(font, {bar.right() + gap, line}, style.colour.text, std::to_string(bars[i].students));
        context.probe.mark("class.bar." + std::to_string(i), bar.x, bar.y, bar.width, bar.height);
    }
}

// A column for each lane, and below it whether it is right.
void draw_lanes(Context& context, const Rect& area, const Poll& poll) {
    const Style& style = context.style;
    const std::vector<Votes::Bar>& bars = poll.votes.bars;
    const float line = style.text->FontSize, foot = 2 * line, top = area.y + line;
    const float width = area.width / static_cast<float>(std::max<size_t>(bars.size(), 1));
    const Rect data{area.x, top, area.width, area.bottom() - foot - top};
    fill({data.x, data.bottom(), data.width, std::max(style.unit / 2, 2.0f)}, style.colour.line);
    for (size_t i = 0; i < bars.size(); ++i) {
        const float x = data.x + static_cast<float>(i) * width;
        const float height = data.height * static_cast<float>(bars[i].students) / static_cast<float>(poll.most());
        const ImU32 ink = bar_colour(context, poll, bars[i]);
        const Rect bar{x + width * 0.12f, data.bottom() - height, width * 0.76f, height};
        fill(bar, ink);
        context.probe.mark("class.bar." + std::to_string(i), bar.x, bar.y, bar.width, bar.height);
        if (bars[i].students > 0)
            text_centred(style.text, {x, bar.y - line, width, line}, style.colour.text,
                         std::to_string(bars[i].students));
        if (poll.tells && bars[i].right) fill({bar.x, data.bottom() + line / 4, bar.width, line / 2}, ink);
        if (i % 4 == 0)
            text_centred(style.text, {x, area.bottom() - line, width, line}, style.colour.dim, bars[i].answer);
    }
    text_right(style.text, {area.right(), area.bottom() - line}, style.colour.dim, "lane");
}

// Every student's line, thin; the engine's over them where it is told, and how many were close to it.
void draw_curves(Context& context, const Rect& area, const Poll& poll) {
    using Point = lesson::Answer::Point;
    const Style& style = context.style;
    const std::vector<Point>& truth = poll.told.answer.curve;
    if (truth.size() < 2) return draw_rows(context, area, poll);
    const float rows = poll.tells ? 4 * style.caption->FontSize : 0, line = style.text->FontSize, pad = 4 * style.unit;
    const Rect data{area.x + pad, area.y, area.width - 2 * pad, area.height - rows - 1.5f * line};
    double most = 0;
    for (const Point& point : truth) most = std::max(most, point.y);
    most *= 1.3; // as where it is drawn
    fill(data, style.colour.background);
    const auto at = [&](size_t i, double y) {
        const float share = static_cast<float>(i) / static_cast<float>(truth.size() - 1);
        return ImVec2{data.x + share * data.width,
                      data.bottom() - static_cast<float>(std::clamp(y / most, 0.0, 1.0)) * data.height};
    };
    const auto draw = [&](const std::vector<Point>& curve, ImU32 ink, float thick) {
        std::vector<ImVec2> points;
        for (size_t i = 0; i < truth.size(); ++i)
            for (const Point& point : curve)
                if (point.x == truth[i].x) points.push_back(at(i, point.y));
        ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), ink, 0, thick);
    };
    for (size_t i = 0; i < truth.size(); ++i) {
        const std::string words = std::to_string(truth[i].x);
        text(style.text, {at(i, 0).x - text_size(style.text, words).x / 2, data.bottom()}, style.colour.dim, words);
    }
    for (const auto& curve : poll.votes.curves)
        draw(curve, with_alpha(style.colour.text, 0.45f), std::max(style.unit / 2, 3.0f));
    if (!poll.tells) return;
    draw(truth, style.colour.a, std::max(1.5f * style.unit, 5.0f));
    draw_rows(context, {area.x, area.bottom() - rows + line / 2, area.width, rows - line / 2}, poll);
}

} // namespace

bool draw_votes(Context& context, const Rect& area) {
    const Classroom* room = context.classroom;
    if (!room || room->class_shown() == ClassShown::nothing || !room->votes() || !room->told()) return false;
    const lesson::Step* step = room->step(context.view);
    if (!step || !step->question || !room->told()->question) return false;
    const Style& style = context.style;
    const Votes& votes = *room->votes();
    const Poll poll{*step->question, *room->told()->question, votes, room->class_shown() == ClassShown::right_answer};
    const float inset = 4 * style.unit;
    const Rect inner{area.x + inset, area.y + inset, area.width - 2 * inset, area.height - 2 * inset};
    context.probe.mark("stage.class", inner.x, inner.y, inner.width, inner.height);
    float y = inner.y;
    text_cut(context, style.title, {inner.x, y}, inner.width, style.colour.text,
             say(context, "lesson.class_title", votes.answered, votes.students));
    y += style.title->FontSize + style.unit;
    std::string words =
        votes.missing() ? say(context, "lesson.class_missing", votes.missing()) : context.tr("lesson.class_all");
    if (poll.tells) words += "  " + say(context, "lesson.class_right", votes.right, votes.right_at_last);
    y += text_wrapped(style.caption, {inner.x, y}, inner.width, style.colour.dim, words) + 3 * style.unit;
    const Rect picture{inner.x, y, inner.width, inner.bottom() - y};
    if (poll.question.kind == Kind::lane) draw_lanes(context, picture, poll);
    else if (poll.question.kind == Kind::curve) draw_curves(context, picture, poll);
    else draw_rows(context, picture, poll);
    return true;
}

} // namespace ui
