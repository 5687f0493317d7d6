#include "ui/window/frame.h"
#include "ui/draw/kept.h"

#include "session/view_fields.h"
#include "ui/code/editor.h"
#include "ui/course/classroom.h"
#include "ui/course/exercise_panel.h"
#include "ui/course/idea.h"
#include "ui/course/log_page.h"
#include "ui/course/stage.h"
#include "ui/course/start_page.h"
#include "ui/draw/grid.h"
#include "ui/draw/notices.h"
#include "ui/draw/surface.h"
#include "ui/kernel/ladder.h"
#include "ui/numbers/numbers.h"
#include "ui/window/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {

namespace {

using session::MiddleTab;

// The least a panel needs to say anything, in pixels at 1x.
constexpr float least_left = 176, least_middle = 320, least_right = 264, least_height = 144, transport_height = 56,
                numbers_line_height = 28;

struct Column {
    float x, width, y = 0;
};

// Divides `column` between those of its panels that are shown, by weight; drops the last where they would be too low.
struct Part {
    bool shown;
    float weight;
    Rect* area;
    const char* title;
};
void divide(Areas& areas, Column column, float height, float least, std::initializer_list<Part> parts) {
    std::vector<Part> shown;
    for (const Part& part : parts)
        if (part.shown) shown.push_back(part);
    while (shown.size() > 1 && height < least * static_cast<float>(shown.size())) {
        areas.no_room.push_back(shown.back().title);
        shown.pop_back();
    }
    float total = 0, y = column.y;
    for (const Part& part : shown) total += part.weight;
    float left = height;
    for (size_t i = 0; i < shown.size(); ++i) {
        const float others = least * static_cast<float>(shown.size() - i - 1);
        const float wish = i + 1 == shown.size() ? left : std::floor(height * shown[i].weight / total);
        const float part = std::clamp(wish, std::min(least, left), std::max(left - others, std::min(least, left)));
        *shown[i].area = {column.x, y, column.width, part};
        y += part;
        left -= part;
    }
}

} // namespace

Areas arrange(const session::View& view, float width, float height, float type, float ladder_height,
              const std::function<float(float)>& idea_height, float ladder_share) {
    const session::Layout& layout = view.layout;
    Areas areas;
    const float bar = std::min(std::round(transport_height * type), height);
    const float room = height - bar;
    areas.transport = {0, room, width, bar};

    // The comparison and the result take the map's room: they are pictures of their own.
    const bool large = panel_of(view.middle_tab).large && layout.banks;
    bool left = layout.ladder, right = layout.code_panel || layout.numbers;
    const bool middle = layout.map_panel || layout.banks || layout.plot;
    const auto needed = [&] {
        return type * ((left ? least_left : 0) + (middle ? least_middle : 0) + (right ? least_right : 0));
    };
    if (right && needed() > width) {
        right = false;
        for (const char* title : {"code.title", "numbers.title"}) areas.no_room.push_back(title);
    }
    if (left && needed() > width) {
        left = false;
        for (const char* title : {"ladder.title", "tiles.title"}) areas.no_room.push_back(title);
    }

    const float most_left = width - type * ((middle ? least_middle : 0) + (right ? least_right : 0));
    float left_width =
        !left ? 0
              : std::clamp(std::round(width * layout.left), least_left * type, std::max(most_left, least_left * type));
    const float most_right = width - left_width - (middle ? least_middle * type : 0);
    float right_width = !right ? 0
                               : std::clamp(std::round(width * layout.right), least_right * type,
                                            std::max(most_right, least_right * type));
    if (!middle && right) right_width = width - left_width;
    if (!middle && !right) left_width = left ? width : 0;

    if (left) {
        areas.ladder = {0, 0, left_width, room};
    }
    const float least = least_height * type;
    if (middle) {
        const float bottom = std::max(1 - layout.map - layout.middle, 0.05f);
        const float middle_width = width - left_width - right_width;
        const float band = idea_height && room > 3.5f * least ? idea_height(middle_width) : 0;
        areas.idea = {left_width, 0, middle_width, band};
        divide(areas, {left_width, middle_width, band}, room - band, least,
               {{layout.map_panel && !large, layout.map, &areas.map, "map.title"},
                {layout.banks, large ? layout.map + layout.middle : layout.middle, &areas.middle, "window.details"},
                {layout.plot, bottom, &areas.plot, "plot.title"}});
    }
    const float line = layout.code_panel && !layout.numbers ? std::round(numbers_line_height * type) : 0;
    if (right && line > 0) areas.numbers_line = {width - right_width, room - line, right_width, line};
    if (right)
        divide(areas, {width - right_width, right_width}, room - line, least,
               {{layout.code_panel, layout.code, &areas.code, "code.title"},
                {layout.numbers, 1 - layout.code, &areas.numbers, "numbers.title"}});
    if (left && room > 2 * least) {
        areas.ladder.height = std::round(std::min(room * ladder_share, ladder_height));
        areas.tiles = {0, areas.ladder.height, left_width, room - areas.ladder.height};
    } else if (left) {
        areas.no_room.push_back("tiles.title");
    }
    return areas;
}

