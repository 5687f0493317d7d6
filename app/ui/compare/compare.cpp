#include "ui/compare/compare_parts.h"
#include "ui/draw/kept.h"

#include "ui/code/breaks.h"
#include "ui/code/diff_view.h"
#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "ui/plot/plot_views.h"
#include "ui/speed/speed.h"
#include "ui/time/stepping.h"
#include "views/diff.h"
#include "views/lines.h"
#include "views/run_words.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

Compared collect(Context& context, const session::Subject& subject, const session::Products* products, bool current) {
    Compared one{&subject, products, context.session.catalog().find(subject.kernel), nullptr, {}, current};
    if (!products) return one;
    if (const auto& run = products->block.value; run && run->trace.listing && !run->trace.events.empty())
        one.picture = context.pictures.block(run);
    return one;
}

std::string name(const Context& context, const Compared& one) {
    return one.kernel ? context.tr(one.kernel->title) : one.subject->kernel;
}

// "BM 128  BN 128 ...  256³", after what is executed and the order of the warps where these are not the usual ones
std::string settings(const Context& context, const Compared& one) {
    std::string words;
    if (one.products && engine_of(*one.products) == trace::Engine::ptx)
        words = program_text(context.tr, trace::Engine::ptx) + std::string("  ");
    if (one.subject->schedule != trace::Schedule{}) words += schedule_text(context.tr, one.subject->schedule) + "  ";
    if (one.kernel)
        if (const auto values = catalog::with(*one.kernel, one.subject->parameters))
            for (const auto& parameter : one.kernel->parameters)
                words += fmt::format("{} {}  ", parameter.name, values->at(parameter.name));
    const catalog::Problem& size = one.subject->problem;
    return words + size_text(size.m, size.n, size.k);
}

// --- counters ---

// The launch whose counters are compared; nothing: its parameters are no longer the kernel's.
std::optional<session::Subject> launch_of(const Compared& one, const catalog::Problem& size) {
    const auto values = catalog::with(*one.kernel, one.subject->parameters);
    if (!values) return std::nullopt;
    session::Subject launch = *one.subject;
    launch.parameters = *values;
    launch.problem = size;
    return launch;
}

std::vector<NumberGroup> traced_groups(const Compared& one) {
    return one.products ? number_groups(one.kernel.get(), *one.subject, *one.products) : std::vector<NumberGroup>{};
}

std::vector<NumberGroup> groups_of(const Compared& one, const session::LaunchCounts& counts) {
    if (!one.products) return {};
    session::Products products = *one.products;
    products.grid = {};
    products.grid.value = counts.run;
    return number_groups(one.kernel.get(), counts.subject, products);
}

// "9 of 1,024", or "all"
std::string blocks_text(const Context& context, const session::LaunchCounts& counts) {
    return counts.executed < counts.blocks
               ? say(context, "compare.blocks", thousands(counts.executed), thousands(counts.blocks))
               : std::string(context.tr("compare.all"));
}

// Gives both sides the numbers of one size: that of the speeds or, where one of them cannot be counted there, their own. Returns
// what stands above the numbers.
std::string count(Context& context, Compared& baseline, Compared& current, const catalog::Problem& size) {
    const std::string at = size_text(size.m, size.n, size.k);
    bool counted = true;
    std::string why;
    std::array<std::shared_ptr<const base::Result<session::LaunchCounts>>, 2> counts;
    for (size_t i = 0; i < counts.size(); ++i) {
        const Compared& one = i == 0 ? baseline : current;
        const auto launch = launch_of(one, size);
        if (!launch) return {};
        context.commands.counts.push_back({one.kernel, *launch});
        counts[i] = context.session.counts(*launch);
        counted = counted && counts[i];
        if (!counts[i] || !why.empty()) continue;
        if (!*counts[i]) why = context.tr(counts[i]->error().what);
        else if ((**counts[i]).subject.problem != size)
            why = say(context, "compare.all_blocks", name(context, one), at);
    }
    if (!why.empty()) {
        baseline.groups = traced_groups(baseline), current.groups = traced_groups(current);
        return say(context, "compare.counters_traced", why);
    }
    if (!counted) return say(context, "compare.counting", at);
    baseline.groups = groups_of(baseline, **counts[0]), current.groups = groups_of(current, **counts[1]);
    return say(context, "compare.counters", at, blocks_text(context, **counts[0]), blocks_text(context, **counts[1]));
}

