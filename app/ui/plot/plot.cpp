#include "session/view_fields.h"
#include "ui/draw/grid.h"
#include "ui/draw/kept.h"
#include "ui/draw/text_table.h"
#include "ui/gpu/gpu_words.h"
#include "ui/panel.h"
#include "ui/plot/plot_views.h"

#include <algorithm>
#include <array>

namespace ui {
namespace {

using session::PlotTab;

constexpr const char* origin_keys[] = {"plot.live", "plot.recorded", "plot.published"};

const char* origin_name(const Context& context, measure::Origin origin) {
    return context.tr(origin_keys[static_cast<int>(origin)]);
}

} // namespace

std::string origin_on(const Context& context, const SeriesGroup& group) {
    return say(context, "plot.origin_on", origin_name(context, group.origin), group.device);
}

namespace {

// What the user has chosen stays with the panel's ImGui window, as a scroll position does.
Kept<bool> shown(const SeriesGroup& group, bool at_first) {
    const std::string name = group.device + origin_keys[static_cast<int>(group.origin)];
    return Kept(name.c_str(), at_first);
}

PlotChoice choose(const Context& context, const std::vector<SeriesGroup>& groups, catalog::Operation operation,
                  catalog::OperandType operands) {
    PlotChoice choice;
    choice.operation = operation;
    choice.operands = operands;
    for (size_t i = 0; i < groups.size(); ++i)
        if (shown(groups[i], shown_at_first(groups, i))) choice.groups.push_back(groups[i]);
    if (choice.groups.empty()) return choice;
    choice.rungs = completed(choice.groups.front(), choice.groups);
    choice.size = context.view.plot_tab == PlotTab::parameter ? parameter_size(context, choice.rungs)
                                                              : nearest_size(choice.rungs, context.view.speed_problem);
    return choice;
}

// Whether the user wants it; stays as shown() does.
Kept<bool> predicted_shown() { return Kept("predicted", true); }

// At the cubes that were measured of anything, and at the size of speeds.
PredictedCurve predicted_curve(const Context& context, const PlotChoice& choice) {
    const auto is_cube = [](const catalog::Problem& size) { return size.m == size.n && size.n == size.k; };
    std::vector<catalog::Problem> cubes = sizes(choice.rungs);
    cubes.push_back(context.view.speed_problem);
    std::erase_if(cubes, [&](const catalog::Problem& size) { return !is_cube(size); });
    std::sort(cubes.begin(), cubes.end(), [](const auto& a, const auto& b) { return a.m < b.m; });
    cubes.erase(std::unique(cubes.begin(), cubes.end()), cubes.end());
    PredictedCurve curve{predicted_device(context), {}};
    const auto now = speed_now(context);
    if (!now) return curve;
    const PredictedAnswer present = predicted(context, now->values, now->size);
    for (const catalog::Problem& size : cubes)
        curve.points.push_back(
            {size, size == now->size ? present : predicted_beside(context, present, now->values, size)});
    return curve;
}

// "4096³ · recorded on NVIDIA H200": where the figures come from stands beside the tabs, always.
std::string remark(const Context& context, const PlotChoice& choice) {
    if (choice.groups.empty()) return {};
    const SeriesGroup& first = choice.groups.front();
    std::string words = origin_on(context, first);
    if (choice.operands != catalog::OperandType::f32) words += std::string(" · ") + operands_text(choice.operands);
    const bool completed = choice.rungs.series.size() > first.series.size();
    if (context.view.plot_tab != PlotTab::sizes && completed)
        words += std::string(" + ") + origin_name(context, measure::Origin::recorded);
    if (context.view.plot_tab == PlotTab::sizes && choice.groups.size() > 1)
        for (size_t i = 1; i < choice.groups.size(); ++i) words += ", " + choice.groups[i].device;
    if (context.view.plot_tab != PlotTab::sizes && choice.size) // first, for the end may be cut
        words = size_text(choice.size->m, choice.size->n, choice.size->k) + " · " + words;
    return words;
}

class Legend {
public:
    Legend(Context& context, const Rect& area) : context_(context), style_(context.style), area_(area), y_(area.y) {}

