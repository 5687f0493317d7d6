#include "ui/time/legend.h"

#include "ui/draw/grid.h"
#include "ui/time/track_picture.h"
#include "views/wait_rows.h"

#include <algorithm>
#include <utility>

namespace ui {

namespace {

float entry_width(const Style& style, const LegendEntry& entry) {
    return entry.width + 4 * style.unit + text_size(style.text, entry.words).x;
}

} // namespace

float legend_width(const Style& style, std::span<const LegendEntry> entries) {
    float width = 0;
    for (const LegendEntry& entry : entries) width += entry_width(style, entry);
    return width;
}

void add_flights(const Context& context, const BlockPicture& picture, std::vector<LegendEntry>& entries) {
    const Style& style = context.style;
    const float height = style.text->FontSize - 2 * style.unit, box = 2 * style.unit;
    for (const auto& [carrier, key] : {std::pair{Carrier::registers, "timeline.flight"},
                                       {Carrier::async_copy, "timeline.flight_copy"},
                                       {Carrier::bulk_copy, "timeline.flight_bulk"}}) {
        const auto flies = [by = carrier](const Flight& flight) {
            return flight.carrier == by && flight.last > flight.first;
        };
        if (std::any_of(picture.flights.begin(), picture.flights.end(),
                        [&](const auto& of_warp) { return std::any_of(of_warp.begin(), of_warp.end(), flies); }))
            entries.push_back({with_alpha(style.colour.load, flight_alpha), context.tr(key), 2 * box, height / 2});
    }
}

std::vector<LegendEntry> issue_legend(const Context& context, const BlockPicture& picture) {
    const Style& style = context.style;
    const Strings& tr = context.tr;
    const float height = style.text->FontSize - 2 * style.unit, box = 2 * style.unit;
    std::vector<LegendEntry> entries{{style.colour.load, tr("timeline.load"), box, height},
                                     {style.colour.store, tr("timeline.store"), box, height},
                                     {style.colour.fma, tr(lane_key(arithmetic(picture))), box, height}};
    if (picture.barriers) entries.push_back({style.colour.barrier, tr("timeline.wait"), 2, height});
    add_flights(context, picture, entries);
    return entries;
}

LegendEntry wait_entry(const Context& context, timing::Wait why, std::string words, const std::string& share) {
    const Style& style = context.style;
    const WaitLook look = wait_look(style, why);
    LegendEntry entry{look.colour, std::move(words), 4 * style.unit, style.text->FontSize - 2 * style.unit,
                      look.pattern};
    entry.tip = share + "\n" + wait_tip(context.tr, why);
    if (*nsight_wait(why)) entry.tip += "\n" + say(context, "time.tip_nsight", nsight_wait(why));
    return entry;
}

std::vector<LegendEntry> cycle_legend(const Context& context, const BlockPicture& picture, const timing::Run& run) {
    const Strings& tr = context.tr;
    std::vector<LegendEntry> entries = issue_legend(context, picture);
    for (const WaitShare& one : all_waits(run.lost).reasons)
        entries.push_back(wait_entry(context, one.why, wait_name(tr, one.why),
                                     say(context, "time.tip_share", wait_name(tr, one.why), wait_plain(tr, one.why),
                                         fmt::format("{:.1f}", 100 * one.share))));
    return entries;
}

size_t draw_legend(Context& context, std::span<const LegendEntry> entries, float x, float y, float right) {
    const Style& style = context.style;
    const float height = style.text->FontSize - 2 * style.unit;
    size_t drawn = 0;
    for (const LegendEntry& entry : entries) {
        const float width = entry_width(style, entry);
        if (x + width - 3 * style.unit > right) break;
        const float spacing = 1.5f * style.unit; // of which one line at least is seen
        const float tall = entry.pattern == Pattern::plain ? entry.height : std::max(entry.height, spacing);
        const Rect swatch{x, y + style.unit + (height - tall) / 2, entry.width, tall};
        fill_pattern(swatch, entry.colour, entry.pattern, spacing);
        text(style.text, {x + entry.width + style.unit, y}, style.colour.text, entry.words);
        if (!entry.tip.empty() && hovered({x, y, width - 2 * style.unit, style.text->FontSize}))
            tooltip(context, entry.tip);
        x += width;
        ++drawn;
    }
    return drawn;
}

} // namespace ui
