#include "ui/draw/draw.h"
#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "ui/time/schedule.h"
#include "ui/time/stepping.h"
#include "views/opcode.h"
#include "views/run_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {

namespace {

enum class Sign { to_start, tile_back, back, play, pause, forward, tile_forward, to_end };

void draw_sign(const Style& style, const Rect& box, Sign sign, ImU32 colour) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float s = std::round(1.75f * style.unit);
    const float x = std::floor(box.x + box.width / 2), y = std::floor(box.y + box.height / 2);
    const auto triangle = [&](float from, float to) {
        list->AddTriangleFilled({from, y - s}, {from, y + s}, {to, y}, colour);
    };
    const auto bar = [&](float left, float width) {
        list->AddRectFilled({left, y - s}, {left + width, y + s}, colour);
    };
    const float thin = std::max(std::round(style.unit / 2), 1.0f);
    switch (sign) {
    case Sign::to_start: bar(x - s, thin), triangle(x + s, x - s + thin); return;
    case Sign::tile_back: triangle(x, x - s), triangle(x + s, x); return;
    case Sign::tile_forward: triangle(x - s, x), triangle(x, x + s); return;
    case Sign::back: triangle(x + s * 0.6f, x - s * 0.8f); return;
    case Sign::play: triangle(x - s * 0.7f, x + s); return;
    case Sign::pause: bar(x - s * 0.7f, thin * 1.5f), bar(x + s * 0.7f - thin * 1.5f, thin * 1.5f); return;
    case Sign::forward: triangle(x - s * 0.6f, x + s * 0.8f); return;
    case Sign::to_end: bar(x + s - thin, thin), triangle(x - s, x + s - thin); return;
    }
}

// A flat square with a sign. The hint names the key.
bool sign_button(Context& context, const char* name, float x, const Rect& bar, float width, Sign sign,
                 const char* hint) {
    const Rect box{x, bar.y, width, bar.height};
    context.probe.mark(fmt::format("transport.{}", name), box.x, box.y, box.width, box.height);
    const bool over = hovered(box);
    if (over) {
        const ImU32 lift = mixed(context.style.colour.background, context.style.colour.text, 0.1f);
        ImGui::GetWindowDrawList()->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, lift);
        tooltip(context, context.tr(hint));
    }
    draw_sign(context.style, box, sign,
              over ? context.style.colour.text : mixed(context.style.colour.dim, context.style.colour.text, 0.4f));
    return clicked(box);
}

float draw_buttons(Context& context, const Rect& bar, float width) {
    session::View& view = context.view;
    float x = bar.x;
    const auto next = [&](const char* name, Sign sign, const char* hint) {
        const bool pressed = sign_button(context, name, x, bar, width, sign, hint);
        x += width;
        return pressed;
    };
    if (next("start", Sign::to_start, "transport.start")) step_to(context, 0);
    if (next("tile_back", Sign::tile_back, "transport.tile_back")) step_k_tile(context, -1);
    if (next("back", Sign::back, "transport.back")) step(context, -1);
    if (next("play", view.playing ? Sign::pause : Sign::play, "transport.play")) view.playing = !view.playing;
    if (next("forward", Sign::forward, "transport.forward")) step(context, 1);
    if (next("tile_forward", Sign::tile_forward, "transport.tile_forward")) step_k_tile(context, 1);
    if (next("end", Sign::to_end, "transport.end")) step_to(context, UINT32_MAX);
    return x;
}

ImU32 lane_colour(const Palette& colour, Lane lane) {
    switch (lane) {
    case Lane::global_load:
    case Lane::shared_load: return colour.load;
    case Lane::global_store:
    case Lane::shared_store: return colour.store;
    case Lane::math:
    case Lane::tensor: return colour.fma;
    case Lane::wait: return colour.barrier;
    case Lane::other: return colour.line;
    }
    return colour.line;
}

// The selected warp from its first to its last instruction along a line of pixels.
struct Scale {
    float x, width;
    size_t count; // of instructions
    float at(size_t index) const {
        return x + (count < 2 ? 0 : width * static_cast<float>(index) / static_cast<float>(count - 1));
    }
    uint32_t index(float pixel) const {
        const float share = std::clamp((pixel - x) / std::max(width, 1.0f), 0.0f, 1.0f);
        return static_cast<uint32_t>(std::lround(share * static_cast<float>(count - 1)));
    }
};

