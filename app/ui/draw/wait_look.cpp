#include "ui/draw/wait_look.h"

#include "ui/draw/grid.h"

namespace ui {

void fill_pattern(const Rect& area, ImU32 colour, Pattern pattern, float spacing) {
    if (area.width <= 0 || area.height <= 0 || spacing < 1) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    switch (pattern) {
    case Pattern::plain: return fill(area, colour);
    case Pattern::rising: return hatch(area, colour, spacing);
    case Pattern::crossed: hatch(area, colour, spacing); [[fallthrough]];
    case Pattern::falling: { // lines x - y = d, fixed to the screen as those of hatch()
        const float start = spacing - std::fmod(area.x - area.bottom() + 1e5f * spacing, spacing) - area.height;
        for (float d = start; d < area.width; d += spacing) {
            const float y0 = std::max(0.0f, -d), y1 = std::min(area.height, area.width - d);
            if (y1 > y0) list->AddLine({area.x + d + y0, area.y + y0}, {area.x + d + y1, area.y + y1}, colour);
        }
        return;
    }
    case Pattern::level:
        for (float y = spacing * std::ceil(area.y / spacing); y < area.bottom(); y += spacing)
            list->AddLine({area.x, y}, {area.right(), y}, colour);
        return;
    case Pattern::upright:
        for (float x = spacing * std::ceil(area.x / spacing); x < area.right(); x += spacing)
            list->AddLine({x, area.y}, {x, area.bottom()}, colour);
    }
}

WaitLook wait_look(const Style& style, timing::Wait why) {
    using timing::Wait;
    const Palette& colour = style.colour;
    switch (why) {
    case Wait::long_scoreboard: return {with_alpha(colour.load, 0.6f), Pattern::plain};
    case Wait::short_scoreboard: return {colour.load, Pattern::rising};
    case Wait::memory_queue: return {colour.load, Pattern::crossed};
    case Wait::global_queue: return {colour.load, Pattern::level};
    case Wait::barrier: return {colour.barrier, Pattern::rising};
    case Wait::mbarrier: return {colour.barrier, Pattern::crossed};
    case Wait::products: return {colour.barrier, Pattern::level};
    case Wait::math_pipe: return {colour.fma, Pattern::rising};
    case Wait::register_port: return {colour.fma, Pattern::crossed};
    case Wait::fixed_latency: return {with_alpha(colour.dim, 0.3f), Pattern::plain};
    case Wait::not_selected: return {with_alpha(colour.dim, 0.6f), Pattern::falling};
    case Wait::branch: return {with_alpha(colour.dim, 0.8f), Pattern::upright};
    case Wait::instruction: return {with_alpha(colour.dim, 0.8f), Pattern::level};
    case Wait::selected:
    case Wait::count: break;
    }
    return {};
}

void draw_wait(const Style& style, const Rect& area, timing::Wait why) {
    const WaitLook look = wait_look(style, why);
    const float spacing = 1.5f * style.unit;
    // Where a line has no room no pattern is told apart, and they would be most of a picture's shapes.
    if (look.pattern != Pattern::plain && std::min(area.width, area.height) < spacing)
        return fill(area, with_alpha(look.colour, 0.5f));
    fill_pattern(area, look.colour, look.pattern, spacing);
}

} // namespace ui
