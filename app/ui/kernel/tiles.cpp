#include "catalog/tuned.h"
#include "ui/code/breaks.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"
#include "ui/draw/kept.h"
#include "ui/draw/text_field.h"
#include "ui/draw/text_table.h"
#include "ui/plot/plot_views.h"
#include "ui/speed/sliders.h"
#include "ui/speed/speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace ui {

namespace {

struct Columns { // x of the parts of a row
    float name, track, track_end, value;
};

// Of the rows of the sizes and of the architecture.
Columns columns(Context& context) {
    const Style& style = context.style;
    const Rect area = free_area();
    const float name = std::min(text_size(style.text, context.tr("tiles.arch")).x, area.width / 3) + style.unit;
    const float value = text_size(style.mono, "16384").x + 2 * style.unit;
    return {area.x, area.x + name + 2 * style.unit, area.right() - value - 2 * style.unit, area.right()};
}

std::string size_of(const catalog::Problem& size) { return size_text(size.m, size.n, size.k); }

float row_height(const Style& style) { return std::round(style.text->FontSize + 2.5f * style.unit); }

// What a slider is called: words, and its name in the template behind them; or the name alone.
const char* label_of(const Context& context, const catalog::Parameter& parameter) {
    return parameter.label.en.empty() ? parameter.name.c_str() : context.tr(parameter.label);
}
float label_width(const Context& context, const catalog::Parameter& parameter) {
    const Style& style = context.style;
    const float words = text_size(style.text, label_of(context, parameter)).x;
    return parameter.label.en.empty() ? words : words + 2 * style.unit + text_size(style.mono, parameter.name).x;
}

// How the sliders lie: each in one row, its label at the left; or, in a narrow panel, below its label.
struct Rows {
    Columns at;
    bool below;
    float height; // of one
};
Rows rows_of(Context& context, const catalog::Kernel& kernel) {
    const Style& style = context.style;
    const Rect area = free_area();
    float label = 0;
    for (const catalog::Parameter& parameter : kernel.parameters)
        label = std::max(label, label_width(context, parameter));
    const float value = text_size(style.mono, "16384").x + 2 * style.unit;
    if (label + value < area.width * 0.55f)
        return {{area.x, area.x + label + 4 * style.unit, area.right() - value - 2 * style.unit, area.right()},
                false,
                row_height(style)};
    return {{area.x, area.x + 2 * style.unit, area.right() - 3 * style.unit, area.right()},
            true,
            std::round(style.text->FontSize + 4.25f * style.unit)};
}

void focus_mark(Context& context, const std::string& name, const Rect& row) {
    if (context.chrome.focused_parameter != name) return;
    const float unit = context.style.unit;
    ImGui::GetWindowDrawList()->AddRectFilled({row.x - 2 * unit, row.y}, {row.x - 1.5f * unit, row.bottom()},
                                              context.style.colour.selection);
    ImGui::GetWindowDrawList()->AddRectFilled({row.x - 2 * unit, row.y}, {row.right(), row.bottom()},
                                              mixed(context.style.colour.panel, context.style.colour.text, 0.05f));
}

void draw_stops(Context& context, const std::vector<catalog::Choice>& choices, const Columns& at, float y, int value,
                size_t over) {
    const Style& style = context.style;
    const Palette& colour = style.colour;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float span = at.track_end - at.track;
    list->AddRectFilled({at.track, y}, {at.track_end, y + 1}, colour.line);
    for (size_t i = 0; i < choices.size(); ++i) {
        const float share = choices.size() < 2 ? 0.5f : static_cast<float>(i) / static_cast<float>(choices.size() - 1);
        const ImVec2 centre{std::floor(at.track + span * share) + 0.5f, y + 0.5f};
        const float size = style.unit * (i == over ? 1.0f : 0.75f);
        if (choices[i].value == value)
            list->AddCircleFilled(centre, 1.4f * style.unit, choices[i].broken ? colour.finding : colour.text);
        else if (!choices[i].broken) list->AddCircleFilled(centre, size, mixed(colour.panel, colour.dim, 0.8f));
        else { // a cross, not only a colour, says that a rule forbids it
            const float arm = 0.6f * style.unit;
            const ImU32 faint = mixed(colour.panel, colour.dim, 0.55f);
            list->AddLine({centre.x - arm, centre.y - arm}, {centre.x + arm, centre.y + arm}, faint);
            list->AddLine({centre.x - arm, centre.y + arm}, {centre.x + arm, centre.y - arm}, faint);
        }
    }
}

// A setting one slider away.
PredictedAnswer beside(const Context& context, const SpeedNow& now, const catalog::Values& setting) {
    const PredictedAnswer present = now.predicted ? now.predicted : predicted(context, now.values, now.size);
    return setting == now.values ? present : predicted_beside(context, present, setting, now.size);
}

std::string slider_hint(Context& context, const SpeedNow& speed, const catalog::Parameter& parameter,
                        const catalog::Values& values, const catalog::Choice& choice) {
    const catalog::Kernel& kernel = speed.speeds.kernel();
    std::string words = fmt::format("{} = {}: {}", parameter.name, choice.value, context.tr(parameter.meaning));
    if (parameter.label.en != "")
        words = fmt::format("{} ({})\n{}", label_of(context, parameter), parameter.name, words);
    if (!choice.broken) {
        catalog::Values setting = values;
        setting[parameter.name] = choice.value;
        const auto measured = speed.speeds.at(setting, speed.size);
        words += fmt::format("\n{}: {}", size_of(speed.size), speed_text(context, kernel, measured));
        if (!measured && context.view.subject.breaks.empty())
            if (const std::string more = predicted_text(context, beside(context, speed, setting)); !more.empty())
                words += "\n" + more;
        return words;
    }
    words += fmt::format("\n\n{} {}", context.tr("tiles.not_with"), context.tr(choice.broken->reason));
    const auto nearest = catalog::nearest_legal(kernel, values, parameter.name, choice.value);
    if (!nearest) return words;
    std::string moved;
    for (const auto& [name, value] : *nearest)
        if (const auto now = values.find(name); name != parameter.name && now != values.end() && now->second != value)
            moved += fmt::format("{}{} = {}", moved.empty() ? "" : ", ", name, value);
    if (!moved.empty()) words += fmt::format("\n{} {}", context.tr("tiles.would_move"), moved);
    return words;
}

// The speeds of every stop of every slider, the other parameters as they are: as long bars as there is room for one.
struct Stop {
    double gflops = 0;      // 0: not known
    bool predicted = false; // where it was not measured
};
struct Uphill {
    std::map<std::string, std::vector<Stop>> stops; // by parameter
    double most = 0;
};

// Predicted are the present setting, those one stop away, and all of the slider that has the focus: each is compiled for that.
bool is_predicted(const Context& context, const SpeedNow& now, const catalog::Parameter& parameter, size_t stop) {
    const auto& values = parameter.values;
    if (!context.view.subject.breaks.empty()) return false;
    if (context.chrome.focused_parameter == parameter.name) return true;
    const auto here = std::lower_bound(values.begin(), values.end(), now.values.at(parameter.name)) - values.begin();
    return std::abs(static_cast<std::ptrdiff_t>(stop) - here) <= 1;
}

Uphill uphill(const Context& context, const SpeedNow& now) {
    Uphill found;
    for (const catalog::Parameter& parameter : now.speeds.kernel().parameters) {
        std::vector<Stop>& row = found.stops[parameter.name];
        catalog::Values setting = now.values;
        for (const int value : parameter.values) {
            setting[parameter.name] = value;
            const auto speed = now.speeds.at(setting, now.size);
            row.push_back({speed ? speed->gflops : 0, false});
            if (!speed && is_predicted(context, now, parameter, row.size() - 1) &&
                catalog::broken_rules(now.speeds.kernel(), setting).empty())
                if (const session::PredictedSpeed* made = speed_of(beside(context, now, setting)))
                    row.back() = {made->gflops, true};
            found.most = std::max(found.most, row.back().gflops);
        }
    }
    return found;
}

void draw_bar(const Style& style, const Rect& bar, const Stop& stop, float ink) {
    const ImU32 colour = mixed(style.colour.panel, style.colour.c, ink);
    stop.predicted ? outline(bar, colour, std::max(1.0f, style.type)) : fill(bar, colour);
}

// Behind each stop a bar as long as the kernel is fast there: one sees which way is uphill. Hollow: predicted.
void draw_speeds(const Style& style, const std::vector<Stop>& stops, double most, const Columns& at, const Rect& row) {
    const auto fastest =
        std::max_element(stops.begin(), stops.end(), [](const Stop& a, const Stop& b) { return a.gflops < b.gflops; });
    if (most <= 0 || fastest == stops.end()) return;
    const float half = std::max(0.9f * style.unit, 2.0f), room = row.height - style.unit / 2;
    for (size_t i = 0; i < stops.size(); ++i) {
        if (stops[i].gflops <= 0) continue;
        const float share = stops.size() < 2 ? 0.5f : static_cast<float>(i) / static_cast<float>(stops.size() - 1);
        const float centre = std::floor(at.track + (at.track_end - at.track) * share) + 0.5f;
        const float height = std::max(room * static_cast<float>(stops[i].gflops / most), 1.0f);
        const float ink = stops[i].gflops >= fastest->gflops ? 0.75f : 0.35f;
        draw_bar(style, {centre - half, row.bottom() - height, 2 * half, height}, stops[i], ink);
    }
}

// Kinds side by side, the chosen one filled; behind each how fast the kernel is with it.
void draw_kinds(Context& context, const catalog::Parameter& parameter, const std::vector<catalog::Choice>& choices,
                const Rect& line, int value, size_t over, const std::vector<Stop>& stops, double most) {
    const Style& style = context.style;
    const Palette& colour = style.colour;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float each = line.width / static_cast<float>(choices.size());
    for (size_t i = 0; i < choices.size(); ++i) {
        const Rect box{line.x + each * static_cast<float>(i), line.y + style.unit / 2, each - 1,
                       line.height - style.unit};
        const bool chosen = choices[i].value == value;
        const ImU32 ground = chosen ? mixed(colour.panel, colour.text, 0.85f)
                                    : mixed(colour.panel, colour.text, i == over ? 0.16f : 0.08f);
        fill(box, ground);
        if (most > 0 && stops[i].gflops > 0 && !chosen) {
            const float high = box.height * static_cast<float>(stops[i].gflops / most);
            draw_bar(style, {box.x, box.bottom() - high, style.unit, high}, stops[i], 0.5f);
        }
        const ImU32 ink = choices[i].broken ? mixed(ground, colour.dim, 0.5f) : chosen ? ink_on(ground) : colour.text;
        const char* word = context.tr(parameter.words[i]);
        const float width = std::min(text_size(style.text, word).x, box.width - style.unit);
        const ImVec2 at{box.x + (box.width - width) / 2, box.y + (box.height - style.text->FontSize) / 2};
        text_cut(context, style.text, at, width + 1, ink, word);
        if (choices[i].broken) // not only a colour says that a rule forbids it
            list->AddLine({at.x, at.y + style.text->FontSize / 2}, {at.x + width, at.y + style.text->FontSize / 2},
                          ink);
    }
}

// The words large, the name in the template small behind them.
void draw_label(Context& context, const catalog::Parameter& parameter, ImVec2 at, float width) {
    const Style& style = context.style;
    const float drop = style.text->Ascent - style.mono->Ascent;
    if (parameter.label.en.empty()) {
        text_cut(context, style.mono, {at.x, at.y + drop}, width, style.colour.text, parameter.name);
        return;
    }
    const float symbol = text_size(style.mono, parameter.name).x + 2 * style.unit;
    const float used =
        text_cut(context, style.text, at, width - symbol, style.colour.text, label_of(context, parameter));
    text(style.mono, {at.x + used + 2 * style.unit, at.y + drop}, style.colour.dim, parameter.name);
}

// Which of the choices the mouse would take.
size_t choice_at(const catalog::Parameter& parameter, const Columns& at, size_t count) {
    const float x = ImGui::GetIO().MousePos.x;
    if (parameter.words.empty()) return stop_at(x, at.track, at.track_end, count);
    const float share = std::clamp((x - at.track) / std::max(at.track_end - at.track, 1.0f), 0.0f, 0.999f);
    return static_cast<size_t>(share * static_cast<float>(count));
}

void slider(Context& context, const SpeedNow& now, const Uphill& speeds, const catalog::Parameter& parameter,
            const Rows& rows) {
    const catalog::Kernel& kernel = now.speeds.kernel();
    const catalog::Values& values = now.values;
    const Style& style = context.style;
    Columns at = rows.at;
    if (rows.below && !parameter.words.empty())
        at.track = at.name, at.track_end = at.value; // no room for a knob beyond the ends
    const Rect area = free_area();
    const Rect row{area.x, area.y, area.width, rows.height};
    const float label_height = rows.below ? style.text->FontSize : 0;
    const Rect line{at.track, row.y + label_height, at.track_end - at.track, row.height - label_height};
    const Rect track{line.x - 2 * style.unit, line.y, line.width + 4 * style.unit, line.height};
    focus_mark(context, parameter.name, row);
    if (track.width < 4 * style.unit) return;

    context.probe.mark("slider." + parameter.name, line.x, line.y, line.width, line.height);
    ImGui::SetCursorScreenPos({track.x, track.y});
    ImGui::InvisibleButton(parameter.name.c_str(), {track.width, track.height});
    // The last movement may come in the frame in which the button is let go.
    const bool active = ImGui::IsItemActive() || ImGui::IsItemDeactivated(), over = ImGui::IsItemHovered();
    const std::vector<catalog::Choice> choices = catalog::choices(kernel, values, parameter.name);
    if (choices.empty()) return;
    const bool kinds = parameter.words.size() == choices.size();
    const size_t stop = choice_at(parameter, at, choices.size());
    if (active) {
        context.chrome.focused_parameter = parameter.name;
        set_parameter(context, kernel, parameter.name, choices[stop].value);
    }
    const float text_y = rows.below ? row.y : row.y + (row.height - style.text->FontSize) / 2;
    const float drop = style.text->Ascent - style.mono->Ascent;
    const int value = values_in_force(context, kernel)[parameter.name];
    const size_t pointed = over || active ? stop : choices.size();
    const std::vector<Stop>& stops = speeds.stops.at(parameter.name);
    if (kinds) draw_kinds(context, parameter, choices, line, value, pointed, stops, speeds.most);
    else {
        draw_speeds(style, stops, speeds.most, at, line);
        draw_stops(context, choices, at, std::floor(line.y + line.height / 2), value, pointed);
    }
    const std::string shown = kinds ? "" : std::to_string(value);
    const float label_end = rows.below ? at.value - text_size(style.mono, shown).x : at.track;
    draw_label(context, parameter, {at.name, text_y}, label_end - at.name - 2 * style.unit);
    text_right(style.mono, {at.value, text_y + drop}, style.colour.text, shown);
    const Rect label{at.name, row.y, label_end - at.name, rows.below ? label_height : row.height};
    if (over && !active) tooltip(context, slider_hint(context, now, parameter, values, choices[stop]));
    else if (hovered(label)) tooltip(context, fmt::format("{}: {}", parameter.name, context.tr(parameter.meaning)));
    ImGui::SetCursorScreenPos({row.x, row.bottom()});
}

// The letter of a size at `left` and, from `field` to `end`, where it is typed.
void size_input(Context& context, const char* name, int value, float left, float field, float end) {
    const Style& style = context.style;
    const Rect row{left, free_area().y, end - left, row_height(style)};
    const float drop = style.text->Ascent - style.mono->Ascent;
    const char upper[] = {static_cast<char>(name[0] - 'a' + 'A'), '\0'};
    text(style.mono, {left, row.y + (row.height - style.text->FontSize) / 2 + drop}, style.colour.dim, upper);
    const ImVec2 before = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({field - style.unit, row.y + (row.height - style.mono->FontSize) / 2 - style.unit});
    ImGui::PushFont(style.mono);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.unit, style.unit});
    ImGui::SetNextItemWidth(end - field + style.unit);
    ImGui::PushID(name);
    Kept<int> typed("typed", value); // what Enter takes, or a click elsewhere
    int shown = value;
    const bool edited = number_field("##size", shown);
    if (ImGui::IsItemActivated()) typed = value;
    if (edited) typed = shown;
    if (ImGui::IsItemDeactivatedAfterEdit()) set_size(context, name, typed);
    context.probe.mark(fmt::format("size.{}", name), ImGui::GetItemRectMin().x, ImGui::GetItemRectMin().y,
                       ImGui::GetItemRectSize().x, ImGui::GetItemRectSize().y);
    ImGui::PopID();
    ImGui::PopStyleVar();
    ImGui::PopFont();
    if (hovered({left, row.y, field - left, row.height})) tooltip(context, context.tr(fmt::format("tiles.{}", name)));
    ImGui::SetCursorScreenPos(before);
}

