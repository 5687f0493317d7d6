#include "ui/course/stage.h"

#include "session/view_fields.h"
#include "ui/course/classroom.h"
#include "ui/course/stage_parts.h"
#include "ui/draw/grid.h"
#include "ui/draw/notices.h"
#include "ui/draw/surface.h"
#include "ui/speed/speed.h"
#include "ui/time/stepping.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float designed_width = 1280, designed_height = 720;

// Which kernel, or which lesson and what this step is about.
std::string bar_title(const Context& context) {
    if (const auto lesson = context.classroom ? context.classroom->lesson(context.view) : nullptr)
        return fmt::format("{} · {}", lesson->title.in(context.tr.language()),
                           lesson->steps[context.view.course.step].title.in(context.tr.language()));
    const auto kernel = context.session.kernel();
    if (!kernel) return context.view.subject.kernel;
    const std::string title = context.tr(kernel->title);
    return kernel->rung > 0 ? fmt::format("{} · {}", kernel->rung, title) : title;
}

// A triangle that turns the page, for a hand on the mouse. `direction`: -1, to the left.
void draw_turner(Context& context, const Rect& box, int direction) {
    const Style& style = context.style;
    const float half = 2 * style.unit, x = box.x + box.width / 2, y = box.y + box.height / 2;
    const float tip = static_cast<float>(direction) * half * 0.8f;
    const ImU32 ink = hovered(box) ? style.colour.text : style.colour.dim;
    // ImGui fills what turns clockwise.
    const ImVec2 up{x - tip, y - half}, down{x - tip, y + half}, point{x + tip, y};
    direction > 0 ? ImGui::GetWindowDrawList()->AddTriangleFilled(up, point, down, ink)
                  : ImGui::GetWindowDrawList()->AddTriangleFilled(down, point, up, ink);
    context.probe.mark(direction > 0 ? "stage.next" : "stage.back", box.x, box.y, box.width, box.height);
    if (hovered(box)) tooltip(context, context.tr(direction > 0 ? "lesson.next_step" : "lesson.step_before"));
    if (clicked(box)) context.classroom->turn(context, direction);
}

// A dot for each step of the lesson, those behind the reader full, between the triangles that turn pages. Returns where they begin;
// `right`: where they end.
float draw_dots(Context& context, const Rect& bar, float right) {
    const Style& style = context.style;
    const auto lesson = context.classroom ? context.classroom->lesson(context.view) : nullptr;
    if (!lesson) return right;
    const float step = 4.5f * style.unit, radius = 1.25f * style.unit, y = bar.y + bar.height / 2,
                turner = 7 * style.unit;
    draw_turner(context, {right - turner, bar.y, turner, bar.height}, 1);
    right -= turner;
    const float left = right - step * static_cast<float>(lesson->steps.size());
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (size_t i = 0; i < lesson->steps.size(); ++i) {
        const ImVec2 at{left + step * (static_cast<float>(i) + 0.5f), y};
        if (i <= context.view.course.step) list->AddCircleFilled(at, radius, style.colour.selection);
        else list->AddCircle(at, radius, style.colour.dim, 0, std::max(style.unit / 3, 1.5f));
    }
    const Rect dots{left, bar.y, right - left, bar.height};
    context.probe.mark("stage.dots", dots.x, dots.y, dots.width, dots.height);
    if (hovered(dots))
        tooltip(context, say(context, "lesson.step_of", context.view.course.step + 1, lesson->steps.size()));
    draw_turner(context, {left - turner, bar.y, turner, bar.height}, -1);
    return left - turner - 2 * style.unit;
}

// What is shown at the left; how fast it is at the right, which is what the ladder is about.
void draw_bar(Context& context, const Rect& bar) {
    const Style& style = context.style;
    const float margin = 4 * style.unit, y = bar.y + std::floor((bar.height - style.title->FontSize) / 2);
    fill(bar, style.colour.background);
    float right = bar.right() - margin;
    const bool asks = context.classroom && context.classroom->asks(context.view); // perhaps how fast it is
    const auto now = speed_now(context);
    const bool measured = now && now->speed && now->speed->gflops > 0;
    const session::PredictedSpeed* made = now ? speed_of(now->predicted) : nullptr;
    if ((measured || made) && !asks) {
        std::string words =
            measured ? gflops(now->speed->gflops) : say(context, "predicted.speed", gflops(made->gflops));
        if (measured && now->speed->cublas_gflops > 0) words += fmt::format(" · {:.3g} %", 100 * now->speed->ratio());
        words = say(context, "speed.at_size", size_text(now->size.m, now->size.n, now->size.k), words);
        const float width = std::min(text_size(style.title, words).x, bar.width * 0.6f);
        right -= width;
        text_cut(context, style.title, {right, y}, width + 1, measured ? style.colour.text : style.colour.dim, words);
        if (hovered({right, bar.y, width, bar.height}))
            tooltip(context, measured ? speed_text(context, now->speeds.kernel(), now->speed) + "\n" +
                                            speed_origin(context.tr, *now->speed)
                                      : predicted_text(context, now->predicted));
        context.probe.mark("stage.speed", right, bar.y, width, bar.height);
        right -= margin;
    }
    right = draw_dots(context, bar, right);
    text_cut(context, style.title, {bar.x + margin, y}, right - bar.x - margin, style.colour.text, bar_title(context));
}