namespace {

// One panel in its rectangle, dimmed while it shows an old picture.
// `view`: as the stage names what it shows; nullptr: nothing that the stage has.
void panel(Context& context, const char* id, const Rect& area, void (*draw)(Context&), const char* view = nullptr) {
    const Style& style = context.style;
    const float inset = 2 * style.unit;
    const Rect inner{area.x + inset, area.y + inset, area.width - 2 * inset, area.height - 2 * inset};
    if (inner.width < style.unit || inner.height < style.unit) return;
    ImGui::SetCursorScreenPos({inner.x, inner.y});
    ImGui::BeginChild(id, {inner.width, inner.height}, false, ImGuiWindowFlags_NoNav); // keys are ours, see keys.cpp
    context.probe.mark(fmt::format("panel.{}", id), area.x, area.y, area.width, area.height);
    context.chrome.computing = false;
    draw(context);
    Kept<float> since("computing since"); // seconds; 0: it does not compute
    if (context.chrome.computing) {
        constexpr float patience = 0.15f; // seconds: a slider's answer that comes sooner should not flicker
        const auto now = static_cast<float>(ImGui::GetTime());
        if (since == 0) since = now;
        if (now - since <= patience) draw_again(context, since + patience - now);
        if (now - since > patience) {
            ImDrawList* list = ImGui::GetWindowDrawList();
            list->AddRectFilled({inner.x, inner.y + style.heading->FontSize + style.unit},
                                {inner.right(), inner.bottom()}, with_alpha(style.colour.panel, 0.55f));
            const char* words = context.tr("face.computing");
            text_right(style.text, {inner.right(), inner.bottom() - style.text->FontSize}, style.colour.text, words);
        }
    } else {
        since = 0;
    }
    if (view && ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) {
        context.chrome.panel_under_mouse = view;
        const float head = inner.y + style.heading->FontSize + 2 * style.unit;
        const bool over = ImGui::GetIO().MousePos.y < head;
        if (over && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) put_on_stage(context.view, view);
        if (over && !ImGui::IsAnyItemActive()) tooltip(context, about(context, view));
    }
    ImGui::EndChild();
}

// The tabs of the middle. Only kernels that stream have the last one, which is Stream.
void draw_middle(Context& context) {
    constexpr size_t tabs = session::names_of(MiddleTab{}).size();
    static_assert(static_cast<size_t>(MiddleTab::stream) + 1 == tabs);
    std::array<const char*, tabs> labels{};
    for (size_t i = 0; i < tabs; ++i) labels[i] = context.tr(panel_of(static_cast<MiddleTab>(i)).title);
    const auto kernel = context.session.kernel();
    const bool streams = (kernel && kernel->stream) || context.view.middle_tab == MiddleTab::stream;
    context.view.middle_tab = static_cast<MiddleTab>(
        tab_row(context, "middle", std::span<const char* const>(labels).first(tabs - (streams ? 0 : 1)),
                static_cast<int>(context.view.middle_tab)));
    ImGui::Dummy({0, context.style.unit});
    panel_of(context.view.middle_tab).draw(context);
}

// A thin rule between panels that can be dragged. Returns how far it was moved, in pixels.
float splitter(Context& context, const char* id, Rect line, bool vertical) {
    const Style& style = context.style;
    ImGui::GetWindowDrawList()->AddRectFilled(
        {line.x, line.y}, {line.right() + (vertical ? 1 : 0), line.bottom() + (vertical ? 0 : 1)}, style.colour.line);
    const float reach = 1.5f * style.unit;
    const Rect grip = vertical ? Rect{line.x - reach, line.y, 2 * reach, line.height}
                               : Rect{line.x, line.y - reach, line.width, 2 * reach};
    if (grip.width < 1 || grip.height < 1) return 0;
    context.probe.mark(fmt::format("splitter.{}", id), grip.x, grip.y, grip.width, grip.height);
    ImGui::SetCursorScreenPos({grip.x, grip.y});
    ImGui::InvisibleButton(id, {grip.width, grip.height});
    const bool active = ImGui::IsItemActive();
    if (active || ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        ImGui::GetWindowDrawList()->AddRectFilled({line.x - 1, line.y - 1}, {line.right() + 1, line.bottom() + 1},
                                                  style.colour.dim);
    }
    if (!active) return 0;
    return vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
}

float moved(float fraction, float pixels, float whole) {
    return std::clamp(fraction + pixels / std::max(whole, 1.0f), 0.05f, 0.9f);
}

void draw_splitters(Context& context, const Areas& areas, float width, float room) {
    session::Layout& layout = context.view.layout;
    const auto across = [](const Rect& area) { return Rect{area.x, area.y, area.width, 0}; };
    if (areas.ladder.width > 0 && areas.ladder.width < width)
        layout.left = moved(layout.left, splitter(context, "left", {areas.ladder.width, 0, 0, room}, true), width);
    const float right = std::max(areas.code.width, areas.numbers.width);
    if (right > 0 && right < width)
        layout.right = moved(layout.right, -splitter(context, "right", {width - right, 0, 0, room}, true), width);
    if (areas.middle.y > 0) layout.map = moved(layout.map, splitter(context, "map", across(areas.middle), false), room);
    if (areas.plot.y > 0) {
        const float drag = splitter(context, "plot", across(areas.plot), false);
        if (areas.middle.height > 0) layout.middle = moved(layout.middle, drag, room);
        else layout.map = moved(layout.map, drag, room);
    }
    if (areas.numbers.y > 0)
        layout.code = moved(layout.code, splitter(context, "code", across(areas.numbers), false), room);
    if (areas.tiles.y > 0)
        ImGui::GetWindowDrawList()->AddRectFilled({0, areas.tiles.y}, {areas.tiles.right(), areas.tiles.y + 1},
                                                  context.style.colour.line);
    ImGui::GetWindowDrawList()->AddRectFilled({0, areas.transport.y}, {width, areas.transport.y + 1},
                                              context.style.colour.line);
}

// Whether a line says which panels have no room. Where next to nothing has, it would take the rest.
bool says_no_room(const Context& context, const Areas& areas) {
    return !areas.no_room.empty() && areas.transport.y >= least_height * context.style.type / 2 &&
           context.chrome.entry.field == Entry::Field::none;
}

void draw_no_room(Context& context, const Areas& areas) {
    std::string names;
    for (const char* title : areas.no_room) names += (names.empty() ? "" : ", ") + std::string(context.tr(title));
    draw_remark(context, fmt::format("{} {}", context.tr("window.no_room"), names), areas.transport.y);
}

// A lesson goes on behind what the reader explores: a line below everything says so.
bool has_lesson_line(const Context& context) { return context.classroom && context.classroom->lesson(context.view); }

void draw_lesson_line(Context& context, const Rect& line) {
    const Style& style = context.style;
    const auto lesson = context.classroom->lesson(context.view);
    const char* key = context.classroom->away(context.session) ? "lesson.away" : "lesson.stays";
    fill(line, mixed(style.colour.panel, style.colour.text, 0.06f));
    text_cut(context, style.text, {line.x + 2 * style.unit, line.y + style.unit}, line.width - 4 * style.unit,
             style.colour.dim,
             say(context, key, lesson->title.in(context.tr.language()), context.view.course.step + 1));
    context.probe.mark("lesson.line", line.x, line.y, line.width, line.height);
    if (clicked(line)) context.classroom->come_back(context);
}

void draw_panels(Context& context) {
    const Style& style = context.style;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const WholeWindow window(context, "gemmscope");
    const float frame = 4 * style.unit; // around a panel
    const bool of_lesson = has_lesson_line(context);
    const float line = of_lesson || has_log_line(context) ? style.text->FontSize + 2 * style.unit : 0;
    const bool solves = has_exercise(context); // whoever solves an exercise wants no other kernel
    const auto arranged = [&](float height) {
        return arrange(
            context.view, size.x, height, style.type, solves ? size.y : ladder_height(context),
            [&](float width) { return idea_height(context, width - frame) + frame; }, solves ? 0.66f : 0.5f);
    };
    Areas areas = arranged(size.y - line);
    const bool no_room = says_no_room(context, areas);
    if (no_room) { // that line covers nothing of the panels
        areas = arranged(size.y - line - remark_height(style));
        areas.transport.y += remark_height(style);
    }
    const bool writes = context.editor && context.editor->focused() && context.view.layout.code_panel;
    if (writes && areas.code.width <= 0) { // whoever writes sees the text
        put_on_stage(context.view, "source");
        context.chrome.source_drawn = true;
    }
    const struct {
        const char* id;
        const Rect& area;
        void (*draw)(Context&);
        const char* view; // as the stage names what it shows now
    } places[] = {{solves ? "exercise" : "ladder", areas.ladder, solves ? draw_exercise : draw_ladder,
                   solves ? nullptr : "ladder"},
                  {"tiles", areas.tiles, draw_tiles, "tiles"},
                  {"idea", areas.idea, draw_idea, nullptr},
                  {"map", areas.map, draw_map, "map"},
                  {"middle", areas.middle, draw_middle, panel_of(context.view.middle_tab).id},
                  {"plot", areas.plot, draw_plot, panel_of(context.view.plot_tab).id},
                  {"code", areas.code, draw_code, "source"},
                  {"numbers", areas.numbers, draw_numbers, "numbers"},
                  {"numbers line", areas.numbers_line, draw_numbers_line, nullptr}};
    context.chrome.panel_under_mouse.clear();
    for (const auto& place : places)
        if (place.area.width > 0 && place.area.height > 0) panel(context, place.id, place.area, place.draw, place.view);
    const Rect& bar = areas.transport;
    ImGui::GetWindowDrawList()->AddRectFilled({bar.x, bar.y}, {bar.right(), bar.bottom()}, style.colour.background);
    panel(context, "transport", bar, draw_transport);
    draw_splitters(context, areas, size.x, bar.y);
    if (no_room) draw_no_room(context, areas);
    const Rect last{0, size.y - line, size.x, line};
    if (of_lesson) draw_lesson_line(context, last);
    else if (line > 0) draw_log_line(context, last);
    draw_notices(context, bar.y);
}

} // namespace

void draw_window(Context& context) {
    const bool panels = context.chrome.page == Page::none && !context.view.stage.shown;
    if (panels) draw_panels(context);
    else if (context.chrome.page == Page::none) draw_stage(context);
    else draw_page(context);
    if (panels && context.chrome.story) draw_story(context);
    if (context.chrome.help) draw_help(context);
}

} // namespace ui