void size_field(Context& context, const char* name, int value) {
    const Style& style = context.style;
    const Columns at = columns(context);
    const Rect area = free_area();
    const Rect row{area.x, area.y, area.width, row_height(style)};
    focus_mark(context, name, row);
    const float step = row.height;
    size_input(context, name, value, at.name, at.track,
               std::max(area.right() - 2 * step - style.unit, at.track + 9 * style.unit));
    const auto stepper = [&](const char* sign, const char* mark, float x, int next) {
        const Rect box{x, row.y, step, row.height};
        context.probe.mark(fmt::format("size.{}.{}", name, mark), box.x, box.y, box.width, box.height);
        text_centred(style.text, box, hovered(box) ? style.colour.text : style.colour.dim, sign);
        if (clicked(box)) set_size(context, name, next);
    };
    stepper("\u2013", "less", area.right() - 2 * step, value / 2);
    stepper("+", "more", area.right() - step, value * 2);
    ImGui::SetCursorScreenPos({row.x, row.bottom()});
}

// All sizes in one row, without the steps, where the panel is too low for a row each.
void size_row(Context& context, std::span<const std::pair<const char*, int>> sizes) {
    const Style& style = context.style;
    const Rect area = free_area();
    const float each = (area.width + 2 * style.unit) / static_cast<float>(sizes.size()),
                letter = text_size(style.mono, "M").x + 2 * style.unit;
    float x = area.x;
    for (const auto& [name, value] : sizes) {
        focus_mark(context, name, {x, area.y, each - 2 * style.unit, row_height(style)});
        size_input(context, name, value, x, x + letter, x + each - 2 * style.unit);
        x += each;
    }
    ImGui::SetCursorScreenPos({area.x, area.y + row_height(style)});
}

