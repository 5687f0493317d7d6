#include "ui/draw/text_table.h"
#include "ui/time/access.h"
#include "ui/time/axis_marks.h"
#include "ui/time/cycles.h"
#include "ui/time/legend.h"
#include "ui/time/stepping.h"
#include "ui/time/stretches.h"
#include "ui/time/track_picture.h"
#include "views/opcode.h"
#include "views/run_words.h"

namespace ui {

namespace {

struct Scene { // of one frame
    Context& context;
    const BlockPicture& picture;
    int warp = 0;       // selected
    uint32_t index = 0; // of the current event in that warp's order
    AxisRange range{};  // of the rows
    Rect rows{};        // where the range lies, without labels
};

// Barriers as lines through all rows; numbers of the turns of the k loop above them.
void draw_marks(const Scene& scene, const Rect& row, AxisRange range, float label_y) {
    draw_barriers(scene.context.style, scene.picture, row, range, label_y > 0);
    std::vector<double> places;
    for (const auto turn : scene.picture.warps[static_cast<size_t>(scene.warp)].k_tiles)
        places.push_back(axis_place(scene.picture, static_cast<size_t>(scene.warp), turn));
    draw_turns(scene.context, scene.picture, row, range, places, label_y);
}

void draw_cursor(const Scene& scene, const Rect& row, AxisRange range) {
    const double place = axis_place(scene.picture, static_cast<size_t>(scene.warp), scene.index);
    draw_step(scene.context.style, row, range, place + 0.5);
}

// Preview and click on a row.
void handle_row(Scene& scene, const Rect& row, AxisRange range, int warp) {
    if (!hovered(row)) return;
    Context& context = scene.context;
    const WarpOrder& order = scene.picture.warps[static_cast<size_t>(warp)];
    if (order.events.empty()) return;
    const double per_pixel = (range.last - range.first) / row.width;
    const double place = range.first + (ImGui::GetIO().MousePos.x - row.x) * per_pixel;
    const uint32_t index = axis_index(scene.picture, static_cast<size_t>(warp), place), event = order.events[index];
    context.view.hover.warp = warp;
    context.view.hover.pc = scene.picture.trace().events[event].pc;

    std::string words =
        say(context, "timeline.tip", warp, index + 1, with_short_names(scene.picture.instruction(event).text));
    if (per_pixel > 2) {
        const std::vector<Pixel> here =
            warp_track(scene.picture, static_cast<size_t>(warp), {place, place + 4 * per_pixel}, 1);
        for (int lane = 0; lane < lane_count; ++lane)
            if (const uint32_t count = here[0].count[static_cast<size_t>(lane)])
                words += "\n" + say(context, "timeline.tip_count", context.tr(lane_key(static_cast<Lane>(lane))), count,
                                    here[0].total);
    }
    tooltip(context, words + "\n" + context.tr("timeline.tip_click"));
    if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
    context.view.selection.warp = warp;
    step_to(context, index);
}

// The whole run of the selected warp as one low strip, with the part that the rows show framed.
void draw_overview(Scene& scene, const Rect& strip, float label) {
    Context& context = scene.context;
    const Style& style = context.style;
    const AxisRange whole{0, std::max<double>(scene.picture.segment_start.back(), 1)};
    text_cut(context, style.text, {strip.x - label, strip.y + (strip.height - style.text->FontSize) / 2},
             label - style.unit, style.colour.dim, context.tr("timeline.whole"));
    draw_track(scene.context.style, scene.picture, strip, whole, static_cast<size_t>(scene.warp));
    draw_marks(scene, strip, whole, 0);
    const float first = x_of(strip, whole, scene.range.first), last = x_of(strip, whole, scene.range.last);
    outline({first - 1, strip.y - 2, std::max(last - first, 3.0f) + 2, strip.height + 4}, style.colour.text, 1);
    draw_cursor(scene, strip, whole);
    context.probe.mark("timeline.whole", strip.x, strip.y, strip.width, strip.height);
    handle_row(scene, strip, whole, scene.warp);
}

void draw_track_names(const Scene& scene, const Rect& row, float right) {
    const Style& style = scene.context.style;
    const float height = row.height / track_count;
    if (height < style.text->FontSize * 0.9f) return;
    const char* const names[track_count] = {"timeline.global", "timeline.shared", lane_key(arithmetic(scene.picture))};
    for (int track = 0; track < track_count; ++track)
        text_right(style.text,
                   {right, row.y + static_cast<float>(track) * height + (height - style.text->FontSize) / 2},
                   style.colour.dim, scene.context.tr(names[track]));
}

void draw_rows(Scene& scene, float label) {
    Context& context = scene.context;
    const Style& style = context.style;
    const auto count = static_cast<float>(scene.picture.warps.size());
    const Rect& area = scene.rows;
    // The selected warp has room for the names of its tracks; the others share the rest.
    const float tall =
        std::clamp(area.height / count, std::min(3.2f * style.text->FontSize, area.height / 2), 40 * style.unit);
    const float low =
        count > 1 ? std::clamp(std::floor((area.height - tall) / (count - 1)), 3.0f, std::min(tall, 24 * style.unit))
                  : 0;
    float y = area.y, label_free = area.y;
    for (int warp = 0; warp < static_cast<int>(scene.picture.warps.size()); ++warp) {
        const bool selected = warp == scene.warp, over = context.session.view().hover.warp == warp;
        const float height = selected ? tall : low;
        const Rect row{area.x, y, area.width, height - (height > 6 ? 2.0f : 1.0f)};
        fill(row, with_alpha(style.colour.line, selected ? 0.6f : 0.35f));
        draw_track(scene.context.style, scene.picture, row, scene.range, static_cast<size_t>(warp));
        if (selected) outline({row.x - 1, row.y - 1, row.width + 2, row.height + 2}, style.colour.selection, 1);
        else if (over) outline(row, with_alpha(style.colour.selection, 0.5f), 1);
        if (selected || (y >= label_free && low >= 5)) {
            const float middle = selected ? y : y + (height - style.text->FontSize) / 2;
            text(style.text, {area.x - label, middle}, selected ? style.colour.text : style.colour.dim,
                 say(context, "timeline.warp", warp));
            label_free = y + std::max(height, style.text->FontSize);
        }
        if (selected) draw_track_names(scene, row, area.x - style.unit);
        context.probe.mark(fmt::format("timeline.warp.{}", warp), row.x, row.y, row.width, row.height);
        handle_row(scene, row, scene.range, warp);
        y += height;
    }
    scene.rows.height = y - area.y;
}

// Of what this kernel has.
std::vector<LegendEntry> legend(const Scene& scene) {
    const Style& style = scene.context.style;
    const float height = style.text->FontSize - 2 * style.unit, box = 2 * style.unit;
    const Strings& tr = scene.context.tr;
    std::vector<LegendEntry> entries{{style.colour.load, tr("timeline.load"), box, height},
                                     {style.colour.store, tr("timeline.store"), box, height},
                                     {style.colour.fma, tr(lane_key(arithmetic(scene.picture))), box, height}};
    if (scene.picture.barriers) entries.push_back({style.colour.barrier, tr("timeline.wait"), 2, height});
    add_flights(scene.context, scene.picture, entries);
    entries.push_back({style.colour.dim, tr("timeline.waits"), 2 * box, height, Pattern::rising});
    entries.push_back({with_alpha(style.colour.load, 0.5f), tr("timeline.mixed"), box, height});
    return entries;
}

// What lies along the axis of time.
std::string axis_words(const Scene& scene) {
    const Context& context = scene.context;
    if (const std::string why = no_cycles(context); !why.empty()) return why;
    if (scene.picture.in_turn())
        return say(context, "timeline.axis_turns", schedule_text(context.tr, scene.picture.trace().schedule));
    return context.tr(scene.picture.barriers ? "timeline.axis" : "timeline.axis_loop");
}

LongTable table(const Scene& scene) {
    const Context& context = scene.context;
    LongTable table;
    table.head = {.notes = {axis_words(scene)},
                  .columns = table_columns(context.tr, {{"timeline.column_warp"},
                                                        {"timeline.column_stretch"},
                                                        {"timeline.column_first"},
                                                        {"timeline.column_last"}})};
    for (int lane = 0; lane < lane_count; ++lane)
        table.head.columns.push_back({context.tr(lane_key(static_cast<Lane>(lane)))});
    if (scene.picture.trace().truncated) table.head.notes.emplace_back(context.tr("timeline.truncated"));
    const std::vector<Stretch> all = stretches(scene.picture);
    table.count = all.size();
    table.widest = measured_rows(all);
    table.row = [&scene, all](size_t i) {
        const Stretch& one = all[i];
        const std::span<const uint32_t> events = scene.picture.warps[one.warp].events;
        std::array<uint32_t, lane_count> counts{};
        for (uint32_t at = one.first; at < one.last; ++at)
            ++counts[static_cast<size_t>(lane_of(scene.picture.instruction(events[at])))];
        std::vector<std::string> row{std::to_string(one.warp), std::to_string(one.number),
                                     std::to_string(one.first + 1), std::to_string(one.last)};
        for (const uint32_t count : counts) row.push_back(std::to_string(count));
        return row;
    };
    return table;
}

void draw_picture(Scene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    Rect area = free_area();
    const std::string words = axis_words(scene);
    const float line = style.text->FontSize + style.unit;
    float right = draw_axis_switch(context, area);
    const float used = text_cut(context, style.text, {area.x, area.y}, right - area.x, style.colour.dim, words);
    const std::vector<LegendEntry> entries = legend(scene);
    const bool below = used + 6 * style.unit + legend_width(style, entries) > right - area.x && area.height > 16 * line;
    if (below) area.y += line, area.height -= line, right = area.right(); // a line of its own
    draw_legend(context, entries, below ? area.x : area.x + used + 6 * style.unit, area.y, right);

    float label = text_size(style.text, say(context, "timeline.warp", 31)).x + 2 * style.unit;
    for (const char* key : {"timeline.global", "timeline.shared", lane_key(arithmetic(scene.picture))})
        label = std::max(label, text_size(style.text, say(context, "timeline.warp", 31)).x +
                                    text_size(style.text, context.tr(key)).x + 3 * style.unit);
    const float overview = area.height > 12 * line ? 6 * style.unit : 4 * style.unit;
    const Rect strip{area.x + label, area.y + line + style.unit, area.width - label - 2, overview};
    scene.rows = {strip.x, strip.bottom() + style.unit + line, strip.width,
                  area.bottom() - strip.bottom() - style.unit - line};
    if (strip.width < 8 * style.unit || scene.rows.height < 4 * style.unit) return;
    draw_overview(scene, strip, label);
    draw_rows(scene, label);
    draw_marks(scene, scene.rows, scene.range, strip.bottom() + style.unit);
    draw_cursor(scene, scene.rows, scene.range);
    if (scene.picture.trace().truncated && scene.range.last >= scene.picture.segment_start.back())
        text_right(style.text, {scene.rows.right(), scene.rows.bottom() - line}, style.colour.alarm,
                   context.tr("timeline.truncated"));
    ImGui::Dummy({area.width, std::min(scene.rows.bottom() - area.y, area.height)});
}

} // namespace

void draw_timeline(Context& context) {
    if (!face(context, context.session.products().block)) return;
    if (shows_cycles(context)) return draw_cycles(context);
    const auto picture = shown_block(context);
    if (!picture) return sentence(context, context.tr("map.no_events"));
    const session::Selection& selection = context.session.view().selection;
    Scene scene{context, *picture};
    scene.warp = selected_warp(*picture, selection);
    if (picture->warps.empty() || picture->warps[static_cast<size_t>(scene.warp)].events.empty())
        return sentence(context, context.tr("timeline.none"));
    scene.index = picture->warps[static_cast<size_t>(scene.warp)].at_or_after(selection.event);
    scene.range = turns_around(*picture, static_cast<size_t>(scene.warp), scene.index);
    if (context.view.table) return draw_table(context, table(scene));
    draw_picture(scene);
}

} // namespace ui