// --- measured speed ---

struct Speed {
    double gflops = 0, reference = 0; // 0: not measured; of cuBLAS beside it
    std::string origin;               // for the tooltip
    catalog::Values other_tiles;      // with which it was measured, where these are not those shown
};

struct Pair {
    Compared baseline, current;
    std::string counters;             // above the numbers: of which size they are
    std::optional<SeriesGroup> group; // whose speeds are compared, at `size`
    catalog::Problem size;

    // Then each has a cuBLAS of its own, and only TFLOPS say which one is faster.
    bool of_one_arithmetic() const { return baseline.kernel->operands == current.kernel->operands; }
    // Bits have no cuBLAS to be a share of.
    bool has_peer() const { return catalog::cublas_operands(current.kernel->operands) == current.kernel->operands; }
};

// With the tiles shown or, where those were not measured, the fastest that were.
Speed speed_of(const Context& context, const Pair& pair, const Compared& one) {
    if (!one.subject->breaks.empty()) return {}; // what was measured is the right kernel's
    const auto values = catalog::with(*one.kernel, one.subject->parameters);
    const session::Session& session = context.session;
    const session::Speeds speeds(one.kernel, one.current ? session.sweeps() : session.baseline_sweeps(),
                                 session.series(), pair.group->device);
    if (const auto exact = values ? speeds.at(*values, pair.size) : std::nullopt; exact && exact->gflops > 0)
        return {exact->gflops,
                exact->cublas_gflops,
                speed_origin(context.tr, *exact) + ", " + exact->date + "\n" + exact->source,
                {}};
    const auto fastest = figure(*pair.group, one.subject->kernel, pair.size);
    if (!fastest) return {};
    const auto& tiles = fastest->sample.parameters.empty() ? fastest->series->parameters
                                                           : fastest->sample.parameters; // tuned: each size has its own
    return {fastest->sample.gflops, reference_of(*pair.group, *fastest->series, fastest->sample),
            provenance(context.tr, *fastest->series),
            values && catalog::Values(tiles.begin(), tiles.end()) != *values
                ? catalog::Values(tiles.begin(), tiles.end())
                : catalog::Values{}};
}

// The bar in `box`: all of it is `whole` GFLOPS. Hollow where other tile values were measured.
void draw_bar(Context& context, const Rect& box, const Speed& speed, double whole_gflops, bool has_peer, bool current) {
    const Style& style = context.style;
    if (speed.gflops <= 0) return text(style.text, {box.x, box.y}, style.colour.dim, context.tr("plot.not_measured"));
    std::string numbers = gflops(speed.gflops);
    if (speed.reference > 0 && has_peer) numbers += fmt::format("  {:.1f} %", 100 * speed.gflops / speed.reference);
    const float room = std::max(box.width - 21 * text_size(style.mono, "0").x - 2 * style.unit, 1.0f);
    const auto share = static_cast<float>(speed.gflops / std::max(whole_gflops, speed.gflops));
    const Rect whole{box.x, box.y + style.unit / 2, room, box.height - style.unit};
    const ImU32 colour = current ? style.colour.selection : mixed(style.colour.panel, style.colour.dim, 0.75f);
    fill(whole, with_alpha(style.colour.line, 0.6f));
    const Rect bar{whole.x, whole.y, std::max(room * share, 1.0f), whole.height};
    if (!speed.other_tiles.empty()) outline(bar, colour, std::max(1.0f, style.unit / 2));
    else fill(bar, colour);
    text_right(style.mono, {box.right(), box.y + (box.height - style.mono->FontSize) / 2}, style.colour.text, numbers);
    if (!hovered(box)) return;
    std::string words = speed.origin;
    if (!speed.other_tiles.empty())
        words += std::string("\n") + context.tr("compare.other_tiles") + "\n" + changes_text({}, speed.other_tiles);
    tooltip(context, words);
}