void architecture(Context& context) {
    const Style& style = context.style;
    const Columns at = columns(context);
    const Rect area = free_area();
    const float height = row_height(style), text_y = area.y + (height - style.text->FontSize) / 2;
    std::string& now = context.view.subject.arch;
    text_cut(context, style.text, {at.name, text_y}, at.track - at.name, style.colour.dim, context.tr("tiles.arch"));
    const Rect name{at.track, area.y, area.right() - at.track - 2 * height, height};
    text(style.mono, {at.track, text_y + style.text->Ascent - style.mono->Ascent}, style.colour.text, now);
    if (hovered(name)) tooltip(context, context.tr("tiles.arch_hint"));
    const auto stepper = [&](const char* sign, const char* mark, float x, int direction) {
        const Rect box{x, area.y, height, height};
        context.probe.mark(fmt::format("arch.{}", mark), box.x, box.y, box.width, box.height);
        const auto next = neighbour(context.session.architectures(), now, direction);
        text_centred(style.text, box, next && hovered(box) ? style.colour.text : style.colour.dim, sign);
        if (next && clicked(box)) now = *next;
    };
    stepper("\u2013", "less", area.right() - 2 * height, -1);
    stepper("+", "more", area.right() - height, 1);
    ImGui::SetCursorScreenPos({area.x, area.y + height});
}

