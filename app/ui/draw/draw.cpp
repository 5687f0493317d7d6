#include "ui/draw/draw.h"
#include "ui/draw/kept.h"

#include "ui/draw/wrap.h"
#include "views/run_words.h"
#include "views/say.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

const char* end_of(std::string_view text) { return text.data() + text.size(); }

ImVec2 snapped(ImVec2 at) { return {std::floor(at.x), std::floor(at.y)}; } // text on whole pixels is sharp

// The line that heading() and tab_row() stand on, and the dim remark at its right end.
void title_line(Context& context, float left_used, std::string_view remark) {
    const Style& style = context.style;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, height = style.heading->FontSize + 2 * style.unit;
    const float room = width - left_used - 3 * style.unit;
    if (!remark.empty() && room > 6 * style.unit) {
        const float used = std::min(text_size(style.text, remark).x, room);
        text_cut(context, style.text, {at.x + width - used, at.y}, room, style.colour.dim, remark);
    }
    ImGui::Dummy({width, height - ImGui::GetStyle().ItemSpacing.y});
}

// In place of a table: why there is none.
void tell(Context& context, std::string_view words) {
    if (context.chrome.tables) context.chrome.tables->push_back({{}, {std::string(words)}});
}

} // namespace

Rect free_area() {
    const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
    return {at.x, at.y, std::max(size.x, 0.0f), std::max(size.y, 0.0f)};
}

void heading(Context& context, std::string_view title, std::string_view remark) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float used = text_cut(context, context.style.heading, at, width, context.style.colour.text, title);
    title_line(context, used, remark);
}

int tab_row(Context& context, const char* id, std::span<const char* const> labels, int current,
            std::string_view remark) {
    if (!context.chrome.whole_window) { // a slide has nothing to click
        heading(context, labels[static_cast<size_t>(current)], remark);
        return current;
    }
    const Style& style = context.style;
    ImVec2 origin = ImGui::GetCursorScreenPos();
    const float height = style.heading->FontSize, end = origin.x + ImGui::GetContentRegionAvail().x;
    ImDrawList* list = ImGui::GetWindowDrawList();
    float x = origin.x;
    int index = 0;
    for (const char* label : labels) {
        if (x > origin.x && x + text_size(style.heading, label).x > end) { // a line of its own rather than out of reach
            ImGui::Dummy({1, height + 2 * style.unit - ImGui::GetStyle().ItemSpacing.y});
            origin = ImGui::GetCursorScreenPos();
            x = origin.x;
        }
        const float width = std::min(text_size(style.heading, label).x, std::max(end - x, 0.0f));
        const Rect tab{x, origin.y - style.unit, width, height + 2 * style.unit};
        context.probe.mark(fmt::format("tab.{}.{}", id, index), tab.x, tab.y, tab.width, tab.height);
        const bool over = hovered(tab);
        if (clicked(tab)) current = index;
        const bool on = index == current;
        text_cut(context, style.heading, {x, origin.y}, width + 1, on || over ? style.colour.text : style.colour.dim,
                 label);
        if (on) list->AddRectFilled({x, tab.bottom() - 1}, {x + width, tab.bottom() + 1}, style.colour.text);
        x += width + 4 * style.unit;
        ++index;
    }
    title_line(context, x - origin.x, remark);
    return current;
}

namespace {

// Where NVRTC is missing: a button that fetches it, then how far that is. In the first of the panels that fail.
void draw_fetch(Context& context) {
    const session::FetchState& fetch = context.session.fetch();
    if (!fetch.offered || context.chrome.fetch_drawn) return;
    context.chrome.fetch_drawn = true;
    constexpr uintmax_t mega = 1'000'000;
    ImGui::Dummy({1, context.style.unit});
    if (fetch.failed) paragraph(context.tr(*fetch.failed));
    if (fetch.running)
        paragraph(fetch.fetched < fetch.of
                      ? views::say(context.tr, "fetch.progress", fetch.fetched / mega, fetch.of / mega)
                      : views::say(context.tr, "fetch.unpacking", fetch.unpacked / mega));
    const std::string start = views::say(context.tr, "fetch.start", fetch.of / mega);
    if (button(context, "fetch", fetch.running ? context.tr("fetch.stop") : start.c_str()))
        (fetch.running ? context.commands.stop_fetching : context.commands.fetch_compiler) = true;
}

} // namespace

