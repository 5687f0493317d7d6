#include "ui/code/breaks.h"

#include "catalog/breaks.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"

#include <cmath>

namespace ui {

namespace {

// A knob at the left, or at the right on a ground in the colour of findings.
void draw_switch(const Style& style, const Rect& box, bool on, bool over) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Palette& colour = style.colour;
    const float radius = box.height / 2, knob = radius - style.unit / 2;
    const ImU32 ground = on ? colour.finding : mixed(colour.panel, colour.dim, over ? 0.8f : 0.6f);
    list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, ground, radius);
    const float x = on ? box.right() - radius : box.x + radius;
    list->AddCircleFilled({x, box.y + radius}, knob, on ? ink_on(ground) : colour.panel);
}

void toggle(Context& context, const std::string& name) {
    auto& on = context.view.subject.breaks;
    if (on.erase(name) == 0) on.insert(name);
    context.view.selection.event = 0; // another program: the session looks for an interesting event
}

// Why it cannot show now; empty: it can.
std::string obstacle(const Context& context, const catalog::Kernel& kernel, const catalog::Break& one) {
    const session::Subject& subject = context.view.subject;
    const auto values = catalog::with(kernel, subject.parameters);
    if (!values || catalog::can_show(kernel, one, *values, subject.problem)) return {};
    return say(context, "breaks.when", one.when);
}

void draw_row(Context& context, const catalog::Kernel& kernel, const catalog::Break& one) {
    const Style& style = context.style;
    const Rect area = free_area();
    const Rect row{area.x, area.y, area.width, std::round(style.text->FontSize + 2.5f * style.unit)};
    const bool on = context.view.subject.breaks.contains(one.name), over = hovered(row);
    const bool possible = one.at != std::string::npos; // its text is there to be changed
    const std::string why_not = obstacle(context, kernel, one);
    const float height = 3 * style.unit, width = 2 * height;
    draw_switch(style, {row.x, row.y + (row.height - height) / 2, width, height}, on, over);
    const float label = row.x + width + 2 * style.unit;
    text_cut(context, style.text, {label, row.y + (row.height - style.text->FontSize) / 2}, row.right() - label,
             on                            ? style.colour.alarm
             : possible && why_not.empty() ? style.colour.text
                                           : style.colour.dim,
             context.tr(one.label) + (why_not.empty() ? std::string() : " · " + why_not));
    context.probe.mark("break." + one.name, row.x, row.y, row.width, row.height);
    const std::string look = why_not.empty() ? context.tr(one.look) : say(context, "breaks.cannot_show", one.when);
    if (over && possible) tooltip(context, look + "\n\n" + context.tr("breaks.hint"));
    else if (over) tooltip(context, context.tr("breaks.gone"));
    if ((possible || on) && clicked(row)) toggle(context, one.name);
    ImGui::SetCursorScreenPos({row.x, row.bottom()});
}

} // namespace

std::string executed_source(const catalog::Kernel& kernel, const session::Subject& subject) {
    auto broken = catalog::broken_source(kernel, subject.breaks);
    return broken ? std::move(*broken) : kernel.source;
}

std::string broken_words(const Context& context) {
    std::string words;
    const auto kernel = context.session.kernel();
    if (!kernel) return words;
    for (const catalog::Break& one : kernel->breaks)
        if (context.view.subject.breaks.contains(one.name)) {
            const std::string why_not = obstacle(context, *kernel, one);
            words += (words.empty() ? "" : ", ") + std::string(context.tr(one.label));
            if (!why_not.empty()) words += " (" + why_not + ")";
        }
    return words;
}

void draw_broken_band(Context& context) {
    const std::string words = broken_words(context);
    if (words.empty()) return;
    const Style& style = context.style;
    const Rect area = free_area();
    const Rect band{area.x, area.y, area.width, style.text->FontSize + 2 * style.unit};
    fill(band, style.colour.finding);
    text_cut(context, style.text, {band.x + style.unit, band.y + style.unit}, band.width - 2 * style.unit,
             ink_on(style.colour.finding), say(context, "breaks.band", words));
    context.probe.mark("broken", band.x, band.y, band.width, band.height);
    ImGui::SetCursorScreenPos({band.x, band.bottom() + style.unit});
}

void draw_breaks(Context& context, const catalog::Kernel& kernel) {
    if (kernel.breaks.empty()) return;
    const Style& style = context.style;
    ImGui::Dummy({0, style.unit});
    const Rect area = free_area();
    text(style.text, {area.x, area.y}, style.colour.dim, context.tr("breaks.title"));
    ImGui::SetCursorScreenPos({area.x, area.y + style.text->FontSize + style.unit / 2});
    for (const catalog::Break& one : kernel.breaks) draw_row(context, kernel, one);
}

} // namespace ui