// A view in its place, with a margin about it.
void draw_view(Context& context, const char* child, const Rect& area, const std::string& id) {
    const PanelRow* row = find_panel(id);
    if (!row || area.width < context.style.unit || area.height < context.style.unit) return;
    const float inset = 3 * context.style.unit;
    context.probe.mark("stage." + std::string(child), area.x, area.y, area.width, area.height);
    draw_slide(context, child, {area.x + inset, area.y + inset, area.width - 2 * inset, area.height - 2 * inset}, *row);
}

// Everything but a circle about the mouse is darkened: a laser pointer that a recording shows, too.
void draw_spotlight(Context& context) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!io.KeyCtrl || !ImGui::IsMousePosValid()) return;
    const float radius = 22 * context.style.unit, far = io.DisplaySize.x + io.DisplaySize.y; // beyond every corner
    ImGui::GetForegroundDrawList()->AddCircle(io.MousePos, radius + far / 2, IM_COL32(0, 0, 0, 165), 128, far);
}

void draw_blank(Context& context) {
    const bool black = context.chrome.blank == Blank::black;
    ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, ImGui::GetIO().DisplaySize,
                                                  black ? IM_COL32_BLACK : IM_COL32_WHITE);
}

} // namespace

float stage_scale(ImVec2 display) {
    return std::clamp(std::min(display.x / designed_width, display.y / designed_height), 0.5f, 8.0f);
}

StageAreas arrange_stage(ImVec2 display, bool two_views, bool with_slider) {
    const float scale = stage_scale(display), width = display.x;
    const auto pixels = [scale](float designed) { return std::round(designed * scale); };
    StageAreas areas;
    areas.bar = {0, 0, width, pixels(48)};
    const float slider = with_slider ? pixels(84) : 0;
    areas.slider = {0, display.y - slider, width, slider};
    Rect room{0, areas.bar.bottom(), width, areas.slider.y - areas.bar.bottom()};
    const bool below = two_views || width < 1.4f * display.y;
    if (below) {
        const float rail = std::min(pixels(two_views ? 150 : 190), room.height / 2);
        areas.rail = {0, room.bottom() - rail, width, rail};
        room.height -= rail;
    } else {
        const float rail = std::round(width * 0.29f);
        areas.rail = {width - rail, room.y, rail, room.height};
        room.width -= rail;
    }
    areas.first = room;
    if (two_views) {
        areas.first.width = std::round(room.width / 2);
        areas.second = {areas.first.right(), room.y, room.width - areas.first.width, room.height};
    }
    return areas;
}

void draw_stage(Context& context) {
    const session::OnStage on = context.view.stage;
    const WholeWindow window(context, "stage");
    const std::string parameter = stage_parameter(context);
    const StageAreas areas = arrange_stage(ImGui::GetIO().DisplaySize, !on.second.empty(), !parameter.empty());
    draw_bar(context, areas.bar);
    const Rect views{areas.first.x, areas.first.y, areas.first.width + areas.second.width, areas.first.height};
    if (!draw_votes(context, views)) {
        draw_view(context, "first", areas.first, on.first);
        draw_view(context, "second", areas.second, on.second);
    }
    draw_rail(context, areas.rail);
    if (!parameter.empty()) draw_stage_slider(context, areas.slider, parameter);
    draw_notices(context, areas.slider.y);
    draw_spotlight(context);
    if (context.chrome.blank != Blank::none) draw_blank(context);
}

void put_on_stage(session::View& view, std::string_view id) {
    if (!find_panel(id)) return;
    view.stage = {true, std::string(id), {}};
}

void leave_stage(session::View& view) { view.stage.shown = false; }

bool turn_page(Context& context, int direction) {
    if (!context.view.stage.shown) return false;
    if (context.classroom && context.classroom->step(context.view)) context.classroom->turn(context, direction);
    else select_rung(context, direction);
    return true;
}

bool blank(Context& context, Blank with) {
    if (!context.view.stage.shown) return false;
    context.chrome.blank = with;
    return true;
}

} // namespace ui