// The tuned setting of the nearest size on this GPU, offered where it is not the present one.
void best_here(Context& context, const catalog::Kernel& kernel, const catalog::Values& now) {
    const session::Subject& subject = context.view.subject;
    const catalog::Tuned* best =
        catalog::nearest_tuned(kernel, context.session.gpu().device, subject.arch, subject.problem);
    if (!best || best->values == now) return;
    const Style& style = context.style;
    ImGui::Dummy({0, style.unit});
    const Rect area = free_area();
    std::string sets;
    for (const auto& [name, value] : best->values)
        if (now.at(name) != value) sets += fmt::format("{}{} {}", sets.empty() ? "" : ", ", name, value);
    if (button(context, "tiles.best", context.tr("tiles.best"))) {
        context.view.subject.parameters = best->values;
        context.view.selection.event = 0;
    }
    ImGui::PushStyleColor(ImGuiCol_Text, style.colour.dim);
    paragraph(sets);
    ImGui::PopStyleColor();
    const float height = ImGui::GetCursorScreenPos().y - area.y;
    if (!hovered({area.x, area.y, area.width, height})) return;
    const catalog::Problem& p = best->problem;
    std::string words = fmt::format("{} × {} × {}: {}", p.m, p.n, p.k, gflops(best->gflops));
    if (best->ratio > 0) words += ", " + of_cublas(context.tr, best->ratio, kernel.operands);
    words += fmt::format("\n{} · {} MHz · {} {} · CUDA {} · {}\n{}", best->device, best->sm_clock_mhz,
                         context.tr("plot.driver"), best->driver, best->cuda, best->date, best->command);
    tooltip(context, words);
}