// --- parts ---

// What a full bar stands for: cuBLAS beside each, or the faster of the two where one is past it or there is none.
enum class Scale { cublas, faster, mixed };
Scale scale_of(const Context& context, const Pair& pair) {
    if (!pair.of_one_arithmetic()) return Scale::mixed;
    const Speed left = speed_of(context, pair, pair.baseline), right = speed_of(context, pair, pair.current);
    const bool past = left.gflops > left.reference || right.gflops > right.reference;
    return past || !pair.has_peer() ? Scale::faster : Scale::cublas;
}

// GFLOPS of a full bar.
double whole_bar(const Context& context, const Pair& pair, const Compared& one) {
    if (scale_of(context, pair) == Scale::cublas) return speed_of(context, pair, one).reference;
    return std::max(speed_of(context, pair, pair.baseline).gflops, speed_of(context, pair, pair.current).gflops);
}

// "Speed at 4096³, recorded on NVIDIA H200; a full bar is cuBLAS with the same operands"
std::string speed_title(const Context& context, const Pair& pair) {
    static constexpr std::array keys{"compare.speed", "compare.speed_faster", "compare.speed_mixed"};
    return say(context, keys[static_cast<size_t>(scale_of(context, pair))],
               size_text(pair.size.m, pair.size.n, pair.size.k), origin_on(context, *pair.group));
}

// Name, settings and bar of one side.
void draw_side(Context& context, const Pair& pair, const Compared& one, float width) {
    const Style& style = context.style;
    const Rect area = free_area();
    const float line = style.text->FontSize + style.unit;
    const std::string which = std::string(context.tr(one.current ? "compare.current" : "compare.baseline")) + "  ";
    float x = area.x + text_cut(context, style.text, {area.x, area.y + style.heading->FontSize - style.text->FontSize},
                                width, style.colour.dim, which);
    x += text_cut(context, style.heading, {x, area.y}, area.x + width - x,
                  one.current ? style.colour.text : style.colour.dim, name(context, one)) +
         3 * style.unit;
    text_cut(context, style.text, {x, area.y + style.heading->FontSize - style.text->FontSize}, area.x + width - x,
             style.colour.dim, settings(context, one));
    float y = area.y + style.heading->FontSize + style.unit;
    if (pair.group) {
        draw_bar(context, {area.x, y, width, line}, speed_of(context, pair, one), whole_bar(context, pair, one),
                 pair.has_peer(), one.current);
        y += line + style.unit;
    }
    ImGui::Dummy({width, y - area.y});
}

void draw_speed_title(Context& context, const Pair& pair) {
    const Style& style = context.style;
    const Rect area = free_area();
    const std::string words = pair.group ? speed_title(context, pair) : std::string(context.tr("compare.no_series"));
    text_cut(context, style.text, {area.x, area.y}, area.width, style.colour.dim, words);
    ImGui::Dummy({area.width, style.text->FontSize});
}

// What is compared: at first what differs most. Once another was chosen it stays, as a scroll position does, until other kernels are compared.
ComparedView draw_kinds(Context& context, const Pair& pair) {
    const ImGuiID pair_id = ImGui::GetID((pair.baseline.subject->kernel + " " + pair.current.subject->kernel).c_str());
    Kept<int> chosen("kind", -1), of_pair("kind of");
    if (of_pair != static_cast<int>(pair_id)) of_pair = static_cast<int>(pair_id), chosen = -1;
    const int best = static_cast<int>(differing_view(context, pair.baseline, pair.current));
    const int shown = chosen < 0 ? best : chosen;
    const bool of_access = shown != static_cast<int>(ComparedView::timeline);
    const int now = tab_row(context, "compare.kind",
                            {context.tr("compare.global_loads"), context.tr("compare.loads"),
                             context.tr("compare.stores"), context.tr("window.timeline")},
                            shown,
                            of_access ? say(context, "compare.rule", executed_program(context))
                                      : std::string(context.tr("compare.locked")));
    if (now != shown) chosen = now;
    return static_cast<ComparedView>(now);
}

