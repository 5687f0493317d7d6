#include "ui/course/classroom.h"
#include "ui/course/stage_parts.h"
#include "ui/draw/grid.h"
#include "ui/speed/sliders.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct Track {
    float first, last, y;
    size_t stops;
    float at(size_t stop) const {
        return stops < 2 ? (first + last) / 2
                         : first + (last - first) * static_cast<float>(stop) / static_cast<float>(stops - 1);
    }
};

// Every value below its stop; one that a rule forbids is crossed out.
void draw_stop(const Style& style, const Track& track, size_t stop, const catalog::Choice& choice, bool on) {
    const Palette& colour = style.colour;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 at{track.at(stop), track.y};
    const float radius = on ? 3.5f * style.unit : 2 * style.unit, thick = std::max(0.75f * style.unit, 3.0f);
    const ImU32 ink = on ? choice.broken ? colour.finding : colour.selection : colour.dim;
    if (choice.broken && !on) {
        list->AddLine({at.x - radius, at.y - radius}, {at.x + radius, at.y + radius}, colour.dim, thick);
        list->AddLine({at.x - radius, at.y + radius}, {at.x + radius, at.y - radius}, colour.dim, thick);
    } else {
        list->AddCircleFilled(at, radius, ink, 32);
    }
    const std::string value = std::to_string(choice.value);
    ImFont* font = on ? style.title : style.caption;
    text(font, {at.x - text_size(font, value).x / 2, at.y + 3.5f * style.unit}, on ? colour.text : colour.dim, value);
}

// The name and what it means, in two lines at the left. Returns where they end.
float draw_label(Context& context, const Rect& area, const catalog::Parameter& parameter) {
    const Style& style = context.style;
    const float left = area.x + 4 * style.unit, width = area.width * 0.3f;
    const float top = area.y + (area.height - style.title->FontSize - style.text->FontSize) / 2;
    const std::string words = context.tr(parameter.label);
    text_cut(context, style.title, {left, top}, width, style.colour.text, words.empty() ? parameter.name : words);
    text_cut(context, style.text, {left, top + style.title->FontSize}, width, style.colour.dim,
             words.empty() ? context.tr(parameter.meaning) : parameter.name);
    return left + width;
}

} // namespace

std::string stage_parameter(const Context& context) {
    const auto kernel = context.session.kernel();
    if (!kernel || kernel->parameters.empty()) return {};
    const lesson::Step* step = context.classroom ? context.classroom->step(context.view) : nullptr;
    if (step && step->scene.slider.empty() && context.chrome.focused_parameter.empty()) return {};
    for (const std::string& name : {context.chrome.focused_parameter, context.view.parameter})
        if (catalog::find_parameter(*kernel, name)) return name;
    return kernel->parameters.front().name;
}

void draw_stage_slider(Context& context, const Rect& area, const std::string& name) {
    const Style& style = context.style;
    const auto kernel = context.session.kernel();
    const catalog::Parameter* parameter = kernel ? catalog::find_parameter(*kernel, name) : nullptr;
    if (!parameter) return;
    fill(area, style.colour.background);
    if (context.classroom && context.classroom->asks(context.view)) { // it would tell
        const float left = draw_label(context, area, *parameter);
        return text_centred(style.caption, {left, area.y, area.right() - left, area.height}, style.colour.dim,
                            context.tr("lesson.slider_waits"));
    }
    const catalog::Values values = values_in_force(context, *kernel);
    const std::vector<catalog::Choice> choices = catalog::choices(*kernel, values, name);
    const Track track{draw_label(context, area, *parameter) + 8 * style.unit, area.right() - 10 * style.unit,
                      std::floor(area.y + area.height * 0.34f), choices.size()};
    if (choices.empty() || track.last <= track.first) return;

    const Rect grip{track.first - 6 * style.unit, area.y, track.last - track.first + 12 * style.unit, area.height};
    context.probe.mark("slider." + name, track.first, grip.y, track.last - track.first, grip.height);
    ImGui::SetCursorScreenPos({grip.x, grip.y});
    ImGui::InvisibleButton("stage slider", {grip.width, grip.height});
    const bool active = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
    const size_t under = stop_at(ImGui::GetIO().MousePos.x, track.first, track.last, track.stops);
    if (active) set_parameter(context, *kernel, name, choices[under].value);
    ImGui::GetWindowDrawList()->AddRectFilled({track.first, track.y - style.unit / 2},
                                              {track.last, track.y + style.unit / 2}, style.colour.line);
    const int now = values_in_force(context, *kernel)[name];
    for (size_t stop = 0; stop < choices.size(); ++stop)
        draw_stop(style, track, stop, choices[stop], choices[stop].value == now);
    if (ImGui::IsItemHovered() && !active && choices[under].broken)
        tooltip(context, context.tr(choices[under].broken->reason));
}

} // namespace ui