// What the number is, and who measured it; where nobody did what is predicted, or why nothing is.
std::string speed_hint(const Context& context, const SpeedNow& now) {
    if (!now.speed) {
        const std::string words = predicted_text(context, now.predicted);
        std::string hint = context.tr("speed.unmeasured_hint");
        if (!words.empty()) hint += "\n" + words;
        if (speed_of(now.predicted)) hint += std::string("\n") + context.tr("predicted.hint");
        return hint;
    }
    return context.tr(now.speed->gflops > 0 ? "speed.hint" : "speed.unmeasured_hint") + ("\n" + now.speed->date) +
           "\n" + now.speed->source;
}

// "44.0 TFLOPS", large; below it what that is of cuBLAS, at which size, and who measured it.
void draw_speed(Context& context, const SpeedNow& now) {
    const Style& style = context.style;
    const Rect area = free_area();
    if (!context.view.subject.breaks.empty()) { // what was measured is the right kernel's
        const float height =
            text_wrapped(style.text, {area.x, area.y}, area.width, style.colour.dim, context.tr("breaks.no_speed"));
        context.probe.mark("speed", area.x, area.y, area.width, height);
        ImGui::SetCursorScreenPos({area.x, area.y + height + style.unit});
        return;
    }
    const std::optional<session::Speed>& speed = now.speed;
    const bool measured = speed && speed->gflops > 0;
    const session::PredictedSpeed* made = speed_of(now.predicted);
    const std::string number = measured ? gflops(speed->gflops)
                               : made   ? say(context, "predicted.speed", gflops(made->gflops))
                                        : std::string(context.tr(speed ? "speed.impossible" : "speed.unmeasured"));
    const bool fits = measured && text_size(style.figure, number).x <= area.width;
    ImFont* const font = fits ? style.figure : style.heading;
    float y = area.y;
    text(font, {area.x, y}, style.colour.text, number);
    y += font->FontSize;
    std::string second, third = size_of(now.size);
    if (speed && !measured) second = speed->failure;
    if (made) second = error_text(context.tr, made->error);
    if (measured && speed->cublas_gflops > 0)
        second = of_cublas(context.tr, speed->ratio(), now.speeds.kernel().operands);
    if (speed) third += ", " + speed_origin(context.tr, *speed);
    for (const std::string& line : {second, third}) {
        if (line.empty()) continue;
        text_cut(context, style.text, {area.x, y}, area.width, style.colour.dim, line);
        y += style.text->FontSize;
    }
    context.probe.mark("speed", area.x, area.y, area.width, y - area.y);
    if (hovered({area.x, area.y, area.width, y - area.y})) tooltip(context, speed_hint(context, now));
    ImGui::SetCursorScreenPos({area.x, y + style.unit});
}