// What each pixel's instruction is; neighbours of one colour are one rectangle.
void draw_strip(const Palette& colour, const BlockPicture& block, const WarpOrder& order, const Scale& scale, float y,
                float height) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    float start = scale.x;
    ImU32 running = 0;
    for (float pixel = scale.x; pixel <= scale.x + scale.width; pixel += 1) {
        const ImU32 here = lane_colour(colour, lane_of(block.instruction(order.events[scale.index(pixel)])));
        if (here == running) continue;
        if (running) list->AddRectFilled({start, y}, {pixel, y + height}, running);
        start = pixel;
        running = here;
    }
    if (running) list->AddRectFilled({start, y}, {scale.x + scale.width, y + height}, running);
}

// Ticks at `indices`, but never closer than a few pixels: a comb that cannot be read says nothing.
void draw_ticks(std::span<const uint32_t> indices, const Scale& scale, float y, float height, float thickness,
                ImU32 colour, float apart) {
    if (indices.empty()) return;
    const float each = scale.width / static_cast<float>(indices.size());
    const size_t stride = each >= apart ? 1 : static_cast<size_t>(std::ceil(apart / std::max(each, 0.001f)));
    for (size_t i = 0; i < indices.size(); i += stride) {
        const float x = std::floor(scale.at(indices[i]));
        ImGui::GetWindowDrawList()->AddRectFilled({x, y}, {x + thickness, y + height}, colour);
    }
}

std::string step_text(Context& context, const BlockPicture& block, const WarpOrder& order, uint32_t index) {
    return fmt::format("{} {} / {}   {}", context.tr("transport.step"), thousands(index + 1),
                       thousands(order.events.size()), with_short_names(block.instruction(order.events[index]).text));
}

void draw_scrubber(Context& context, const Rect& area, const BlockPicture& block, const WarpOrder& order) {
    const Style& style = context.style;
    const Palette& colour = style.colour;
    const float unit = style.unit, strip = std::max(std::round(1.5f * unit), 4.0f);
    const Scale scale{area.x + 2 * unit, area.width - 4 * unit, order.events.size()};
    if (scale.width < 8 * unit) return;
    const float middle = std::floor(area.bottom() - strip - 1.5f * unit);

    ImGui::SetCursorScreenPos({area.x, middle - 3 * unit});
    ImGui::InvisibleButton("scrubber", {area.width, area.bottom() - middle + 3 * unit});
    context.probe.mark("transport.scrubber", scale.x, middle - 3 * unit, scale.width, strip + 6 * unit);
    const bool active = ImGui::IsItemActive() || ImGui::IsItemDeactivated(), over = ImGui::IsItemHovered();
    const uint32_t under = scale.index(ImGui::GetIO().MousePos.x);
    if (active) step_to(context, under);
    const uint32_t now = order.at_or_after(context.view.selection.event);

    draw_strip(colour, block, order, scale, middle, strip);
    draw_ticks(order.k_tiles, scale, middle - 1.5f * unit, 1.5f * unit, 1, colour.dim, 2 * unit);
    if (block.barriers) {
        std::vector<uint32_t> barriers;
        for (size_t i = 1; i + 1 < order.cut.size(); ++i) barriers.push_back(order.cut[i] - 1);
        draw_ticks(barriers, scale, middle + strip, 1.5f * unit, std::max(unit / 2, 1.0f), colour.barrier, 1.5f * unit);
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float x = std::floor(scale.at(now));
    list->AddRectFilled({x - 1, middle - 2 * unit}, {x + 1, middle + strip + 1.5f * unit}, colour.selection);
    list->AddTriangleFilled({x - 1.25f * unit, middle - 2.5f * unit}, {x + 1.25f * unit, middle - 2.5f * unit},
                            {x, middle - 0.5f * unit}, colour.selection);

    if (context.view.marked) { // by its own warp, where it lies on this one's way
        const float at = std::floor(scale.at(order.at_or_after(*context.view.marked)));
        list->AddRectFilled({at, middle - 2 * unit}, {at + 1, middle + strip + 1.5f * unit}, colour.text);
        list->AddTriangle({at - unit, middle - 2.5f * unit}, {at + unit, middle - 2.5f * unit}, {at, middle - unit},
                          colour.text, std::max(1.0f, unit / 3));
    }
    const uint32_t shown = over && !active ? under : now;
    if (over && !active) {
        const float at = std::floor(scale.at(under));
        list->AddRectFilled({at, middle - unit}, {at + 1, middle + strip + unit}, with_alpha(colour.selection, 0.6f));
        context.view.hover.pc = block.trace().events[order.events[under]].pc;
        tooltip(context, step_text(context, block, order, under) + "\n\n" + context.tr("transport.legend"));
    }
    const float drop = style.text->Ascent - style.mono->Ascent;
    text_cut(context, style.mono, {scale.x, area.y + drop}, scale.width, over ? colour.text : colour.dim,
             step_text(context, block, order, shown));
}

// "warp 3": the word dim, the number in mono; a click or its letter lets it be typed. Returns the width.
float field(Context& context, float x, const Rect& bar, Entry::Field which, const char* name, const std::string& value,
            bool draw) {
    const Style& style = context.style;
    const Palette& colour = style.colour;
    Entry& entry = context.chrome.entry;
    const bool on = entry.field == which;
    const std::string shown = on && !entry.digits.empty() ? entry.digits : value;
    const char* label = context.tr(fmt::format("transport.{}", name));
    const float label_width = text_size(style.text, label).x + style.unit,
                value_width = std::max(text_size(style.mono, shown).x, text_size(style.mono, "00").x);
    const float width = label_width + value_width + 4 * style.unit;
    if (!draw) return width;
    const Rect box{x, bar.y, width, bar.height};
    const float y = bar.y + (bar.height - style.text->FontSize) / 2;
    context.probe.mark(fmt::format("transport.{}", name), box.x, box.y, box.width, box.height);
    if (clicked(box)) entry = on ? Entry{} : Entry{which, ""};
    if (hovered(box)) tooltip(context, context.tr(fmt::format("transport.{}_hint", name)));
    if (on || hovered(box))
        ImGui::GetWindowDrawList()->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()},
                                                  mixed(colour.background, colour.text, 0.1f));
    if (on)
        ImGui::GetWindowDrawList()->AddRectFilled({box.x, box.bottom() - style.unit / 2}, {box.right(), box.bottom()},
                                                  colour.selection);
    text(style.text, {x + 2 * style.unit, y}, colour.dim, label);
    text(style.mono, {x + 2 * style.unit + label_width, y + style.text->Ascent - style.mono->Ascent}, colour.text,
         shown);
    return width;
}

