#include "analysis/banks.h"
#include "analysis/sectors.h"
#include "ui/compare/compare_parts.h"
#include "ui/time/cycle_row.h"
#include "ui/time/cycles.h"
#include "ui/time/legend.h"
#include "ui/time/stepping.h"
#include "ui/time/track_picture.h"
#include "views/wait_rows.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace ui {

namespace {

struct Side { // of one frame
    Context& context;
    const BlockPicture& picture;
    size_t warp = 0;
    uint32_t index = 0; // of the event shown
    bool current = false;
    analysis::BankRule rule{};
    const session::TimedBlock* time = nullptr; // both have one, and places are cycles; else those of the order
    const WarpOrder& order() const { return picture.warps[warp]; }
    bool tiled() const { return picture.trace().shared_bytes > 0; }
};

size_t warp_of(const Context& context, const BlockPicture& picture) {
    return static_cast<size_t>(selected_warp(picture, context.session.view().selection));
}

// Both blocks in time, of the pictures that are shown.
bool both_timed(const Context& context, const Compared& one, const Compared& other) {
    if (context.session.view().time_axis != session::TimeAxis::cycles) return false;
    const auto timed = [](const Compared& side) {
        using Timed = session::Slot<session::TimedBlock>;
        const bool in_order = side.subject->schedule == trace::Schedule{};
        if (!in_order || !side.products || !side.picture) return false;
        const Timed& time = side.products->time;
        return time.face != Timed::Face::failed && time.value && time.value->block == side.picture->run;
    };
    return timed(one) && timed(other);
}

Side side_of(Context& context, const Compared& one, const Compared& other) {
    return {context,
            *one.picture,
            warp_of(context, *one.picture),
            compared_index(context, one, other),
            one.current,
            analysis::bank_rule(one.subject->arch),
            both_timed(context, one, other) ? one.products->time.value.get() : nullptr};
}

const timing::Run& run_of(const Side& side) { return side.time->shown->run; }

double place_of(const Side& side, uint32_t index) {
    return side.time ? issue_cycle(side.picture, run_of(side), side.warp, index)
                     : axis_place(side.picture, side.warp, index);
}

uint32_t index_at(const Side& side, double place) {
    return side.time ? index_at_cycle(side.picture, run_of(side), side.warp, place)
                     : axis_index(side.picture, side.warp, place);
}

AxisRange whole_of(const Side& side) {
    return {0, side.time ? last_cycle(run_of(side)) : std::max<double>(side.picture.segment_start.back(), 1)};
}

AxisRange near_of(const Side& side) {
    return side.time ? cycles_around(side.picture, run_of(side), side.warp, side.index, 1)
                     : turns_around(side.picture, side.warp, side.index);
}

// Cycles are as wide on both sides: what takes longer is longer.
AxisRange on_one_scale(const Side& side, AxisRange range, AxisRange other) {
    if (side.time) range.last = range.first + std::max(range.last - range.first, other.last - other.first);
    return range;
}

void draw_warp(const Side& side, const Rect& row, AxisRange range, bool strong) {
    const Style& style = side.context.style;
    if (side.time) {
        draw_cycle_row(style, side.picture, run_of(side), row, range, side.warp, strong);
        if (strong) draw_arrivals(style, side.picture, run_of(side), row, range, side.warp);
        return;
    }
    draw_track(style, side.picture, row, range, side.warp);
    draw_barriers(style, side.picture, row, range, strong);
}

void draw_cursor(const Side& side, const Rect& row, AxisRange range) {
    const Style& style = side.context.style;
    const double place = place_of(side, side.index) + 0.5;
    if (place < range.first || place > range.last) return;
    const float x = std::floor(x_of(row, range, place));
    fill({x - 2, row.y, 4, row.height}, style.colour.background);
    fill({x - 1, row.y, 2, row.height}, style.colour.selection);
}

// A click takes both sides to that place in k.
void handle_click(const Side& side, const Compared& other, const Rect& row, AxisRange range) {
    Context& context = side.context;
    if (!hovered(row) || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    const double place =
        range.first + (ImGui::GetIO().MousePos.x - row.x) * (range.last - range.first) / std::max(row.width, 1.0f);
    const uint32_t index = index_at(side, place);
    if (side.current) return step_to(context, index);
    if (!other.picture || other.picture->warps.empty()) return;
    const WarpOrder& order = other.picture->warps[warp_of(context, *other.picture)];
    step_to(context, index_at_turn(order, same_turn(side.order(), order, turn_place(side.order(), index))));
}

uint64_t sectors_of_load(const BlockPicture& picture, uint32_t number) {
    const trace::Event& event = picture.trace().events[number];
    const trace::Instruction& instruction = picture.instruction(number);
    const bool load = instruction.kind == trace::Kind::load && instruction.space == trace::Space::global;
    if ((!load && instruction.kind != trace::Kind::async_copy) || event.access == trace::no_access) return 0;
    const AccessShown access = access_at(picture, number, trace::Space::global);
    return static_cast<uint64_t>(analysis::sectors_of(instruction, access.active, *access.address).sectors);
}

uint64_t wavefronts_of(const Side& side, uint32_t number) {
    const trace::Event& event = side.picture.trace().events[number];
    const trace::Instruction& instruction = side.picture.instruction(number);
    const bool load = instruction.kind == trace::Kind::load, store = instruction.kind == trace::Kind::store;
    if ((!load && !store) || instruction.space != trace::Space::shared || event.access == trace::no_access) return 0;
    const AccessShown access = access_at(side.picture, number, trace::Space::shared);
    return static_cast<uint64_t>(
        analysis::count_wavefronts(side.rule, instruction, access.active, *access.address).wavefronts);
}

// "k-tile 3: global loads 4 (64 sectors), shared loads 32, shared stores 5 (69 wavefronts), FMA 1,024, barriers 2"
std::string turn_words(const Side& side) {
    const auto& turns = side.order().k_tiles;
    const auto after = std::upper_bound(turns.begin(), turns.end(), side.index);
    const uint32_t first = after == turns.begin() ? 0 : *(after - 1);
    const uint32_t last = after == turns.end() ? static_cast<uint32_t>(side.order().events.size()) : *after;
    std::array<uint32_t, lane_count> counts{};
    uint32_t barriers = 0;
    uint64_t sectors = 0, wavefronts = 0;
    for (uint32_t i = first; i < last; ++i) {
        const uint32_t event = side.order().events[i];
        const trace::Instruction& instruction = side.picture.instruction(event);
        ++counts[static_cast<size_t>(lane_of(instruction))];
        barriers += instruction.kind == trace::Kind::barrier;
        sectors += sectors_of_load(side.picture, event);
        wavefronts += wavefronts_of(side, event);
    }
    const auto count = [&](Lane lane) { return thousands(counts[static_cast<size_t>(lane)]); };
    const Lane computing = arithmetic(side.picture);
    std::string name = turn_name(side.context, side.picture, side.order(), side.index);
    if (name.empty()) name = side.context.tr("compare.before_loop");
    return say(side.context, "compare.turn", name, count(Lane::global_load), thousands(sectors),
               count(Lane::shared_load), count(Lane::shared_store), thousands(wavefronts),
               side.context.tr(lane_key(computing)), count(computing), barriers);
}

void draw_turn_names(const Side& side, const Rect& row, AxisRange range, float y) {
    const Style& style = side.context.style;
    float free = row.x;
    const auto& turns = side.order().k_tiles;
    for (size_t turn = 0; turn < turns.size(); ++turn) {
        const double place = place_of(side, turns[turn]);
        const float x = x_of(row, range, place);
        const std::string label = say(side.context, side.tiled() ? "timeline.k_tile" : "timeline.turn", turn);
        const float width = text_size(style.text, label).x;
        if (place < range.first || place >= range.last || x < free || x + width > row.right()) continue;
        fill({x, y, 1, row.y - y}, style.colour.dim);
        text(style.text, {x + style.unit, y}, style.colour.dim, label);
        free = x + width + 3 * style.unit;
    }
}

AxisRange whole_on_scale(const Side& side, const Compared& other) {
    const AxisRange whole = whole_of(side);
    if (!side.time) return whole;
    return on_one_scale(side, whole, {0, last_cycle(other.products->time.value->shown->run)});
}

// Of what stands before strips and rows.
float label_width(const Context& context) {
    const Style& style = context.style;
    float width = 0;
    for (const std::string& words : {std::string(context.tr("timeline.whole")), say(context, "timeline.warp", 31),
                                     std::string(context.tr("time.cycles")), std::string(context.tr("time.waits"))})
        width = std::max(width, text_size(style.text, words).x);
    return width + 2 * style.unit;
}

void draw_label(const Side& side, const Rect& row, float y, const std::string& words) {
    text(side.context.style.text, {row.x - label_width(side.context), y}, side.context.style.colour.dim, words);
}

void draw_strip(const Side& side, const Compared& other, const Rect& strip) {
    const AxisRange whole = whole_on_scale(side, other);
    draw_label(side, strip, strip.y + (strip.height - side.context.style.text->FontSize) / 2,
               side.context.tr("timeline.whole"));
    draw_warp(side, strip, whole, false);
    draw_cursor(side, strip, whole);
    side.context.probe.mark(side.current ? "compare.strip.current" : "compare.strip.baseline", strip.x, strip.y,
                            strip.width, strip.height);
    handle_click(side, other, strip, whole);
}

// What both sides show, each once; what warps wait for with its share on either side, the largest first.
std::vector<LegendEntry> legend_of(const Side& baseline, const Side& current) {
    const Context& context = current.context;
    std::vector<LegendEntry> entries = issue_legend(context, current.picture);
    for (LegendEntry& one : issue_legend(context, baseline.picture)) {
        const auto is_it = [&](const LegendEntry& entry) { return entry.words == one.words; };
        if (std::none_of(entries.begin(), entries.end(), is_it)) entries.push_back(std::move(one));
    }
    const WaitRow before = all_waits(run_of(baseline).lost), now = all_waits(run_of(current).lost);
    const auto percent = [](const WaitRow& row, timing::Wait why) {
        for (const WaitShare& one : row.reasons)
            if (one.why == why) return 100 * one.share;
        return 0.0;
    };
    std::vector<std::pair<double, timing::Wait>> waits;
    for (size_t n = 0; n < static_cast<size_t>(timing::Wait::count); ++n)
        if (const auto why = static_cast<timing::Wait>(n); std::max(percent(before, why), percent(now, why)) >= 0.5)
            waits.emplace_back(-std::max(percent(before, why), percent(now, why)), why);
    std::sort(waits.begin(), waits.end());
    entries.push_back({0, context.tr("compare.lost"), 0, 0}); // what the numbers are
    for (const auto& [least, why] : waits) {
        const std::string left = fmt::format("{:.0f}", percent(before, why)),
                          right = fmt::format("{:.0f}", percent(now, why));
        entries.push_back(wait_entry(context, why, fmt::format("{} {} | {} %", wait_name(context.tr, why), left, right),
                                     say(context, "compare.cycles_lost", left, right)));
    }
    return entries;
}

} // namespace

uint32_t compared_index(const Context& context, const Compared& one, const Compared& other) {
    const uint32_t event = context.session.view().selection.event;
    const WarpOrder& mine = one.picture->warps[warp_of(context, *one.picture)];
    if (one.current) return mine.at_or_after(event);
    if (!other.picture || other.picture->warps.empty()) return 0;
    const WarpOrder& order = other.picture->warps[warp_of(context, *other.picture)];
    return index_at_turn(mine, same_turn(order, mine, turn_place(order, order.at_or_after(event))));
}

std::string turn_name(const Context& context, const BlockPicture& picture, const WarpOrder& order, uint32_t index) {
    const auto& turns = order.k_tiles;
    if (turns.empty()) return {};
    const auto after = std::upper_bound(turns.begin(), turns.end(), index);
    if (after == turns.begin()) return context.tr("compare.before_loop");
    const bool tiled = picture.trace().shared_bytes > 0;
    return say(context, tiled ? "timeline.k_tile" : "timeline.turn", after - turns.begin() - 1);
}

float compared_strip_height(const Style& style) { return 6 * style.unit; }

void draw_compared_strip(Context& context, const Compared& one, const Compared& other) {
    const Rect area = free_area();
    const Side side = side_of(context, one, other);
    const float label = label_width(context);
    draw_strip(side, other, {area.x + label, area.y, area.width - label - 2, compared_strip_height(context.style)});
    ImGui::Dummy({area.width, compared_strip_height(context.style)});
}

void draw_compared_timeline(Context& context, const Compared& one, const Compared& other) {
    if (!one.picture || one.picture->warps.empty()) return sentence(context, context.tr("face.computing"));
    const Side side = side_of(context, one, other);
    if (side.order().events.empty()) return sentence(context, context.tr("timeline.none"));
    const Style& style = context.style;
    Rect area = free_area();
    const float line = style.text->FontSize + style.unit;
    const float label = label_width(context);
    if (side.time) {
        draw_block_words(context, *side.time, {area.x, area.y, area.width, style.text->FontSize}, true);
        area.y += line, area.height -= line;
    }
    const AxisRange whole = whole_on_scale(side, other),
                    near = side.time ? on_one_scale(side, near_of(side), near_of(side_of(context, other, one)))
                                     : near_of(side);
    const Rect strip{area.x + label, area.y, area.width - label - 2, compared_strip_height(style)};
    draw_strip(side, other, strip);
    const float first = x_of(strip, whole, near.first), last = x_of(strip, whole, near.last);
    outline({first - 1, strip.y - 2, std::max(last - first, 3.0f) + 2, strip.height + 4}, style.colour.text, 1);
    const float words = strip.bottom() + style.unit, turns = words + line, top = turns + line;
    text_cut(context, style.text, {area.x, words}, area.width, style.colour.text, turn_words(side));
    const float axis = side.time ? line : 0;
    const Rect row{strip.x, top, strip.width,
                   std::clamp(area.bottom() - top - style.unit - axis, 6 * style.unit, 40 * style.unit)};
    fill(row, with_alpha(style.colour.line, 0.6f));
    draw_warp(side, row, near, true);
    draw_turn_names(side, row, near, turns);
    draw_label(side, row, row.y, say(context, "timeline.warp", side.warp));
    if (side.time) {
        draw_label(side, row, waits_of(row, true).y, context.tr("time.waits"));
        draw_cycle_axis(context, *side.time, row, near, area.x);
    }
    draw_cursor(side, row, near);
    context.probe.mark(one.current ? "compare.track.current" : "compare.track.baseline", row.x, row.y, row.width,
                       row.height);
    handle_click(side, other, row, near);
    ImGui::Dummy({area.width, row.bottom() + axis - area.y});
}

void draw_compared_cycles(Context& context, const Compared& baseline, const Compared& current) {
    if (!baseline.picture || !current.picture || !both_timed(context, baseline, current)) return;
    const Side before = side_of(context, baseline, current), now = side_of(context, current, baseline);
    const Style& style = context.style;
    const Rect area = free_area();
    const session::ExpectedError &of_before = baseline.products->judged, &of_now = current.products->judged;
    const float x = draw_predicted_badge(context, of_before.validated() ? of_now : of_before, {area.x, area.y});
    const double cycles = last_cycle(run_of(now)), of_baseline = last_cycle(run_of(before));
    text_cut(context, style.text, {x, area.y}, area.right() - x, style.colour.text,
             say(context, "compare.cycles", thousands(static_cast<uint64_t>(of_baseline)),
                 thousands(static_cast<uint64_t>(cycles)), fmt::format("{:.2f}", cycles / of_baseline)));
    const float line = style.text->FontSize + style.unit;
    const std::vector<LegendEntry> entries = legend_of(before, now);
    float y = area.y + line;
    for (size_t drawn = 0, row = 0; drawn < entries.size() && row < 2; ++row, y += line)
        drawn += draw_legend(context, std::span(entries).subspan(drawn), area.x, y, area.right());
    context.probe.mark("compare.cycles", area.x, area.y, area.width, y - area.y);
    ImGui::Dummy({area.width, y - area.y});
}

} // namespace ui