    void draw(const std::vector<SeriesGroup>& groups, const PlotChoice& choice) {
        if (groups.empty()) predicted(choice);
        for (size_t i = 0; i < groups.size(); ++i) {
            group(groups[i], choice.operands, shown_at_first(groups, i), i);
            if (i == 0) predicted(choice); // before other devices, for which there may be no room
        }
        const bool at_one_size =
            context_.view.plot_tab != PlotTab::parameter; // which offers those of the kernel itself
        if (at_one_size && !choice.groups.empty() && context_.chrome.whole_window) sizes_row(choice);
        if (context_.chrome.whole_window) paragraph(gpu_sentence(context_)); // on a slide there is no R to press
    }

private:
    // Side by side, in as many lines as they need.
    std::vector<std::string> in_lines(std::initializer_list<std::string> parts) const {
        std::vector<std::string> lines;
        for (const std::string& part : parts) {
            if (part.empty()) continue;
            const std::string longer = lines.empty() ? part : lines.back() + " · " + part;
            if (!lines.empty() && text_size(style_.text, longer).x <= area_.width - 4 * style_.unit)
                lines.back() = longer;
            else lines.push_back(part);
        }
        return lines;
    }

    void group(const SeriesGroup& group, catalog::OperandType operands, bool at_first, size_t index) {
        Kept<bool> on = shown(group, at_first);
        if (!on && !context_.chrome.whole_window) return;
        const float line = style_.text->FontSize, unit = style_.unit;
        const measure::Series* reference = cublas_of(group, operands);
        const measure::Series& series = *(reference ? reference : group.series.front());
        const std::vector<std::string> details =
            in_lines({origin_name(context_, group.origin), series.date, series.clock});
        const Rect box{area_.x, y_, area_.width, static_cast<float>(1 + details.size()) * line + unit};
        if (box.bottom() > area_.bottom()) return;
        context_.probe.mark("plot.group." + std::to_string(index), box.x, box.y, box.width, box.height);
        const bool over = hovered(box);
        const ImU32 ink = on || over ? style_.colour.text : style_.colour.dim;
        draw_marker(style_, {box.x + 1.5f * unit, box.y + line / 2 + 1}, group.origin, unit,
                    on ? ink : style_.colour.line);
        const float left = box.x + 4 * unit, width = box.width - 4 * unit;
        text_cut(context_, style_.text, {left, box.y}, width, ink, group.device);
        for (size_t i = 0; i < details.size(); ++i)
            text_cut(context_, style_.text, {left, box.y + static_cast<float>(i + 1) * line}, width, style_.colour.dim,
                     details[i]);
        if (over)
            tooltip(context_,
                    provenance(context_.tr, series) + "\n" + series.source + "\n" + context_.tr("plot.toggle"));
        if (clicked(box)) on = !on;
        y_ += box.height + unit;
    }

    void predicted(const PlotChoice& choice) {
        if (context_.view.plot_tab != PlotTab::sizes || context_.chrome.page != Page::none) return;
        Kept<bool> on = predicted_shown();
        if (!on && !context_.chrome.whole_window) return;
        const float line = style_.text->FontSize, unit = style_.unit;
        const std::vector<std::string> details = in_lines({predicted_words(choice), predicted_error(choice)});
        const Rect box{area_.x, y_, area_.width, static_cast<float>(1 + details.size()) * line + unit};
        if (box.bottom() > area_.bottom()) return;
        context_.probe.mark("plot.predicted", box.x, box.y, box.width, box.height);
        const bool over = hovered(box);
        const ImU32 ink = on || over ? style_.colour.text : style_.colour.dim;
        draw_predicted_marker(style_, {box.x + 1.5f * unit, box.y + line / 2 + 1}, unit, on ? ink : style_.colour.line);
        const float left = box.x + 4 * unit, width = box.width - 4 * unit;
        text_cut(context_, style_.text, {left, box.y}, width, ink, predicted_device(context_));
        for (size_t i = 0; i < details.size(); ++i)
            text_cut(context_, style_.text, {left, box.y + static_cast<float>(i + 1) * line}, width, style_.colour.dim,
                     details[i]);
        if (over)
            tooltip(context_,
                    fmt::format("{}\n{}\n{}", context_.tr("predicted.hint"),
                                predicted_text(context_, predicted_here(choice)), context_.tr("plot.toggle")));
        if (clicked(box)) on = !on;
        y_ += box.height + unit;
    }