// Where the sliders take all the room, a line below them says that there are switches, and a click scrolls to them.
void draw_breaks_line(Context& context, const catalog::Kernel& kernel, Kept<bool>& scrolls) {
    const Style& style = context.style;
    const Rect area = free_area();
    const Rect row{area.x, area.y, area.width, row_height(style)};
    const bool over = hovered(row), on = !context.view.subject.breaks.empty();
    const ImU32 ink = on ? style.colour.alarm : over ? style.colour.text : style.colour.dim;
    const float y = row.y + (row.height - style.text->FontSize) / 2, middle = row.y + row.height / 2, half = style.unit;
    const float x = row.x + half;
    ImGui::GetWindowDrawList()->AddTriangleFilled({x - half, middle - half / 2}, {x + half, middle - half / 2},
                                                  {x, middle + half}, ink);
    text_cut(context, style.text, {x + 3 * half, y}, row.right() - x - 3 * half, ink,
             say(context, "breaks.below", kernel.breaks.size()));
    context.probe.mark("breaks.below", row.x, row.y, row.width, row.height);
    if (over) tooltip(context, context.tr("breaks.below_hint"));
    scrolls = clicked(row);
    ImGui::SetCursorScreenPos({row.x, row.bottom()});
}

} // namespace

// A row a slider: its value, those it can have, and how fast the kernel is with each.
Table tiles_table(const Context& context, const catalog::Kernel* kernel) {
    const Strings& tr = context.tr;
    Table table{
        .columns = table_columns(
            tr, {{"tiles.column_name"}, {"numbers.column_value"}, {"tiles.column_values"}, {"tiles.column_meaning"}})};
    const auto now = kernel ? speed_now(context) : std::nullopt;
    if (now) {
        table.notes.push_back(
            say(context, "speed.at_size", size_of(now->size), speed_text(context, *kernel, now->speed)));
        if (const std::string words = predicted_text(context, now->predicted); !words.empty())
            table.notes.push_back(words);
        const Uphill speeds = uphill(context, *now);
        for (const catalog::Rule* rule : catalog::broken_rules(*kernel, now->values))
            table.notes.emplace_back(tr(rule->reason));
        for (const catalog::Parameter& parameter : kernel->parameters) {
            std::string values;
            size_t place = 0;
            for (const catalog::Choice& choice : catalog::choices(*kernel, now->values, parameter.name)) {
                catalog::Values setting = now->values;
                setting[parameter.name] = choice.value;
                const auto speed = choice.broken ? std::nullopt : now->speeds.at(setting, now->size);
                const Stop& stop = speeds.stops.at(parameter.name)[place++];
                const std::string words = choice.broken                ? std::string(tr("tiles.invalid"))
                                          : speed && speed->gflops > 0 ? gflops(speed->gflops)
                                          : stop.predicted ? say(context, "predicted.speed", gflops(stop.gflops))
                                                           : std::string(tr("speed.unmeasured"));
                values += fmt::format("{}{}: {}", values.empty() ? "" : "; ", choice.value, words);
            }
            table.rows.push_back(
                {parameter.name, std::to_string(now->values.at(parameter.name)), values, tr(parameter.meaning)});
        }
        for (const catalog::Break& one : kernel->breaks)
            table.rows.push_back({one.name,
                                  tr(context.view.subject.breaks.contains(one.name) ? "tiles.on" : "tiles.off"), "",
                                  tr(one.label)});
    }
    const catalog::Problem& problem = context.view.subject.problem;
    for (const auto& [name, value] : {std::pair{"m", problem.m}, {"n", problem.n}, {"k", problem.k}})
        if (*name != 'k' || !kernel || catalog::has_argument(kernel->operation, 'K'))
            table.rows.push_back({std::string(1, static_cast<char>(*name - 'a' + 'A')), std::to_string(value), "",
                                  tr(std::string("tiles.") + name)});
    table.rows.push_back({tr("tiles.arch"), context.view.subject.arch});
    return table;
}

