#include "ui/time/what_if_row.h"

#include "ui/draw/grid.h"
#include "views/what_if.h"

namespace ui {

std::string what_if_words(const Context& context, const session::TimedBlock& time) {
    const auto before = static_cast<double>(time.real->run.block_cycles.front()),
               after = static_cast<double>(time.shown->run.block_cycles.front());
    const double change = 100 * (after - before) / std::max(before, 1.0);
    const char* sign = after < before ? "−" : after > before ? "+" : "±";
    const std::string effect = say(
        context, "what_if.effect", thousands(static_cast<uint64_t>(before)), thousands(static_cast<uint64_t>(after)),
        fmt::format("{}{:.{}f}", sign, std::abs(change), after != before && std::abs(change) < 10 ? 1 : 0));
    return say(context, "what_if.on", what_if_text(context.tr, time.what_if), effect);
}

float draw_what_if(Context& context, const Rect& area) {
    const Style& style = context.style;
    if (!context.chrome.whole_window) return 0; // a slide has nothing to click
    const float line = style.text->FontSize + 3 * style.unit;
    const ImVec2 back = ImGui::GetCursorScreenPos();
    text(style.text, {area.x, area.y + style.unit}, style.colour.dim, context.tr("what_if.title"));
    const float left = area.x + text_size(style.text, context.tr("what_if.title")).x + 2 * style.unit;
    float x = left, y = area.y;
    for (const timing::Switch& one : timing::switches()) {
        const char* words = switch_text(context.tr, one);
        const float width = text_size(style.text, words).x + 4 * style.unit;
        if (x + width > area.right() && x > left) x = left, y += line;
        ImGui::SetCursorScreenPos({x, y});
        const bool on = one.is_on(context.view.what_if);
        if (button(context, fmt::format("what_if.{}", one.name).c_str(), words, on))
            one.turn(context.view.what_if, !on);
        if (hovered({x, y, width, line - style.unit})) tooltip(context, switch_tip(context.tr, one));
        x += width + style.unit;
    }
    ImGui::SetCursorScreenPos(back);
    return y + line - area.y;
}

void draw_what_if_banner(Context& context, const session::TimedBlock& time, const Rect& line) {
    const Style& style = context.style;
    const std::string words = what_if_words(context, time);
    const float inset = 2 * style.unit;
    const Rect box{line.x, line.y, std::min(text_size(style.text, words).x + 2 * inset, line.width),
                   style.text->FontSize};
    fill(box, with_alpha(style.colour.selection, 0.16f));
    fill({box.x, box.y, style.unit, box.height}, style.colour.selection);
    text_cut(context, style.text, {box.x + inset, line.y}, line.width - 2 * inset, style.colour.text, words);
    context.probe.mark("what_if.banner", box.x, box.y, box.width, box.height);
}

} // namespace ui
