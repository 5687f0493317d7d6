#include "ui/time/cycles.h"

#include "ui/draw/grid.h"
#include "ui/draw/kept.h"
#include "ui/draw/text_table.h"
#include "ui/time/access.h"
#include "ui/time/axis_marks.h"
#include "ui/time/cycle_row.h"
#include "ui/time/legend.h"
#include "ui/time/stepping.h"
#include "ui/time/stretches.h"
#include "ui/time/what_if_row.h"
#include "views/axis.h"
#include "views/error_words.h"
#include "views/opcode.h"
#include "views/wait_rows.h"

#include <algorithm>
#include <array>

namespace ui {

namespace {

using session::TimedBlock;
using timing::Issue;
using timing::Wait;
using TimeSlot = session::Slot<TimedBlock>;

struct Scene { // of one frame
    Context& context;
    const TimedBlock& time;
    const BlockPicture& picture;
    int warp = 0;                     // selected
    uint32_t index = 0;               // of the current event in that warp's order
    AxisRange range{};                // of the rows, in cycles
    Rect rows{};                      // where the range lies, without labels
    std::vector<Rect> row_of{};       // by warp
    uint32_t pointed = Issue::nobody; // the event that an arrow leads to
    const timing::Run& run() const { return time.shown->run; }
    const Issue& issue(uint32_t event) const { return run().issues[event]; }
    double microseconds(double cycles) const { return cycles / time.clock_mhz; }
};

std::string whole(double cycles) { return thousands(static_cast<uint64_t>(std::max(cycles, 0.0) + 0.5)); }

// The block's time, and what most of it is lost to, as far as there is room; `width` 0: all of it.
std::string block_words(const Context& context, const TimedBlock& time, float width) {
    const double cycles = last_cycle(time.shown->run), microseconds = cycles / time.clock_mhz;
    const std::string words =
        say(context, time.shown->resident == 1 ? "time.block_alone" : "time.block", whole(cycles),
            microseconds < 1000 ? fmt::format("{:.3g}", microseconds) : whole(microseconds), time.shown->resident);
    const WaitRow lost = all_waits(time.shown->run.lost);
    for (size_t reasons = std::min<size_t>(lost.reasons.size(), 3); reasons > 0; --reasons) {
        std::string more = words + say(context, "time.block_lost", largest_waits(context.tr, lost, reasons));
        if (width == 0 || text_size(context.style.text, more).x <= width) return more;
    }
    return words;
}

void draw_marks(const Scene& scene, const Rect& row, AxisRange range, float label_y) {
    std::vector<double> places;
    for (const auto turn : scene.picture.warps[static_cast<size_t>(scene.warp)].k_tiles)
        places.push_back(issue_cycle(scene.picture, scene.run(), static_cast<size_t>(scene.warp), turn));
    draw_turns(scene.context, scene.picture, row, range, places, label_y);
}

void draw_cursor(const Scene& scene, const Rect& row, AxisRange range) {
    const double place = issue_cycle(scene.picture, scene.run(), static_cast<size_t>(scene.warp), scene.index);
    draw_step(scene.context.style, row, range, place + 0.5);
}

std::string instruction_words(const Scene& scene, uint32_t event) {
    const trace::Instruction& instruction = scene.picture.instruction(event);
    const std::string words(base::trimmed(with_short_names(instruction.text)));
    if (instruction.source_file != 0 || instruction.source_line == 0) return words;
    return say(scene.context, "time.instruction", words, instruction.source_line);
}

// What the warp does in a cycle: it issues, or it waits, for what and for whom.
std::string cycle_words(const Scene& scene, size_t warp, uint32_t index, double cycle) {
    const Context& context = scene.context;
    const uint32_t event = scene.picture.warps[warp].events[index];
    std::string words = say(context, "time.tip", warp, warp % schedulers, whole(std::floor(cycle)),
                            fmt::format("{:.3f}", scene.microseconds(cycle)));
    const auto gap = gap_at_cycle(scene.picture, scene.run(), warp, index, cycle);
    if (!gap) return words + "\n" + say(context, "time.tip_issues", instruction_words(scene, event));
    const Wait why = gap->part.why;
    words += "\n" + say(context, "time.tip_gap", wait_name(context.tr, why), thousands(gap->part.cycles),
                        wait_plain(context.tr, why));
    words += "\n" + say(context, "time.tip_waiter", instruction_words(scene, event));
    if (gap->part.producer != Issue::nobody) {
        const uint32_t producer = gap->part.producer;
        words += "\n" + say(context, "time.tip_producer", instruction_words(scene, producer),
                            scene.picture.trace().events[producer].warp, thousands(scene.issue(producer).cycle));
    }
    words += std::string("\n") + wait_tip(context.tr, why);
    if (*nsight_wait(why)) words += "\n" + say(context, "time.tip_nsight", nsight_wait(why));
    return words;
}

// Preview and click on a row.
void handle_row(Scene& scene, const Rect& row, AxisRange range, int number) {
    if (!hovered(row)) return;
    Context& context = scene.context;
    const auto warp = static_cast<size_t>(number);
    const WarpOrder& order = scene.picture.warps[warp];
    if (order.events.empty()) return;
    const double per_pixel = (range.last - range.first) / row.width;
    const double cycle = range.first + (ImGui::GetIO().MousePos.x - row.x) * per_pixel;
    const uint32_t index = index_at_cycle(scene.picture, scene.run(), warp, cycle), event = order.events[index];
    context.view.hover.warp = number;
    context.view.hover.pc = scene.picture.trace().events[event].pc;
    scene.pointed = event;
    tooltip(context, cycle_words(scene, warp, index, cycle) + "\n" + context.tr("time.tip_click"));
    if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
    context.view.selection.warp = number;
    step_to(context, index);
}

void draw_overview(Scene& scene, const Rect& strip, float label) {
    Context& context = scene.context;
    const Style& style = context.style;
    const AxisRange all{0, last_cycle(scene.run())};
    text_cut(context, style.text, {strip.x - label, strip.y + (strip.height - style.text->FontSize) / 2},
             label - style.unit, style.colour.dim, context.tr("timeline.whole"));
    draw_cycle_row(style, scene.picture, scene.run(), strip, all, static_cast<size_t>(scene.warp), false);
    const float first = x_of(strip, all, scene.range.first), last = x_of(strip, all, scene.range.last);
    outline({first - 1, strip.y - 2, std::max(last - first, 3.0f) + 2, strip.height + 4}, style.colour.text, 1);
    draw_cursor(scene, strip, all);
    context.probe.mark("timeline.whole", strip.x, strip.y, strip.width, strip.height);
    handle_row(scene, strip, all, scene.warp);
}

void draw_track_names(const Scene& scene, const Rect& row, float right) {
    const Style& style = scene.context.style;
    const float waits = waits_of(row, true).y, height = (waits - row.y) / track_count;
    const auto name = [&](float y, float room, const char* key) {
        if (room < style.text->FontSize * 0.9f) return;
        text_right(style.text, {right, y + (room - style.text->FontSize) / 2}, style.colour.dim, scene.context.tr(key));
    };
    const char* const keys[track_count] = {"timeline.global", "timeline.shared", lane_key(arithmetic(scene.picture))};
    for (int track = 0; track < track_count; ++track)
        name(row.y + static_cast<float>(track) * height, height, keys[track]);
    name(waits, row.bottom() - waits, "time.waits");
}

// The name of what is waited for, in each wait of the selected warp that has room for it.
void draw_wait_names(const Scene& scene, const Rect& row) {
    const Style& style = scene.context.style;
    const Rect waits = waits_of(row, true);
    if (waits.height < style.text->FontSize) return;
    const auto warp = static_cast<size_t>(scene.warp);
    const auto& events = scene.picture.warps[warp].events;
    for (uint32_t i = index_at_cycle(scene.picture, scene.run(), warp, scene.range.first); i < events.size(); ++i) {
        const Issue& issue = scene.issue(events[i]);
        const auto end = static_cast<double>(issue.cycle);
        if (issue.why_cycles > 0 && 2 * issue.why_cycles > issue.waited) {
            const float first = std::max(x_of(waits, scene.range, end - issue.waited), waits.x),
                        last = std::min(x_of(waits, scene.range, end), waits.right());
            const char* words = wait_name(scene.context.tr, issue.why);
            const ImVec2 size = text_size(style.text, words);
            if (last - first > size.x + 3 * style.unit) {
                const Rect ground{(first + last - size.x) / 2 - style.unit, waits.y + (waits.height - size.y) / 2,
                                  size.x + 2 * style.unit, size.y};
                fill(ground, with_alpha(style.colour.panel, 0.85f));
                text_centred(style.text, ground, style.colour.text, words);
            }
        }
        if (end >= scene.range.last) return;
    }
}

// Rows are grouped by the scheduler that their warps share.
void draw_rows(Scene& scene, float label) {
    Context& context = scene.context;
    const Style& style = context.style;
    const std::vector<size_t> order = by_scheduler(scene.picture.warps.size());
    const auto count = static_cast<float>(order.size());
    const Rect area = scene.rows;
    const float between = count <= schedulers                       ? 0
                          : area.height > 20 * style.text->FontSize ? style.unit
                                                                    : style.unit / 2;
    const float room = area.height - between * (schedulers - 1);
    const float tall = std::clamp(room / count, std::min(6 * style.text->FontSize, room / 2), 40 * style.unit);
    const float low =
        count > 1 ? std::clamp(std::floor((room - tall) / (count - 1)), 3.0f, std::min(tall, 24 * style.unit)) : 0;
    scene.row_of.assign(order.size(), {});
    float y = area.y, label_free = area.y;
    size_t named = schedulers; // the scheduler that was written last
    for (size_t n = 0; n < order.size(); ++n) {
        const size_t warp = order[n];
        const bool first_of = n == 0 || warp % schedulers != order[n - 1] % schedulers;
        if (first_of && n > 0) y += between;
        const bool selected = static_cast<int>(warp) == scene.warp,
                   over = context.session.view().hover.warp == static_cast<int>(warp);
        const float height = selected ? tall : low;
        const Rect row{area.x, y, area.width, height - (height > 6 ? 2.0f : 1.0f)};
        scene.row_of[warp] = row;
        fill(row, with_alpha(style.colour.line, selected ? 0.6f : 0.35f));
        draw_cycle_row(style, scene.picture, scene.run(), row, scene.range, warp, selected);
        draw_arrivals(style, scene.picture, scene.run(), row, scene.range, warp);
        if (selected) draw_wait_names(scene, row);
        if (selected) outline({row.x - 1, row.y - 1, row.width + 2, row.height + 2}, style.colour.selection, 1);
        else if (over) outline(row, with_alpha(style.colour.selection, 0.5f), 1);
        const bool has_label = selected || (y >= label_free && low >= 5);
        if (has_label) {
            const float middle = selected ? y : y + (height - style.text->FontSize) / 2;
            text(style.text, {area.x - label, middle}, selected ? style.colour.text : style.colour.dim,
                 say(context, "timeline.warp", warp));
            if (!selected && warp % schedulers != named)
                text_right(style.text, {area.x - style.unit, middle}, style.colour.dim,
                           say(context, "time.scheduler", named = warp % schedulers));
            label_free = y + std::max(height, style.text->FontSize);
        }
        if (selected) draw_track_names(scene, row, area.x - style.unit);
        context.probe.mark(fmt::format("timeline.warp.{}", warp), row.x, row.y, row.width, row.height);
        handle_row(scene, row, scene.range, static_cast<int>(warp));
        y += height;
    }
    scene.rows.height = y - area.y;
}

// From what made the value, or was the last to arrive, to the instruction that waited for it.
void draw_arrow(const Scene& scene, uint32_t event) {
    if (event == Issue::nobody) return;
    const Issue& issue = scene.issue(event);
    if (issue.producer == Issue::nobody) return;
    const Style& style = scene.context.style;
    const auto& events = scene.picture.trace().events;
    const auto place = [&](uint32_t of) {
        const Rect& row = scene.row_of[events[of].warp];
        const float x = x_of(row, scene.range, static_cast<double>(scene.issue(of).cycle) + 0.5);
        return ImVec2{std::clamp(x, row.x, row.right()), row.y + std::min(row.height / 2, 2 * style.unit)};
    };
    const ImVec2 from = place(issue.producer), to = place(event);
    if (to.x - from.x < style.unit && from.y == to.y) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float lift = from.y == to.y ? 5 * style.unit : 0, bend = (to.x - from.x) / 3, tip = 1.5f * style.unit;
    const ImVec2 one{from.x + bend, from.y - lift}, two{to.x - bend, to.y - lift};
    for (const auto& [colour, width] : {std::pair{style.colour.panel, 2.5f}, {style.colour.selection, 1.25f}})
        list->AddBezierCubic(from, one, two, to, colour, style.data_line(width));
    list->AddCircleFilled(from, tip / 2, style.colour.selection);
    list->AddTriangleFilled({to.x - tip, to.y - tip / 2 - lift / 8}, {to.x - tip, to.y + tip / 2 - lift / 8}, to,
                            style.colour.selection);
}

void draw_picture(Scene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    Rect area = free_area();
    const float line = style.text->FontSize + style.unit;
    const auto take = [&](float height) { area.y += height, area.height -= height; };

    const bool roomy = area.height > 16 * line;
    float right = draw_axis_switch(context, area);
    Kept<bool> opened("what if"); // in a low panel the switches take a line only when they are asked for
    if (!roomy) {
        const std::array label{ButtonLabel{"what_if", context.tr("what_if.open")}};
        if (button_row(context, label, area.x, right - 2 * style.unit, area.y, opened ? 0 : -1, &right) == 0)
            opened = !opened;
    }
    const float words_x = draw_predicted_badge(context, context.session.products().judged, {area.x, area.y});
    const Rect first{words_x, area.y, std::max(right - words_x - 2 * style.unit, 0.0f), style.text->FontSize};
    draw_block_words(context, scene.time, first, !roomy);
    take(line + style.unit / 2);
    if (scene.time.asked() && roomy) {
        draw_what_if_banner(context, scene.time, area);
        take(line + style.unit / 2);
    }
    if (roomy || opened) take(draw_what_if(context, area));
    if (area.height > 6 * line) {
        const std::vector<LegendEntry> entries = cycle_legend(context, scene.picture, scene.run());
        const size_t drawn = draw_legend(context, entries, area.x, area.y, area.right());
        context.probe.mark("timeline.legend", area.x, area.y, area.width, style.text->FontSize);
        take(line);
        if (roomy && drawn < entries.size()) { // the rarest reasons
            draw_legend(context, std::span(entries).subspan(drawn), area.x, area.y, area.right());
            take(line);
        }
    }

    const float warp = text_size(style.text, say(context, "timeline.warp", 31)).x;
    float label = warp + text_size(style.text, say(context, "time.scheduler", 3)).x + 3 * style.unit;
    for (const char* key : {"timeline.global", "timeline.shared", lane_key(arithmetic(scene.picture)), "time.waits"})
        label = std::max(label, warp + text_size(style.text, context.tr(key)).x + 3 * style.unit);
    const bool whole = area.height > 8 * line; // else the rows, which are read, need its room
    const float overview = !whole ? 0 : area.height > 12 * line ? 6 * style.unit : 4 * style.unit;
    const Rect strip{area.x + label, area.y + (whole ? style.unit : 0), area.width - label - 2, overview};
    scene.rows = {strip.x, strip.bottom() + style.unit + line, strip.width,
                  area.bottom() - strip.bottom() - style.unit - 2 * line - style.unit};
    if (strip.width < 8 * style.unit || scene.rows.height < 4 * style.unit) return;
    if (whole) draw_overview(scene, strip, label);
    draw_rows(scene, label);
    draw_marks(scene, scene.rows, scene.range, strip.bottom() + style.unit);
    draw_cursor(scene, scene.rows, scene.range);
    draw_arrow(scene, scene.pointed != Issue::nobody
                          ? scene.pointed
                          : scene.picture.warps[static_cast<size_t>(scene.warp)].events[scene.index]);
    draw_cycle_axis(context, scene.time, scene.rows, scene.range, scene.rows.x - label);
    const PanZoom wish = pan_zoom(scene.rows, "cycles held");
    constexpr float least = 1 / 64.0f, most = 4096;
    context.view.time_zoom = std::clamp(context.view.time_zoom * static_cast<float>(wish.factor), least, most);
    ImGui::Dummy({area.width, std::min(scene.rows.bottom() + line - area.y, area.height)});
}

LongTable table(const Scene& scene) {
    const Context& context = scene.context;
    LongTable table;
    table.head = {.notes = {predicted_words(context, context.session.products().judged, scene.time),
                            launch_error_text(context.tr, context.session.products().judged), context.tr("time.axis")},
                  .columns = table_columns(context.tr, {{"timeline.column_warp"},
                                                        {"time.column_scheduler"},
                                                        {"timeline.column_stretch"},
                                                        {"timeline.column_first"},
                                                        {"timeline.column_last"},
                                                        {"time.column_from"},
                                                        {"time.column_to"},
                                                        {"time.column_issued"}})};
    if (scene.time.asked()) table.head.notes.push_back(what_if_words(context, scene.time));
    const std::vector<WaitShare> reasons = all_waits(scene.run().lost).reasons;
    for (const WaitShare& one : reasons) table.head.columns.push_back({wait_name(context.tr, one.why)});
    const std::vector<Stretch> all = stretches(scene.picture);
    table.count = all.size();
    table.widest = measured_rows(all);
    table.row = [&scene, reasons, all](size_t i) {
        const Stretch& one = all[i];
        const std::span<const uint32_t> events = scene.picture.warps[one.warp].events;
        const Issue& begin = scene.issue(events[one.first]);
        const timing::Lost lost = warp_waits(scene.picture, scene.run(), one.warp,
                                             {static_cast<double>(one.first), static_cast<double>(one.last)});
        std::vector<std::string> row;
        for (const uint64_t value : {uint64_t{one.warp}, uint64_t{one.warp % schedulers}, uint64_t{one.number},
                                     uint64_t{one.first} + 1, uint64_t{one.last}, begin.cycle - begin.waited,
                                     scene.issue(events[one.last - 1]).cycle, lost[Wait::selected]})
            row.push_back(std::to_string(value));
        for (const WaitShare& reason : reasons) row.push_back(std::to_string(lost[reason.why]));
        return row;
    };
    return table;
}

} // namespace

bool shows_cycles(const Context& context) {
    const TimeSlot& time = context.session.products().time;
    const session::View& view = context.session.view();
    const bool chosen_order = view.subject.schedule != trace::Schedule{}; // which is what is looked at, then
    return view.time_axis == session::TimeAxis::cycles && time.face != TimeSlot::Face::failed && !chosen_order;
}

std::string no_cycles(const Context& context) {
    const TimeSlot& time = context.session.products().time;
    if (context.session.view().time_axis != session::TimeAxis::cycles || !time.failed) return {};
    return say(context, "time.none", context.tr(time.failed->error));
}

std::string predicted_words(const Context& context, const session::ExpectedError& error, const TimedBlock& time) {
    return predicted_kind(context.tr, error) + ": " +
           (time.asked() ? what_if_words(context, time) : block_words(context, time, 0));
}

float draw_predicted_badge(Context& context, const session::ExpectedError& error, ImVec2 at) {
    const Style& style = context.style;
    const std::string kind = predicted_kind(context.tr, error);
    const ImVec2 size = text_size(style.text, kind);
    const Rect box{at.x, at.y, size.x + 2 * style.unit, size.y};
    outline(box, style.colour.text, 1);
    text(style.text, {at.x + style.unit, at.y}, style.colour.text, kind);
    context.probe.mark("time.kind", box.x, box.y, box.width, box.height);
    if (hovered(box))
        tooltip(context, context.tr("time.predicted_tip") + ("\n" + launch_error_text(context.tr, error)));
    return box.right() + 2 * style.unit;
}

void draw_block_words(Context& context, const TimedBlock& time, const Rect& line, bool effect) {
    if (time.asked() && effect) return draw_what_if_banner(context, time, line); // it has the cycles
    text_cut(context, context.style.text, {line.x, line.y}, line.width, context.style.colour.text,
             block_words(context, time, line.width));
}

void draw_cycle_axis(Context& context, const TimedBlock& time, const Rect& rows, AxisRange range, float left) {
    const Style& style = context.style;
    const int places = range.last - range.first < 4000 ? 3 : 2;
    const float y = rows.bottom() + style.unit;
    const auto words = [&](double cycle) {
        return fmt::format("{} = {:.{}f} µs", whole(cycle), cycle / time.clock_mhz, places);
    };
    text(style.text, {left, y}, style.colour.dim, context.tr("time.cycles"));
    const float widest = text_size(style.text, words(range.last)).x + 4 * style.unit;
    const Axis axis(Axis::Scale::linear, range.first, range.last, rows.x, rows.right());
    float free = rows.x;
    for (const Tick& tick : axis.ticks(std::max(1, static_cast<int>(rows.width / widest)))) {
        if (tick.label.empty()) continue;
        const float x = std::floor(axis.pixel(tick.value));
        fill({x, rows.bottom(), 1, style.unit}, style.colour.dim);
        const std::string label = words(tick.value);
        const float width = text_size(style.text, label).x;
        const float at = std::clamp(x - width / 2, rows.x, std::max(rows.right() - width, rows.x));
        if (at < free) continue;
        text(style.text, {at, y}, style.colour.dim, label);
        free = at + width + style.unit;
    }
}

float draw_axis_switch(Context& context, const Rect& area) {
    const std::array labels{ButtonLabel{"timeline.order", context.tr("time.order")},
                            ButtonLabel{"timeline.cycles", context.tr("time.cycles")}};
    float start = area.right();
    const int pressed =
        button_row(context, labels, area.x, area.right(), area.y, shows_cycles(context) ? 1 : 0, &start);
    if (pressed >= 0) context.view.time_axis = static_cast<session::TimeAxis>(pressed);
    return start;
}

void draw_cycles(Context& context) {
    const session::Products& products = context.session.products();
    if (!face(context, products.time)) return;
    const auto time = products.time.value;
    if (time->block != products.block.value) context.chrome.computing = true; // of the picture before
    const auto picture = context.pictures.block(time->block);
    const session::Selection& selection = context.session.view().selection;
    Scene scene{context, *time, *picture};
    scene.warp = selected_warp(*picture, selection);
    if (picture->warps.empty() || picture->warps[static_cast<size_t>(scene.warp)].events.empty())
        return sentence(context, context.tr("timeline.none"));
    scene.index = picture->warps[static_cast<size_t>(scene.warp)].at_or_after(selection.event);
    scene.range = cycles_around(*picture, scene.run(), static_cast<size_t>(scene.warp), scene.index,
                                static_cast<double>(context.session.view().time_zoom));
    if (context.view.table) return draw_table(context, table(scene));
    if (context.chrome.headline.empty())
        context.chrome.headline = predicted_words(context, context.session.products().judged, scene.time);
    draw_picture(scene);
}

} // namespace ui