bool face(Context& context, int face, bool has_value, const session::Failed* failed, float progress) {
    using Face = session::Slot<int>::Face;
    const auto now = static_cast<Face>(face);
    if (now == Face::failed) {
        if (!failed) return false;
        const Style& style = context.style;
        ImGui::PushStyleColor(ImGuiCol_Text, style.colour.alarm);
        const base::Error& error = failed->error;
        tell(context, context.tr(base::Error{error.failure, error.what, error.where, error.todo}));
        paragraph(context.tr(base::Error{error.failure, error.what, error.where, {}}));
        ImGui::PopStyleColor();
        if (!error.todo.empty()) paragraph(context.tr(error.todo));
        if (error.failure == base::Failure::missing) draw_fetch(context);
        return false;
    }
    if (now == Face::computing && has_value) context.chrome.computing = true;
    if (has_value && now != Face::empty) return true;
    if (now == Face::computing) {
        const std::string percent = progress > 0 ? fmt::format(" {:.0f} %", progress * 100) : std::string();
        sentence(context, context.tr("face.computing") + percent);
    } else {
        sentence(context, context.tr("face.empty"));
    }
    return false;
}

void sentence(Context& context, std::string_view words) {
    const Style& style = context.style;
    tell(context, words);
    const Rect area = free_area();
    const float wrap = std::max(area.width - 8 * style.unit, 20 * style.unit);
    const ImVec2 size = wrapped_size(style.text, wrap, words);
    const ImVec2 at = snapped(
        {area.x + std::max((area.width - size.x) / 2, 0.0f), area.y + std::max((area.height - size.y) / 2, 0.0f)});
    text_wrapped(style.text, at, wrap, style.colour.dim, words);
    ImGui::Dummy({area.width, std::min(std::max(size.y, 1.0f), std::max(area.height, 1.0f))});
}

bool changed(Context& context, const char* id, std::string_view value) {
    constexpr float moment = 0.7f; // seconds
    const int hash = static_cast<int>(ImHashData(value.data(), value.size()));
    const auto now = static_cast<float>(ImGui::GetTime());
    ImGui::PushID(id);
    Kept<int> before("value", hash);
    Kept<float> since("since", -moment);
    ImGui::PopID();
    if (before != hash) since = now;
    before = hash;
    const bool recently = now - since < moment;
    if (recently) draw_again(context, since + moment - now);
    return recently;
}

void number_row(Context& context, const char* label, std::string_view value, std::string_view unit, const char* hint) {
    const Style& style = context.style;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, height = style.text->FontSize + style.unit;
    const float unit_width = unit.empty() ? 0 : text_size(style.text, unit).x + style.unit;
    const float value_width = text_size(style.mono, value).x;
    const float value_right = at.x + width - unit_width;
    const float drop = style.text->Ascent - style.mono->Ascent; // one baseline for both fonts
    if (changed(context, label, value))
        ImGui::GetWindowDrawList()->AddRectFilled({value_right - value_width - style.unit, at.y},
                                                  {at.x + width, at.y + height},
                                                  with_alpha(style.colour.selection, 0.25f));
    const float label_room = std::max(width - unit_width - value_width - 2 * style.unit, 0.0f);
    text_cut(context, style.text, at, label_room, style.colour.dim, label);
    text_right(style.mono, {value_right, at.y + drop}, style.colour.text, value);
    if (!unit.empty()) text(style.text, {value_right + style.unit, at.y}, style.colour.dim, unit);
    const Rect row{at.x, at.y, width, height};
    if (hint && *hint && hovered(row)) tooltip(context, hint);
    ImGui::Dummy({width, std::max(height - ImGui::GetStyle().ItemSpacing.y, 1.0f)});
}

void text(ImFont* font, ImVec2 at, ImU32 colour, std::string_view words) {
    ImGui::GetWindowDrawList()->AddText(font, font->FontSize, snapped(at), colour, words.data(), end_of(words));
}

void text_right(ImFont* font, ImVec2 upper_right, ImU32 colour, std::string_view words) {
    text(font, {upper_right.x - text_size(font, words).x, upper_right.y}, colour, words);
}

void text_centred(ImFont* font, const Rect& area, ImU32 colour, std::string_view words) {
    const ImVec2 size = text_size(font, words);
    text(font, {area.x + (area.width - size.x) / 2, area.y + (area.height - size.y) / 2}, colour, words);
}

ImVec2 text_size(ImFont* font, std::string_view words) {
    return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, words.data(), end_of(words));
}

float text_wrapped(ImFont* font, ImVec2 at, float width, ImU32 colour, std::string_view words) {
    const std::string lines = wrapped(font, width, words);
    text(font, at, colour, lines);
    return text_size(font, lines).y;
}

ImVec2 wrapped_size(ImFont* font, float width, std::string_view words) {
    return text_size(font, wrapped(font, width, words));
}

void paragraph(std::string_view words) {
    const std::string lines =
        wrapped(ImGui::GetFont(), std::max(ImGui::GetContentRegionAvail().x, 8 * ImGui::GetFontSize()), words);
    ImGui::TextUnformatted(lines.data(), end_of(lines));
}

