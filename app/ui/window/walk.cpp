#include "ui/window/walk.h"

#include "ui/draw/grid.h"

#include <imgui_internal.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>

namespace ui {

unsigned Probe::current_window() {
    const ImGuiWindow* window = ImGui::GetCurrentContext()->CurrentWindow;
    return window ? window->ID : 0;
}

namespace {

ImGuiWindow* window_of(const Mark& mark) { return ImGui::FindWindowByID(mark.window); }

Rect intersection(const Mark& mark, const ImRect& box) {
    const float left = std::max(mark.x, box.Min.x), top = std::max(mark.y, box.Min.y),
                right = std::min(mark.x + mark.width, box.Max.x), bottom = std::min(mark.y + mark.height, box.Max.y);
    return {left, top, std::max(right - left, 0.0f), std::max(bottom - top, 0.0f)};
}

// Of a mark that is scrolled away nothing.
Rect visible_part(const Mark& mark) {
    const ImGuiWindow* window = window_of(mark);
    return window ? intersection(mark, window->InnerClipRect) : Rect{mark.x, mark.y, mark.width, mark.height};
}

ImVec2 middle(const Rect& box) { return {box.x + box.width / 2, box.y + box.height / 2}; }

// The window that the mouse would be over there: the last one drawn.
const ImGuiWindow* window_at(ImVec2 at) {
    const ImVector<ImGuiWindow*>& all = ImGui::GetCurrentContext()->Windows;
    for (int i = all.Size - 1; i >= 0; --i) {
        const ImGuiWindow* window = all[i];
        const bool takes = (window->Active || window->WasActive) && !window->Hidden && !window->IsFallbackWindow &&
                           !(window->Flags & (ImGuiWindowFlags_NoMouseInputs | ImGuiWindowFlags_Tooltip));
        if (takes && window->OuterRectClipped.Contains(at)) return window;
    }
    return nullptr;
}

// Is the mark's window, or where that shows nothing of the mark, its middle, covered by another?
bool is_covered(const Mark& mark) {
    const ImGuiWindow* window = window_of(mark);
    if (!window) return true;
    const Rect part = visible_part(mark);
    const ImRect& inner = window->InnerClipRect;
    const bool shown = part.width > 0 && part.height > 0;
    const ImGuiWindow* top =
        window_at(shown ? middle(part) : ImVec2{(inner.Min.x + inner.Max.x) / 2, (inner.Min.y + inner.Max.y) / 2});
    for (; top; top = top->ParentWindow) // a child may lie in the middle of what scrolls
        if (top == window) return false;
    return true;
}

// An area that holds others, and is nothing to click by itself.
bool is_area(const Mark& mark) { return mark.name.starts_with("panel."); }

const Mark* find(const std::vector<Mark>& marks, const std::string& name) {
    const auto found = std::find_if(marks.begin(), marks.end(), [&](const Mark& mark) { return mark.name == name; });
    return found == marks.end() ? nullptr : &*found;
}

// As far as needed for the mark to be seen.
void scroll_to(const Mark& mark) {
    ImGuiWindow* window = window_of(mark);
    if (!window) return;
    const ImRect& view = window->InnerClipRect;
    const auto beyond = [](float low, float high, float from, float to) {
        return high > to ? std::min(high - to, low - from) : low < from ? low - from : 0.0f;
    };
    const float y = beyond(mark.y, mark.y + mark.height, view.Min.y, view.Max.y),
                x = mark.width <= view.GetWidth() ? beyond(mark.x, mark.x + mark.width, view.Min.x, view.Max.x) : 0.0f;
    if (y != 0) ImGui::SetScrollY(window, std::clamp(window->Scroll.y + y, 0.0f, window->ScrollMax.y));
    if (x != 0) ImGui::SetScrollX(window, std::clamp(window->Scroll.x + x, 0.0f, window->ScrollMax.x));
}

void scroll_page(const Mark& mark, float direction) {
    for (ImGuiWindow* window = window_of(mark); window; window = window->ParentWindow) {
        if (window->ScrollMax.y <= 0) continue;
        const float page = 0.8f * window->InnerClipRect.GetHeight();
        return ImGui::SetScrollY(window, std::clamp(window->Scroll.y + direction * page, 0.0f, window->ScrollMax.y));
    }
}

void focus(Context& context, const Mark& mark) {
    Walk& walk = context.chrome.walk;
    walk.name = mark.name;
    walk.aim = {0.5f, 0.5f};
    walk.held = false;
    scroll_to(mark);
    // - and + move the slider that has the focus.
    const size_t dot = mark.name.find('.');
    const bool slider = mark.name.starts_with("slider.") ||
                        (mark.name.starts_with("size.") && mark.name.find('.', dot + 1) == std::string::npos);
    context.chrome.focused_parameter = slider ? mark.name.substr(dot + 1) : std::string();
}

void step_in_order(Context& context, const std::vector<Mark>& marks, int direction) {
    if (marks.empty()) return;
    const Mark* now = find(marks, context.chrome.walk.name);
    const auto count = std::ssize(marks);
    const auto at = now ? now - marks.data() : direction > 0 ? count - 1 : 0;
    focus(context, marks[static_cast<size_t>((at + direction + count) % count)]);
}

// The nearest in that direction: what lies aside counts double.
void step_towards(Context& context, const std::vector<Mark>& marks, ImVec2 direction) {
    const Mark* now = find(marks, context.chrome.walk.name);
    if (!now) return step_in_order(context, marks, 1);
    const Mark* best = nullptr;
    float least = FLT_MAX;
    const ImVec2 from = middle({now->x, now->y, now->width, now->height});
    for (const Mark& mark : marks) {
        const ImVec2 to = middle({mark.x, mark.y, mark.width, mark.height});
        const float along = (to.x - from.x) * direction.x + (to.y - from.y) * direction.y,
                    aside = std::abs((to.x - from.x) * direction.y) + std::abs((to.y - from.y) * direction.x);
        if (along < 1 || &mark == now) continue;
        if (const float away = along + 2 * aside; away < least) least = away, best = &mark;
    }
    if (best) focus(context, *best);
}

// The window in the window that holds the mark; 0: none does, as between panels.
ImGuiID panel_of(const Mark& mark) {
    const ImGuiWindow* window = window_of(mark);
    if (!window || window == window->RootWindow) return 0;
    while (window->ParentWindow && window->ParentWindow != window->RootWindow) window = window->ParentWindow;
    return window->ID;
}

void step_to_panel(Context& context, const std::vector<Mark>& marks, int direction) {
    const Mark* now = find(marks, context.chrome.walk.name);
    if (!now) return step_in_order(context, marks, direction);
    const auto count = std::ssize(marks);
    const auto panel = [&](std::ptrdiff_t at) { return panel_of(marks[static_cast<size_t>(at)]); };
    const ImGuiID here = panel_of(*now);
    auto at = now - marks.data();
    for (std::ptrdiff_t i = 0; i < count && (panel(at) == here || panel(at) == 0); ++i)
        at = (at + direction + count) % count;
    while (direction < 0 && at > 0 && panel(at - 1) == panel(at)) --at; // its first
    focus(context, marks[static_cast<size_t>(at)]);
}

void move_aim(Context& context, ImVec2 direction) {
    Walk& walk = context.chrome.walk;
    const Mark* mark = find(context.probe.last(), walk.name);
    if (!mark) return;
    const Rect part = visible_part(*mark);
    const float step = 2 * context.style.unit;
    const auto moved = [&](float aim, float by, float size) {
        const float next = aim + by * step / std::max(size, 1.0f);
        return walk.held ? next : std::clamp(next, 0.0f, 1.0f); // what is held may be dragged beyond
    };
    walk.aim = {moved(walk.aim.x, direction.x, part.width), moved(walk.aim.y, direction.y, part.height)};
}

std::optional<ImVec2> direction_of(int key) {
    switch (key) {
    case GLFW_KEY_LEFT: return ImVec2{-1, 0};
    case GLFW_KEY_RIGHT: return ImVec2{1, 0};
    case GLFW_KEY_UP: return ImVec2{0, -1};
    case GLFW_KEY_DOWN: return ImVec2{0, 1};
    default: return {};
    }
}

} // namespace

std::vector<Mark> walkable(const std::vector<Mark>& marks) {
    std::vector<Mark> reachable;
    for (const Mark& mark : marks)
        if (!is_area(mark) && mark.width > 0 && mark.height > 0 && !is_covered(mark) && !find(reachable, mark.name))
            reachable.push_back(mark);
    return reachable;
}

void begin_walk(Context& context) {
    Walk& walk = context.chrome.walk;
    if (walk.on) return step_in_order(context, walkable(context.probe.last()), 1);
    walk = {};
    walk.on = true;
    walk.real = walk.at = ImGui::GetIO().MousePos;
    context.probe.walking = true;
    draw_again(context, 0); // what can be clicked is known with the next frame
}

bool walk_takes(Context& context, const KeyPress& key) {
    Walk& walk = context.chrome.walk;
    if (!walk.on) return false;
    draw_again(context, 0);
    const std::vector<Mark> marks = walkable(context.probe.last());
    const Mark* now = find(marks, walk.name);
    const auto direction = direction_of(key.key);
    if (direction && key.modifiers == with_shift) return move_aim(context, *direction), true;
    if (direction && key.modifiers == no_modifier)
        return walk.held ? move_aim(context, *direction) : step_towards(context, marks, *direction), true;
    const bool back = key.modifiers & with_shift;
    switch (key.key) {
    case GLFW_KEY_TAB:
        if (key.modifiers & with_control) step_to_panel(context, marks, back ? -1 : 1);
        else step_in_order(context, marks, back ? -1 : 1);
        return true;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
        if (!now || walk.name.starts_with("slider.")) return true; // whose middle is not meant
        if (back) walk.held = !walk.held;
        else walk.pressed = !walk.held, walk.held = false;
        return true;
    case GLFW_KEY_PAGE_UP:
    case GLFW_KEY_PAGE_DOWN:
        if (now) scroll_page(*now, key.key == GLFW_KEY_PAGE_UP ? -1.0f : 1.0f);
        return true;
    case GLFW_KEY_ESCAPE:
        walk.on = walk.held = false;
        ImGui::GetIO().MousePos = walk.real;
        return true;
    default: return false;
    }
}

void put_pointer(Chrome& chrome, const std::vector<Mark>& marks) {
    Walk& walk = chrome.walk;
    ImGuiIO& io = ImGui::GetIO();
    if (!walk.on && walk.down) io.MouseDown[0] = walk.down = false; // Esc lets go
    if (!walk.on) return;
    const auto end = [&] { walk.on = false, put_pointer(chrome, marks); };
    const auto moved = [&](ImVec2 to) { return to.x != walk.real.x || to.y != walk.real.y; };
#if IMGUI_VERSION_NUM >= 18700
    auto& events =
        ImGui::GetCurrentContext()->InputEventsQueue; // some backends repeat where the mouse is in every frame
    for (int i = 0; i < events.Size; ++i) {
        if (events[i].Type != ImGuiInputEventType_MousePos) continue;
        if (moved({events[i].MousePos.PosX, events[i].MousePos.PosY})) return end();
        events.erase(events.begin() + i--);
    }
#endif
    const bool written = io.MousePos.x == walk.at.x && io.MousePos.y == walk.at.y;
    if (!written && moved(io.MousePos)) return end();
    const Mark* mark = find(marks, walk.name);
    if (!mark) return;
    const Rect part = visible_part(*mark);
    walk.at = {std::floor(part.x + part.width * walk.aim.x),
               std::floor(part.y + part.height * walk.aim.y)}; // as ImGui does
    io.MousePos = walk.at;
    io.MouseDown[0] = walk.down = walk.pressed || walk.held;
    walk.pressed = false;
}

void end_walk_frame(Context& context) {
    Walk& walk = context.chrome.walk;
    context.probe.walking = walk.on;
    if (!walk.on) return;
    const std::vector<Mark> marks = walkable(context.probe.marks());
    const Mark* now = find(marks, walk.name);
    if (!now) { // another page, or the first frame
        if (!marks.empty()) focus(context, marks.front()), draw_again(context, 0);
        return;
    }
    const Rect part = visible_part(*now);
    const Palette& colour = context.style.colour;
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const float wide = std::max(2.0f, context.style.unit / 2);
    const auto frame = [&](float out, ImU32 ink, float thick) {
        list->AddRect({part.x - out, part.y - out}, {part.right() + out, part.bottom() + out}, ink, 0, 0, thick);
    };
    frame(wide / 2 + 1, colour.background, wide + 2); // readable on any ground
    frame(wide / 2 + 1, walk.held ? colour.store : colour.text, wide);
    if (ImGui::GetIO().MousePos.x != walk.at.x || ImGui::GetIO().MouseDown[0]) draw_again(context, 0);
}

} // namespace ui