// A word that switches something when it is clicked.
float toggle(Context& context, float x, const Rect& bar, const char* name, const std::string& label,
             const std::string& hint, bool draw, auto&& act) {
    const Style& style = context.style;
    const float width = text_size(style.text, label).x + 4 * style.unit;
    if (!draw) return width;
    const Rect box{x, bar.y, width, bar.height};
    context.probe.mark(fmt::format("transport.{}", name), box.x, box.y, box.width, box.height);
    const bool over = hovered(box);
    if (over) tooltip(context, hint);
    text_centred(style.text, box, over ? style.colour.text : style.colour.dim, label);
    if (clicked(box)) act();
    return width;
}

// The order of the warps, and the seed where there is one.
float draw_schedule(Context& context, float x, const Rect& bar, bool draw) {
    const trace::Schedule now = context.view.subject.schedule;
    const bool shuffled = now.kind == trace::Schedule::Kind::shuffled;
    const std::string next = schedule_text(context.tr, schedule_after(now, context.view.selection.warp));
    const std::string label = shuffled ? context.tr("schedule.shuffled") : schedule_text(context.tr, now);
    float width = toggle(context, x, bar, "order", label, say(context, "transport.order_hint", next), draw,
                         [&] { next_schedule(context); });
    if (shuffled)
        width += toggle(context, x + width, bar, "seed", say(context, "schedule.seed", now.number),
                        context.tr("transport.seed_hint"), draw, [&] { next_seed(context); });
    return width;
}