void draw_view_of(Context& context, const Compared& one, const Compared& other, ComparedView view) {
    if (view == ComparedView::timeline) draw_compared_timeline(context, one, other);
    else draw_compared_access(context, one, other, view);
}

void draw_side_view(Context& context, const Pair& pair, const Compared& one, ComparedView view, ImVec2 size) {
    ImGui::BeginChild(one.current ? "current view" : "baseline view", size, false, ImGuiWindowFlags_NoNav);
    draw_view_of(context, one, one.current ? pair.baseline : pair.current, view);
    ImGui::EndChild();
}

void draw_beside(Context& context, const Pair& pair) {
    const Style& style = context.style;
    const float gap = 4 * style.unit, width = free_area().width, half = std::floor((width - gap) / 2),
                line = style.text->FontSize;
    draw_speed_title(context, pair);
    const float x = ImGui::GetCursorPosX(), y = ImGui::GetCursorPosY();
    draw_side(context, pair, pair.baseline, half);
    ImGui::SetCursorPos({x + half + gap, y});
    draw_side(context, pair, pair.current, half);
    ImGui::SetCursorPosX(x);
    const ComparedView view = draw_kinds(context, pair);
    if (view == ComparedView::timeline) draw_compared_cycles(context, pair.baseline, pair.current);
    const float room = free_area().height;
    const float wish =
        std::max(compared_height(context, pair.baseline, view), compared_height(context, pair.current, view));
    const float banks = std::max(10 * line, std::floor(std::clamp(wish, 0.4f * room, 0.58f * room)));
    draw_side_view(context, pair, pair.baseline, view, {half, banks});
    ImGui::SameLine(0, gap);
    draw_side_view(context, pair, pair.current, view, {half, banks});
    const float rest = std::max(free_area().height - style.unit, 12 * line),
                sources = std::floor(width * (width > 70 * line ? 0.56f : 0.5f));
    ImGui::BeginChild("sources", {sources, rest});
    draw_diff(context, executed_source(*pair.baseline.kernel, *pair.baseline.subject),
              executed_source(*pair.current.kernel, *pair.current.subject));
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
    ImGui::BeginChild("figures", {width - sources - gap, rest});
    draw_compared_numbers(context, pair.baseline, pair.current, pair.counters);
    ImGui::EndChild();
}

// One below the other, in a window that scrolls.
void draw_stacked(Context& context, const Pair& pair) {
    const Style& style = context.style;
    const float width = free_area().width, line = style.text->FontSize;
    draw_speed_title(context, pair);
    draw_side(context, pair, pair.baseline, width);
    draw_side(context, pair, pair.current, width);
    const ComparedView view = draw_kinds(context, pair);
    if (view == ComparedView::timeline) draw_compared_cycles(context, pair.baseline, pair.current);
    for (const Compared* one : {&pair.baseline, &pair.current})
        draw_side_view(context, pair, *one, view, {width, std::max(12 * line, compared_height(context, *one, view))});
    ImGui::BeginChild("figures", {width, 16 * line});
    draw_compared_numbers(context, pair.baseline, pair.current, pair.counters);
    ImGui::EndChild();
    ImGui::BeginChild("sources", {width, 24 * line});
    draw_diff(context, executed_source(*pair.baseline.kernel, *pair.baseline.subject),
              executed_source(*pair.current.kernel, *pair.current.subject));
    ImGui::EndChild();
}

