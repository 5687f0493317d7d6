#include "ui/course/idea.h"

#include "ui/course/log_page.h"
#include "ui/course/stage.h"
#include "ui/draw/grid.h"
#include "ui/draw/surface.h"
#include "views/lines.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ui {
namespace {

struct Sentences {
    std::string idea, look;
};

Sentences sentences(const Context& context) {
    const auto kernel = context.session.kernel();
    if (!kernel) return {};
    return {context.tr(kernel->idea), context.tr(kernel->look.say)};
}

// The last one where the log tells of the kernel.
std::vector<ButtonLabel> buttons(const Context& context) {
    std::vector<ButtonLabel> all{{"idea.story", context.tr("idea.story")}, {"idea.stage", context.tr("idea.stage")}};
    if (log_tells_of(context, context.view.subject.kernel)) all.push_back({"idea.log", context.tr("idea.log")});
    return all;
}

// What the buttons take away.
float room(const Context& context, float width) {
    float used = 0;
    for (const ButtonLabel& label : buttons(context))
        used += text_size(context.style.text, label.label).x + 8 * context.style.unit;
    return std::max(width - used - 4 * context.style.unit, width / 2);
}

} // namespace

float idea_height(const Context& context, float width) {
    const Sentences said = sentences(context);
    if (said.idea.empty() && said.look.empty()) return 0;
    const Style& style = context.style;
    const float inner = room(context, width);
    float height = 2 * style.unit;
    if (!said.idea.empty()) height += wrapped_size(style.heading, inner, said.idea).y;
    if (!said.look.empty()) height += wrapped_size(style.text, inner, said.look).y;
    return std::ceil(height);
}

void draw_idea(Context& context) {
    const Style& style = context.style;
    const Rect area = free_area();
    const Sentences said = sentences(context);
    const float inner = room(context, area.width);
    float y = area.y;
    if (!said.idea.empty()) y += text_wrapped(style.heading, {area.x, y}, inner, style.colour.text, said.idea);
    if (!said.look.empty()) text_wrapped(style.text, {area.x, y}, inner, style.colour.dim, said.look);
    const auto kernel = context.session.kernel();
    const catalog::Look* look = kernel ? &kernel->look : nullptr;
    if (look && !look->view.empty() && clicked({area.x, y, inner, area.bottom() - y}))
        if (const PanelRow* row = find_panel(look->view)) row->prepare(context.view);
    const auto labels = buttons(context);
    const int pressed = button_row(context, labels, area.x + inner, area.right(), area.y + style.unit);
    if (pressed == 0) context.chrome.story = !context.chrome.story;
    if (pressed == 1)
        put_on_stage(context.view, look && find_panel(look->view) ? look->view : panel_of(context.view.middle_tab).id);
    if (pressed == 2) open_log(context, context.view.subject.kernel);
}

void draw_story(Context& context) {
    const auto kernel = context.session.kernel();
    if (!kernel) return;
    const Style& style = context.style;
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float pad = 5 * style.unit, width = std::min(44 * style.heading->FontSize, display.x - 4 * pad);
    const std::string story = joined_lines(context.tr(kernel->story));
    const float lines = wrapped_size(style.text, width - 2 * pad, story).y;
    const float height = std::min(lines + 3 * pad + 2 * style.heading->FontSize, display.y - 4 * pad);
    const Popup popup(context, "story", {width, height}, pad);
    heading(context, context.tr(kernel->title), context.tr("keys.close"));
    ImGui::Dummy({0, style.unit});
    const Rect area = free_area();
    const float used = text_wrapped(style.text, {area.x, area.y}, area.width, style.colour.text, story);
    ImGui::Dummy({area.width, used});
    if (popup.clicked_elsewhere()) context.chrome.story = false;
}

} // namespace ui