// What the bar says, for who reads a picture of it; in the window the bar stays.
Table table(Context& context) {
    const Strings& tr = context.tr;
    Table table{.columns = table_columns(tr, {{"numbers.column_what"}, {"numbers.column_value"}})};
    const session::View& view = context.session.view();
    const base::Dim3 block = view.selection.block;
    table.rows = {{tr("transport.block"), fmt::format("{},{},{}", block.x, block.y, block.z)},
                  {tr("transport.warp"), std::to_string(view.selection.warp)},
                  {tr("transport.lane"), std::to_string(view.selection.lane)},
                  {tr("transport.column_order"), schedule_text(tr, view.subject.schedule)}};
    const auto picture = shown_block(context);
    const WarpOrder* order = selected_order(context, picture);
    if (!order) {
        table.notes.emplace_back(tr("transport.empty"));
        return table;
    }
    const uint32_t now = order->at_or_after(view.selection.event);
    table.rows.push_back({tr("transport.step"), fmt::format("{} / {}", now + 1, order->events.size())});
    table.rows.push_back(
        {tr("transport.column_instruction"), std::string(picture->instruction(order->events[now]).text)});
    if (view.marked) table.rows.push_back({tr("transport.column_marked"), std::to_string(picture->step(*view.marked))});
    return table;
}

// The right end, laid out once to measure and once to draw. Returns its width.
float draw_fields(Context& context, float x, const Rect& bar, bool draw) {
    session::View& view = context.view;
    const float from = x;
    const base::Dim3 block = view.selection.block;
    x += field(context, x, bar, Entry::Field::block, "block", fmt::format("{},{}", block.x, block.y), draw);
    x += field(context, x, bar, Entry::Field::warp, "warp", std::to_string(view.selection.warp), draw);
    x += field(context, x, bar, Entry::Field::lane, "lane", std::to_string(view.selection.lane), draw);
    x += draw_schedule(context, x, bar, draw);
    const bool here = view.marked && *view.marked == view.selection.event;
    x += toggle(context, x, bar, "mark", context.tr(here ? "transport.unmark" : "transport.mark"),
                context.tr("transport.mark_hint"), draw, [&] { toggle_mark(context); });
    constexpr std::array speeds{5.0f, 20.0f, 80.0f, 320.0f};
    x += toggle(context, x, bar, "speed", fmt::format("{:g}/s", view.events_per_second),
                context.tr("transport.speed_hint"), draw, [&] {
                    const auto faster = std::upper_bound(speeds.begin(), speeds.end(), view.events_per_second);
                    view.events_per_second = faster == speeds.end() ? speeds.front() : *faster;
                });
    const bool english = view.language == session::Language::en;
    const bool has_chinese =
        context.style.text->FindGlyphNoFallback(0x4e2d) != nullptr; // no font for it, no name in it
    x += toggle(context, x, bar, "language",
                !english      ? "English"
                : has_chinese ? "\u4e2d\u6587"
                              : "Chinese",
                context.tr("transport.language_hint"), draw,
                [&] { view.language = english ? session::Language::zh : session::Language::en; });
    const bool dark = view.theme == session::Theme::dark;
    x += toggle(context, x, bar, "theme", context.tr(dark ? "transport.light" : "transport.dark"),
                context.tr("transport.theme_hint"), draw,
                [&] { view.theme = dark ? session::Theme::light : session::Theme::dark; });
    x += toggle(context, x, bar, "help", "F1", context.tr("transport.help_hint"), draw,
                [&] { context.chrome.help = !context.chrome.help; });
    return x - from;
}

} // namespace

void draw_transport(Context& context) {
    if (context.view.table && !context.chrome.whole_window) return draw_table(context, table(context));
    const Style& style = context.style;
    const Rect bar = free_area();
    const float button_width = std::min(std::round(style.text->FontSize * 2),
                                        std::max(bar.width / 10, 1.0f)); // half of a narrow window for the steps
    const float after_buttons = draw_buttons(context, bar, button_width) + 2 * style.unit;
    const float fields_width = draw_fields(context, 0, bar, false);
    const bool room = bar.right() - after_buttons > fields_width + 20 * style.unit;
    const float scrubber_end = room ? bar.right() - fields_width - 2 * style.unit : bar.right();
    if (room) draw_fields(context, bar.right() - fields_width, bar, true);

    const Rect middle{after_buttons, bar.y, scrubber_end - after_buttons, bar.height};
    const auto block = shown_block(context);
    const WarpOrder* order = selected_order(context, block);
    if (order && middle.width > 10 * style.unit) draw_scrubber(context, middle, *block, *order);
    else if (middle.width > 10 * style.unit)
        text_cut(context, style.text, {middle.x + 2 * style.unit, bar.y + (bar.height - style.text->FontSize) / 2},
                 middle.width - 4 * style.unit, style.colour.dim,
                 context.tr(context.session.busy() ? "face.computing" : "transport.empty"));
}

} // namespace ui