    // Whether there is anything to see of it.
    std::string predicted_words(const PlotChoice& choice) const {
        std::string words = context_.tr("predicted.word");
        if (!choice.predicted) return words;
        const auto& points = choice.predicted->points;
        const auto has = [&](auto which) { return std::any_of(points.begin(), points.end(), which); };
        if (!has([](const auto& point) { return static_cast<bool>(point.answer); })) return words + std::string(" …");
        if (!has([](const auto& point) { return speed_of(point.answer) != nullptr; }))
            return words + std::string(": ") + context_.tr("predicted.unknown");
        return words;
    }

    // At the size of speeds, or at another where there is none.
    PredictedAnswer predicted_here(const PlotChoice& choice) const {
        PredictedAnswer here;
        if (choice.predicted)
            for (const PredictedCurve::Point& point : choice.predicted->points)
                if (point.answer && (!here || point.size == context_.view.speed_problem)) here = point.answer;
        return here;
    }

    std::string predicted_error(const PlotChoice& choice) const {
        const PredictedAnswer here = predicted_here(choice);
        const session::PredictedSpeed* speed = speed_of(here);
        if (!speed) return {};
        if (!speed->error.validated()) return standing_text(context_.tr, speed->error);
        return say(context_, "predicted.median", percent_of(speed->error.accuracy->median));
    }

    // The sizes that were measured; the chosen one in full ink.
    void sizes_row(const PlotChoice& choice) {
        WordFlow flow(context_, {area_.x, y_, area_.width, area_.bottom() - y_});
        int before = 0;
        for (const catalog::Problem& size : sizes(choice.rungs)) {
            if (size.m != size.n || size.m == before) continue; // by the edge alone; the table has all of them
            before = size.m;
            const std::string label = std::to_string(size.m);
            if (flow.choice("plot.size." + label, label, choice.size && choice.size->m == size.m))
                context_.view.speed_problem = size;
        }
        y_ = flow.bottom() + style_.unit;
    }

    // As many of the words as there is room for; the rest is in the tooltip.
    void paragraph(const std::string& words) {
        const float room = area_.bottom() - y_;
        const auto height = [&](const std::string& said) { return wrapped_size(style_.text, area_.width, said).y; };
        std::string said = words;
        for (size_t end = words.size(); height(said) > room; said = words.substr(0, end) + " …") {
            if (end == 0) return;
            do --end; // to where a character begins: Chinese has no spaces to cut at
            while (end > 0 && (words[end] & 0xC0) == 0x80);
        }
        text_wrapped(style_.text, {area_.x, y_}, area_.width, style_.colour.dim, said);
        if (said != words && hovered({area_.x, y_, area_.width, room})) tooltip(context_, words);
    }