float text_cut(Context& context, ImFont* font, ImVec2 at, float width, ImU32 colour, std::string_view words) {
    const float whole = text_size(font, words).x;
    if (whole <= width + 0.5f) {
        text(font, at, colour, words);
        return whole;
    }
    const std::string cut = with_ellipsis(font, width, words);
    text(font, at, colour, cut);
    const float used = text_size(font, cut).x;
    if (hovered({at.x, at.y, used, font->FontSize})) tooltip(context, words);
    return used;
}

void TextLines::add(ImFont* font, ImU32 colour, const std::string& words, float less) {
    if (words.empty()) return;
    text_cut(context_, font, {area_.x, y_}, area_.width - less, colour, words);
    y_ += font->FontSize + context_.style.unit;
}

void TextLines::end() const { ImGui::Dummy({1, y_ - area_.y}); }

bool hovered(const Rect& area) {
    return area.contains(ImGui::GetIO().MousePos) && !ImGui::IsAnyItemActive() && ImGui::IsWindowHovered();
}

bool clicked(const Rect& area) { return ImGui::IsMouseClicked(ImGuiMouseButton_Left) && hovered(area); }

bool clicked_without_drag(const Rect& area) {
    const ImGuiIO& io = ImGui::GetIO();
    const float reach = io.MouseDragThreshold * io.MouseDragThreshold;
    return ImGui::IsMouseReleased(ImGuiMouseButton_Left) && hovered(area) && area.contains(io.MouseClickedPos[0]) &&
           io.MouseDragMaxDistanceSqr[0] < reach;
}

PanZoom pan_zoom(const Rect& area, const char* id) {
    const ImGuiIO& io = ImGui::GetIO();
    PanZoom wish;
    if (hovered(area) && io.MouseWheel != 0) wish.factor = std::pow(1.25, static_cast<double>(io.MouseWheel));
    Kept<bool> held(id); // pressed here, not on a splitter
    if (clicked(area)) held = true;
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) held = false;
    if (held && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) wish.drag = io.MouseDelta;
    return wish;
}

void tooltip(Context& context, std::string_view words) {
    const float unit = context.style.unit;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {2 * unit, 2 * unit});
    ImGui::BeginTooltip();
    ImGui::PushFont(context.style.text);
    const std::string lines = wrapped(context.style.text, 28 * context.style.text->FontSize, words);
    ImGui::TextUnformatted(lines.data(), end_of(lines));
    ImGui::PopFont();
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

bool button(Context& context, const char* name, const char* label, bool on, bool enabled) {
    const Style& style = context.style;
    const ImVec2 at = ImGui::GetCursorScreenPos(), size = text_size(style.text, label);
    const Rect area{at.x, at.y, size.x + 4 * style.unit, size.y + 2 * style.unit};
    context.probe.mark(name, area.x, area.y, area.width, area.height);
    const bool over = enabled && hovered(area);
    const float lift = !enabled ? 0.03f : over ? 0.18f : 0.09f;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({area.x, area.y}, {area.right(), area.bottom()},
                        mixed(style.colour.panel, style.colour.text, lift));
    if (on) list->AddRectFilled({area.x, area.bottom() - 2}, {area.right(), area.bottom()}, style.colour.selection);
    text_centred(style.text, area, enabled ? style.colour.text : style.colour.dim, label);
    ImGui::Dummy({area.width, area.height});
    return enabled && clicked(area);
}

int button_row(Context& context, std::span<const ButtonLabel> labels, float left, float right, float y, int on,
               float* start) {
    const Style& style = context.style;
    const ImVec2 back = ImGui::GetCursorScreenPos();
    float x = right + style.unit;
    for (const ButtonLabel& each : labels) x -= text_size(style.text, each.label).x + 5 * style.unit;
    if (start) *start = right;
    if (x < left || !context.chrome.whole_window) return -1; // a slide has nothing to click
    if (start) *start = x;
    int pressed = -1, index = 0;
    for (const ButtonLabel& each : labels) {
        ImGui::SetCursorScreenPos({x, y - style.unit});
        if (button(context, each.name, each.label, index == on)) pressed = index;
        x += text_size(style.text, each.label).x + 5 * style.unit;
        ++index;
    }
    ImGui::SetCursorScreenPos(back);
    return pressed;
}

void draw_again(Context& context, double seconds) {
    context.chrome.next_frame = std::min(context.chrome.next_frame, ImGui::GetTime() + seconds);
}

const char* executed_program(const Context& context) {
    return program_text(context.tr, engine_of(context.session.products()));
}

std::string gflops(double value) {
    if (value >= 10000) return fmt::format("{:.1f} TFLOPS", value / 1000);
    if (value >= 100) return fmt::format("{:.0f} GFLOPS", value);
    return fmt::format("{:.3g} GFLOPS", value);
}

} // namespace ui