void draw_tiles(Context& context) {
    const auto kernel = context.session.kernel();
    if (context.view.table && !context.chrome.whole_window) { // in the window the sliders stay
        heading(context, context.tr("tiles.title"));
        return draw_table(context, tiles_table(context, kernel.get()));
    }
    const Style& style = context.style;
    const catalog::Problem problem = context.view.subject.problem;
    std::vector<std::pair<const char*, int>> sizes{{"m", problem.m}, {"n", problem.n}};
    if (!kernel || catalog::has_argument(kernel->operation, 'K')) sizes.emplace_back("k", problem.k);
    heading(context, context.tr("tiles.title"));
    draw_broken_band(context);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    // The sizes and the architecture stand below what scrolls.
    const float row = row_height(style), number = style.figure->FontSize + 2 * style.text->FontSize + 3 * style.unit;
    const float each = kernel ? rows_of(context, *kernel).height : 0;
    const float sliders = kernel ? number + each * static_cast<float>(kernel->parameters.size()) : 0;
    const bool low = sliders + row * static_cast<float>(sizes.size() + 1) > free_area().height;
    const float below = row * static_cast<float>(low ? 2 : sizes.size() + 1) + style.unit;
    Kept<float> content("content"); // pixels, of the last frame
    Kept<bool> scrolls("scrolls");
    const float room = std::max(free_area().height - below, 2 * row); // what stands below is not to be cut
    const bool folded = kernel && !kernel->breaks.empty() && content > room;
    ImGui::BeginChild("sliders", {0, room - (folded ? row : 0)}, false, ImGuiWindowFlags_NoNav);
    if (kernel) {
        const auto now = speed_now(context);
        const catalog::Values& values = now->values;
        draw_speed(context, *now);
        const Uphill speeds = uphill(context, *now);
        const Rows rows = rows_of(context, *kernel);
        for (const catalog::Parameter& parameter : kernel->parameters) slider(context, *now, speeds, parameter, rows);
        if (kernel->parameters.empty()) paragraph(context.tr("tiles.none"));
        for (const catalog::Rule* rule : catalog::broken_rules(*kernel, values)) {
            ImGui::PushStyleColor(ImGuiCol_Text, style.colour.alarm);
            paragraph(context.tr(rule->reason));
            ImGui::PopStyleColor();
        }
        if (!context.view.subject.parameters.empty() && values != default_values(context, *kernel)) {
            ImGui::Dummy({0, style.unit});
            if (button(context, "tiles.reset", context.tr("tiles.reset"))) context.view.subject.parameters.clear();
        }
        best_here(context, *kernel, values);
        if (scrolls) ImGui::SetScrollHereY(0);
        draw_breaks(context, *kernel);
        content = ImGui::GetCursorPosY();
    }
    ImGui::EndChild();
    if (folded) draw_breaks_line(context, *kernel, scrolls);
    else scrolls = false;
    ImGui::Dummy({0, style.unit});
    if (low) size_row(context, sizes);
    else
        for (const auto& [name, value] : sizes) size_field(context, name, value);
    architecture(context);
    ImGui::PopStyleVar();
}

} // namespace ui