// The lines of the sources that one side alone has.
void append_diff(Table& table, const Context& context, const Pair& pair) {
    const std::string texts[] = {executed_source(*pair.baseline.kernel, *pair.baseline.subject),
                                 executed_source(*pair.current.kernel, *pair.current.subject)};
    std::vector<std::string_view> sides[2];
    int first[2] = {};
    for (size_t i = 0; i < 2; ++i) {
        sides[i] = split_lines(texts[i]);
        first[i] = front_matter_lines(sides[i]);
        sides[i].erase(sides[i].begin(), sides[i].begin() + first[i]);
    }
    const auto line = [&](size_t side, int at) {
        if (at < 0) return std::string();
        return fmt::format("{}: {}", first[side] + at + 1, sides[side][static_cast<size_t>(at)]);
    };
    for (const DiffLine& row : diff(sides[0], sides[1]))
        if (!row.same)
            table.rows.push_back({context.tr("compare.column_source"), line(0, row.left), line(1, row.right)});
}

Table compare_table(Context& context, const Pair& pair) {
    const Strings& tr = context.tr;
    Table table{.columns = table_columns(
                    tr, {{"numbers.column_what"}, {"compare.baseline"}, {"compare.current"}, {"numbers.column_unit"}})};
    const Compared &left = pair.baseline, &right = pair.current;
    table.rows.push_back({tr("compare.column_kernel"), name(context, left) + "  " + settings(context, left),
                          name(context, right) + "  " + settings(context, right)});
    if (pair.group) {
        const auto speed = [&](const Compared& one) {
            const Speed measured = speed_of(context, pair, one);
            if (measured.gflops <= 0) return std::string(tr("plot.not_measured"));
            return gflops(measured.gflops) +
                   (measured.other_tiles.empty() ? std::string() : std::string(", ") + tr("compare.other_tiles"));
        };
        table.rows.push_back({speed_title(context, pair), speed(left), speed(right)});
    }
    for (const auto& [key, view] : {std::pair{"compare.global_loads", ComparedView::global_load},
                                    {"compare.loads", ComparedView::shared_load},
                                    {"compare.stores", ComparedView::shared_store}})
        table.rows.push_back(
            {tr(key), access_words_of(context, left, right, view), access_words_of(context, right, left, view)});
    table.notes.push_back(pair.counters);
    for (const NumberGroup& group : right.groups)
        for (const NumberGroup& other : left.groups) {
            if (std::string_view(other.key) != group.key) continue;
            for (size_t i = 0; i < group.numbers.size(); ++i)
                table.rows.push_back({std::string(tr(group.key)) + ": " + tr(group.numbers[i].key),
                                      shown_number(context, other.numbers[i]), shown_number(context, group.numbers[i]),
                                      *group.numbers[i].unit ? tr(group.numbers[i].unit) : ""});
        }
    append_diff(table, context, pair);
    return table;
}

} // namespace

void draw_compare(Context& context) {
    const auto& pinned = context.session.view().baseline;
    if (!pinned) return sentence(context, context.tr("compare.empty"));
    Pair pair{collect(context, *pinned, context.session.baseline(), false),
              collect(context, context.session.view().subject, &context.session.products(), true),
              {},
              std::nullopt,
              {}};
    if (!pair.baseline.kernel || !pair.current.kernel) return sentence(context, context.tr("code.no_kernel"));
    if (!face(context, context.session.products().prepared)) return;
    const std::vector<SeriesGroup> groups = series_groups(context.session.series());
    if (!groups.empty()) pair.group = completed(groups.front(), groups);
    if (const auto size = pair.group ? nearest_size(*pair.group, context.session.view().speed_problem) : std::nullopt)
        pair.size = *size;
    else pair.group.reset();
    pair.counters =
        count(context, pair.baseline, pair.current, pair.group ? pair.size : context.session.view().speed_problem);
    if (context.view.table) return draw_table(context, compare_table(context, pair));
    ImGui::BeginChild("compared");
    const bool beside = free_area().width > 44 * context.style.text->FontSize;
    (beside ? draw_beside : draw_stacked)(context, pair);
    ImGui::EndChild();
}

} // namespace ui