    Context& context_;
    const Style& style_;
    Rect area_;
    float y_;
};

Table plot_table(const Context& context, const PlotChoice& choice) {
    const Strings& tr = context.tr;
    Table table{.columns = table_columns(tr, {{"plot.column_kernel"},
                                              {"plot.column_m"},
                                              {"plot.column_n"},
                                              {"plot.column_k"},
                                              {"plot.column_speed", "GFLOPS"},
                                              {"plot.column_ratio", "%"},
                                              {"plot.column_origin"},
                                              {"plot.column_device"},
                                              {"plot.column_clock"},
                                              {"plot.column_driver"},
                                              {"plot.column_compiler"},
                                              {"plot.column_date"}})};
    for (const SeriesGroup& group : series_groups(context.session.series()))
        for (const measure::Series* series : group.series)
            for (const measure::Sample& sample : series->samples) {
                const double reference = reference_of(group, *series, sample);
                table.rows.push_back({series_title(context, *series), std::to_string(sample.m),
                                      std::to_string(sample.n), std::to_string(sample.k),
                                      fmt::format("{:.1f}", sample.gflops),
                                      reference > 0 ? fmt::format("{:.1f}", 100 * sample.gflops / reference) : "",
                                      origin_name(context, series->origin), series->device, series->clock,
                                      series->driver, series->compiler, series->date});
            }
    const auto kernel = context.session.kernel();
    if (!kernel || !choice.predicted) return table;
    for (const PredictedCurve::Point& point : choice.predicted->points)
        if (const session::PredictedSpeed* speed = speed_of(point.answer))
            table.rows.push_back({tr(kernel->title), std::to_string(point.size.m), std::to_string(point.size.n),
                                  std::to_string(point.size.k), fmt::format("{:.1f}", speed->gflops), "",
                                  fmt::format("{}: {}", tr("predicted.word"), error_text(tr, speed->error)),
                                  choice.predicted->device});
    return table;
}

// What a tab of the plot needs to draw itself.
struct PlotRoom {
    Rect area;
    const PlotChoice& choice;
    const std::vector<SeriesGroup>& groups;
};

// The tabs, in the order of PlotTab.
struct PlotRow {
    const char* title;
    bool of_series;    // shows the series that the legend beside it chooses among
    float legend_room; // width from which there is room for the legend, in heights of a line
    void (*draw)(Context&, const PlotRoom&);
    Table (*table)(Context&, const PlotRoom&);
};
constexpr float beside_bars = 72; // four columns of bars go before the legend
constexpr PlotRow rows[] = {
    {"plot.sizes", true, 44, [](Context& c, const PlotRoom& room) { draw_sizes(c, room.area, room.choice); },
     [](Context& c, const PlotRoom& room) { return plot_table(c, room.choice); }},
    {"plot.ladder", true, 44, [](Context& c, const PlotRoom& room) { draw_ladder_bars(c, room.area, room.choice); },
     [](Context& c, const PlotRoom& room) { return ladder_table(c, room.choice); }},
    {"plot.parameter", true, beside_bars,
     [](Context& c, const PlotRoom& room) { draw_parameter(c, room.area, room.choice); },
     [](Context& c, const PlotRoom& room) { return parameter_table(c, room.choice); }},
    {"plot.roofline", true, 44, [](Context& c, const PlotRoom& room) { draw_roofline(c, room.area, room.choice); },
     [](Context& c, const PlotRoom& room) { return roofline_table(c, room.choice); }},
    {"plot.errors", false, 0, [](Context& c, const PlotRoom&) { draw_errors(c); },
     [](Context& c, const PlotRoom&) { return errors_table(c); }},
    {"plot.device", false, 0, [](Context& c, const PlotRoom& room) { draw_device(c, room.area, room.groups); },
     [](Context& c, const PlotRoom& room) { return device_table(c, room.groups); }},
};
static_assert(std::size(rows) == session::names_of(PlotTab{}).size());

// Draws the legend at the right of the room where there is enough, and takes its part away.
void draw_legend(Context& context, const PlotRow& row, PlotRoom& room) {
    const Style& style = context.style;
    Rect& area = room.area;
    const float legend = std::min(area.width * 0.28f, 16 * style.text->FontSize);
    if (room.groups.empty() || area.width <= row.legend_room * style.text->FontSize) return;
    area.width -= legend + 4 * style.unit;
    Legend(context, {area.right() + 4 * style.unit, area.y, legend, area.height}).draw(room.groups, room.choice);
}

} // namespace

void draw_plot(Context& context) {
    // The start page is about the ladder, whatever was looked at before.
    const bool on_page = context.chrome.page != Page::none;
    const auto kernel = on_page ? nullptr : context.session.kernel();
    const auto operands = kernel ? kernel->operands : catalog::OperandType::f32;
    const auto operation = kernel ? kernel->operation : catalog::Operation::product;
    const std::vector<SeriesGroup> groups = of_operands(series_groups(context.session.series()), operation, operands);
    PlotChoice choice = choose(context, groups, operation, operands);
    choice.kernels = on_page ? context.session.catalog().of_family("ladder") : compared_kernels(context.session);
    std::array<const char*, std::size(rows)> labels{};
    std::transform(std::begin(rows), std::end(rows), labels.begin(),
                   [&](const PlotRow& row) { return context.tr(row.title); });
    const auto before = static_cast<size_t>(context.view.plot_tab);
    const auto tab = static_cast<size_t>(tab_row(context, "plot", labels, static_cast<int>(before),
                                                 rows[before].of_series ? remark(context, choice) : std::string()));
    const PlotRow& row = rows[tab];
    context.view.plot_tab = static_cast<PlotTab>(tab);
    if (tab == static_cast<size_t>(PlotTab::sizes) && !on_page && kernel && (predicted_shown() || context.view.table))
        choice.predicted = predicted_curve(context, choice);
    PlotRoom room{free_area(), choice, groups};
    if (context.view.table) {
        Table table = row.table(context, room);
        if (const std::string words = remark(context, choice); row.of_series && !words.empty())
            table.notes.insert(table.notes.begin(), words);
        return draw_table(context, table);
    }
    if (row.of_series) draw_legend(context, row, room);
    if (row.of_series && choice.groups.empty())
        return sentence(context, groups.empty() ? gpu_sentence(context) : std::string(context.tr("plot.none_shown")));
    row.draw(context, room);
}

} // namespace ui
