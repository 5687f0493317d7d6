// The values of one parameter below each other: how fast the kernel is with each, and where its reads were
// answered.
#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "ui/plot/plot_views.h"
#include "ui/speed/sliders.h"
#include "views/parameter_effect.h"

#include <algorithm>

namespace ui {
namespace {

std::string time_text(double ms) { return short_number(ms) + " ms"; }

std::string bytes_text(double bytes) {
    if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes / 1e9);
    return bytes >= 1e6 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.1f} kB", bytes / 1e3);
}

// "NVIDIA H200 · Nsight Compute 2025.3.1.0 · driver 580.1 · CUDA 13.0 · 2026-11-22"
std::string provenance(const Context& context, const measure::Profile& p) {
    return fmt::format("{} · {} · {} {} · CUDA {} · {}", p.device, p.tool, context.tr("plot.driver"), p.driver, p.cuda,
                       p.date);
}

// What the plot and its table show.
struct Shown {
    std::shared_ptr<const catalog::Kernel> kernel;
    catalog::Values values; // in force
    std::string parameter;  // empty: the kernel has none
    catalog::Problem size;
    std::vector<catalog::Problem> sizes; // at which there is an effect to see
    std::vector<ValueEffect> effects;
};

Shown shown(const Context& context, const SeriesGroup& group) {
    const session::Session& session = context.session;
    Shown s{session.kernel(), {}, {}, context.view.speed_problem, {}, {}};
    if (!s.kernel) return s;
    const Measured known = measured({s.kernel, session.sweeps(), session.series(), group.device}, session.profiles());
    s.values = values_in_force(context, *s.kernel);
    s.parameter = compared_parameter(known, s.values, context.view.parameter);
    if (s.parameter.empty()) return s;
    s.sizes = effect_sizes(known, s.values, s.parameter);
    s.size = nearest_of(s.sizes, context.view.speed_problem).value_or(context.view.speed_problem);
    s.effects = effect(known, s.values, s.parameter, s.size);
    return s;
}

// Of each of the effects; nullptr: not yet, or a rule forbids it, or it would take long.
std::vector<PredictedAnswer> predictions(const Context& context, const Shown& s) {
    std::vector<PredictedAnswer> answers;
    if (s.parameter.empty() || !context.view.subject.breaks.empty())
        return std::vector<PredictedAnswer>(s.effects.size());
    const PredictedAnswer present = predicted(context, s.values, s.size);
    for (const ValueEffect& one : s.effects) {
        catalog::Values setting = s.values;
        setting[s.parameter] = one.value;
        answers.push_back(one.broken            ? nullptr
                          : setting == s.values ? present
                                                : predicted_beside(context, present, setting, s.size));
    }
    return answers;
}

// A value and all that is shown of it.
struct Row {
    const ValueEffect* effect;
    PredictedAnswer answer;
    const session::PredictedSpeed* predicted() const { return speed_of(answer); }
};

// A quantity of a row, as a bar and a number.
struct Column {
    std::string title;
    float left = 0, right = 0, numbers = 0; // numbers: their width, at the right
    double most = 0;                        // where a bar would end that fills the column; it is no longer than that
    bool whole = false;                     // `most` is all there can be: its track is drawn
};

class ParameterPlot {
public:
    ParameterPlot(Context& context, const Rect& box, const PlotChoice& choice)
        : context_(context), style_(context.style), box_(box), shown_(shown(context, choice.rungs)),
          now_(shown_.parameter.empty() ? 0 : shown_.values.at(shown_.parameter)) {
        const std::vector<PredictedAnswer> answers = predictions(context, shown_);
        for (size_t i = 0; i < shown_.effects.size(); ++i) {
            const ValueEffect& one = shown_.effects[i];
            if (one.known() || one.value == now_ || speed_of(answers[i])) rows_.push_back({&one, answers[i]});
            else (one.broken ? broken_ : unknown_).push_back(&one);
            if (one.profile) profiled_ = one.profile;
        }
    }

    // Scrolls where there is more than fits.
    void draw() {
        if (shown_.parameter.empty()) return sentence(context_, context_.tr("tiles.none"));
        ImGui::SetCursorScreenPos({box_.x, box_.y});
        ImGui::BeginChild("parameter", {box_.width, box_.height});
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const Rect area{at.x, at.y, ImGui::GetContentRegionAvail().x - 2 * style_.unit, box_.height};
        y_ = area.y;
        if (context_.chrome.whole_window) choices(area); // on a slide there is nothing to choose
        lay_out(area);
        header(area);
        const float least = style_.text->FontSize + style_.unit / 4;
        const float room = (area.bottom() - y_ - notes_height(area.width)) / static_cast<float>(rows_.size());
        const float height = std::floor(std::clamp(room, least, 2.6f * least));
        const float top = y_;
        for (const Row& one : rows_) {
            row(one, {area.x, y_, area.width, height});
            y_ += height;
        }
        predicted_curve(top, height);
        y_ += style_.unit;
        others(area);
        notes(area);
        ImGui::SetCursorScreenPos(at);
        ImGui::Dummy({1, y_ - at.y});
        ImGui::EndChild();
    }

private:
    // Which parameter, and the sizes at which it has an effect to see.
    void choices(const Rect& area) {
        WordFlow flow(context_, {area.x, y_, area.width, FLT_MAX});
        if (shown_.kernel->parameters.size() > 1)
            for (const catalog::Parameter& parameter : shown_.kernel->parameters)
                if (flow.choice("plot.parameter." + parameter.name, parameter.name, parameter.name == shown_.parameter,
                                context_.tr(parameter.meaning)))
                    context_.view.parameter = parameter.name;
        if (shown_.kernel->parameters.size() > 1 &&
            flow.choice("plot.map", context_.tr("speed.map"), false, context_.tr("speed.map_hint")))
            context_.view.second_parameter =
                shown_.kernel->parameters[shown_.parameter == shown_.kernel->parameters[0].name ? 1 : 0].name;
        if (!shown_.sizes.empty()) flow.say(context_.tr("plot.effect_sizes"));
        for (const catalog::Problem& size : shown_.sizes) {
            const std::string label = size_text(size.m, size.n, size.k);
            if (flow.choice("plot.effect_size." + label, label, size == shown_.size))
                context_.view.speed_problem = size;
        }
        y_ = flow.bottom();
    }

    void lay_out(const Rect& area) {
        const float digit = text_size(style_.mono, "0").x, unit = style_.unit;
        float values = text_size(style_.mono, shown_.parameter).x;
        for (const Row& one : rows_)
            values = std::max(values, digit * static_cast<float>(std::to_string(one.effect->value).size()));
        values += 6 * unit; // the frame around the current one, and air
        speed_ = {context_.tr("plot.speed"), area.x + values, area.right(), 23 * digit, 1, false};
        for (const Row& one : rows_) {
            if (one.effect->speed) speed_.most = std::max(speed_.most, one.effect->speed->gflops);
            if (one.predicted()) speed_.most = std::max(speed_.most, one.predicted()->most_gflops());
        }
        if (!profiled_) return;
        l1_ = {context_.tr("plot.l1_hits"), 0, 0, 8 * digit, 100, true};
        l2_ = {context_.tr("plot.l2_hits"), 0, 0, 8 * digit, 100, true};
        dram_ = {context_.tr("plot.dram_read"), 0, 0, 9 * digit, 1, false};
        for (const Row& one : rows_)
            if (one.effect->profile) dram_.most = std::max(dram_.most, one.effect->profile->dram_read_bytes);
        // The widths of the four: their numbers, and of what is left a larger part for the speed.
        const float gap = 5 * unit, room = area.right() - speed_.left - 3 * gap;
        const float bars = room - speed_.numbers - l1_.numbers - l2_.numbers - dram_.numbers;
        float x = speed_.left;
        for (auto [column, share] : {std::pair{&speed_, 0.34f}, {&l1_, 0.22f}, {&l2_, 0.22f}, {&dram_, 0.22f}}) {
            column->left = x;
            column->right = x + column->numbers + std::max(share * bars, 0.0f);
            x = column->right + gap;
        }
    }

    void header(const Rect& area) {
        text(style_.mono, {area.x, y_ + style_.text->Ascent - style_.mono->Ascent}, style_.colour.dim,
             shown_.parameter);
        for (const Column* column : {&speed_, &l1_, &l2_, &dram_})
            if (!column->title.empty())
                text_cut(context_, style_.text, {column->left, y_}, column->right - column->left, style_.colour.dim,
                         column->title);
        y_ += style_.text->FontSize + style_.unit / 2;
    }

    void row(const Row& shown, const Rect& box) {
        const ValueEffect& one = *shown.effect;
        const bool current = one.value == now_;
        if (hovered(box)) fill(box, with_alpha(style_.colour.selection, 0.12f));
        text_right(style_.mono, {speed_.left - 4 * style_.unit, text_top(box, style_.mono)},
                   current ? style_.colour.text : style_.colour.dim, std::to_string(one.value));
        if (current)
            outline({box.x, box.y, speed_.left - 2 * style_.unit - box.x, box.height}, style_.colour.selection,
                    style_.type);
        speed(shown, box, current);
        if (const measure::Profile* p = one.profile) {
            for (auto [column, percent] : {std::pair{&l1_, p->l1_hit_percent}, {&l2_, p->l2_hit_percent}})
                quantity(*column, percent, box, current, fmt::format("{:.1f} %", percent));
            quantity(dram_, p->dram_read_bytes, box, current, bytes_text(p->dram_read_bytes));
        }
        act(shown, box);
    }

    // In the middle of the row, on one line with text of the other font.
    float text_top(const Rect& row, const ImFont* font) const {
        return row.y + (row.height - style_.text->FontSize) / 2 + style_.text->Ascent - font->Ascent;
    }

    void speed(const Row& shown, const Rect& box, bool current) {
        const ValueEffect& one = *shown.effect;
        if (!one.speed && shown.predicted()) return predicted_bar(*shown.predicted(), box);
        if (!one.measured()) { // or why it could not be
            text_cut(context_, style_.text, {speed_.left, text_top(box, style_.text)}, speed_.right - speed_.left,
                     style_.colour.dim, speed_text(context_, *shown_.kernel, one.speed));
            return;
        }
        const double reached = one.speed->gflops;
        const float end =
            quantity(speed_, reached, box, current, time_text(milliseconds(*shown_.kernel, shown_.size, *one.speed)));
        draw_marker(style_, {end, box.y + box.height / 2}, one.speed->origin, style_.unit,
                    current ? style_.colour.selection : style_.colour.text);
        text_right(style_.mono, {speed_.right - 10 * text_size(style_.mono, "0").x, text_top(box, style_.mono)},
                   style_.colour.dim, gflops(reached));
    }

    // Hollow, as all that was not measured.
    void predicted_bar(const session::PredictedSpeed& speed, const Rect& box) {
        const float end = bar_end(speed.gflops);
        outline({speed_.left, box.y + style_.unit / 2, std::max(end - speed_.left, 1.0f), box.height - style_.unit},
                style_.colour.dim, std::max(1.0f, style_.type));
        text_right(style_.mono, {speed_.right - 10 * text_size(style_.mono, "0").x, text_top(box, style_.mono)},
                   style_.colour.dim, gflops(speed.gflops));
        text_right(style_.text, {speed_.right, text_top(box, style_.text)}, style_.colour.dim,
                   context_.tr("predicted.word"));
    }

    float bar_end(double speed) const {
        const float width = std::max(speed_.right - speed_.numbers - speed_.left, 1.0f);
        return speed_.left + std::max(width * static_cast<float>(std::min(speed / speed_.most, 1.0)), 1.0f);
    }

    // Over the bars from row to row, with the band of its error.
    void predicted_curve(float top, float height) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        const ImU32 ink = style_.colour.text, band = with_alpha(ink, 0.14f); // to be seen on every bar
        const auto middle = [&](size_t row) { return top + (static_cast<float>(row) + 0.5f) * height; };
        for (size_t i = 0; i < rows_.size(); ++i) {
            const session::PredictedSpeed* one = rows_[i].predicted();
            if (!one) continue;
            const float y = middle(i), least = bar_end(one->least_gflops()), most = bar_end(one->most_gflops());
            if (one->error.accuracy) list->AddLine({least, y}, {most, y}, with_alpha(ink, 0.8f), style_.type);
            const session::PredictedSpeed* next = i + 1 < rows_.size() ? rows_[i + 1].predicted() : nullptr;
            if (!next) continue;
            dashed_line({bar_end(one->gflops), y}, {bar_end(next->gflops), middle(i + 1)}, with_alpha(ink, 0.8f),
                        style_.type, 2 * style_.unit);
            if (one->error.accuracy && next->error.accuracy)
                list->AddQuadFilled({least, y}, {most, y}, {bar_end(next->most_gflops()), middle(i + 1)},
                                    {bar_end(next->least_gflops()), middle(i + 1)}, band);
        }
        for (size_t i = 0; i < rows_.size(); ++i)
            if (const session::PredictedSpeed* one = rows_[i].predicted())
                draw_predicted_marker(style_, {bar_end(one->gflops), middle(i)}, style_.unit,
                                      one->error.validated() ? ink : style_.colour.dim);
    }

    // A bar and its number. Returns where the bar ends.
    float quantity(const Column& column, double value, const Rect& row, bool current, const std::string& number) {
        text_right(style_.mono, {column.right, text_top(row, style_.mono)}, style_.colour.text, number);
        const float width = std::max(column.right - column.numbers - column.left, 1.0f);
        const Rect track{column.left, row.y + style_.unit / 2, width, row.height - style_.unit};
        if (column.whole) fill(track, style_.colour.line);
        Rect part = track;
        part.width = std::max(width * static_cast<float>(std::min(value / column.most, 1.0)), 1.0f);
        fill(part, current ? style_.colour.selection : mixed(style_.colour.panel, style_.colour.dim, 0.75f));
        return part.right();
    }

    void act(const Row& shown, const Rect& box) {
        const ValueEffect& one = *shown.effect;
        context_.probe.mark(fmt::format("plot.value.{}", one.value), box.x, box.y, box.width, box.height);
        if (hovered(box)) {
            std::string words;
            if (one.speed)
                words = fmt::format("{}: {}\n{}, {}\n{}", size_text(shown_.size.m, shown_.size.n, shown_.size.k),
                                    speed_text(context_, *shown_.kernel, one.speed),
                                    speed_origin(context_.tr, *one.speed), one.speed->date, one.speed->source);
            if (one.profile)
                words += fmt::format("{}{}\n{}\n{}", words.empty() ? "" : "\n\n",
                                     say(context_, "plot.profiled", time_text(one.profile->time_ms)),
                                     provenance(context_, *one.profile), one.profile->command);
            if (const std::string more = predicted_text(context_, shown.answer); !more.empty())
                words += fmt::format("{}{}\n{}", words.empty() ? "" : "\n\n", more, context_.tr("predicted.hint"));
            if (!words.empty()) tooltip(context_, words);
        }
        if (clicked(box)) set_parameter(context_, *shown_.kernel, shown_.parameter, one.value);
    }

    // The values of which nothing is known, and those that a rule forbids: by name alone.
    void others(const Rect& area) {
        WordFlow flow(context_, {area.x, y_, area.width, FLT_MAX});
        const char* unknown = context_.chrome.whole_window ? "plot.values_to_measure" : "plot.values_unknown";
        for (const auto& [values, words] : {std::pair{&unknown_, unknown}, {&broken_, "plot.values_broken"}}) {
            if (!values->empty()) flow.say(context_.tr(words));
            for (const ValueEffect* one : *values)
                if (flow.choice(fmt::format("plot.value.{}", one->value), std::to_string(one->value), false,
                                one->broken ? context_.tr(one->broken->reason) : ""))
                    set_parameter(context_, *shown_.kernel, shown_.parameter, one->value);
        }
        y_ = flow.bottom();
    }

    std::vector<std::string> note_lines() const {
        std::vector<std::string> lines;
        const catalog::Parameter* parameter = catalog::find_parameter(*shown_.kernel, shown_.parameter);
        if (parameter && !parameter->meaning.en.empty())
            lines.push_back(fmt::format("{}: {}", parameter->name, context_.tr(parameter->meaning)));
        for (const Row& one : rows_) {
            const session::PredictedSpeed* const speed = one.predicted();
            if (!speed) continue;
            lines.push_back(
                say(context_, "predicted.note", predicted_device(context_), error_text(context_.tr, speed->error)));
            if (speed->error.accuracy) lines.back() += std::string(" ") + context_.tr("predicted.band");
            break; // all are of one kernel and one size
        }
        if (!profiled_) return lines;
        lines.push_back(say(context_, "plot.profile_of", provenance(context_, *profiled_)));
        lines.push_back(say(context_, "plot.profile_names",
                            "l1tex__t_sector_hit_rate.pct, lts__t_sector_hit_rate.pct, dram__bytes_read.sum"));
        const bool over = std::any_of(rows_.begin(), rows_.end(), [](const Row& one) {
            const measure::Profile* p = one.effect->profile;
            return p && std::max(p->l1_hit_percent, p->l2_hit_percent) > 100;
        });
        if (over) lines.emplace_back(context_.tr("plot.over_100"));
        return lines;
    }

    // Of what stands below the rows, the others in one line each.
    float notes_height(float width) const {
        float height = style_.unit;
        for (const auto* values : {&unknown_, &broken_})
            if (!values->empty()) height += style_.text->FontSize + style_.unit;
        for (const std::string& line : note_lines()) height += wrapped_size(style_.text, width, line).y;
        return height;
    }

    void notes(const Rect& area) {
        for (const std::string& line : note_lines())
            y_ += text_wrapped(style_.text, {area.x, y_}, area.width, style_.colour.dim, line);
    }

    Context& context_;
    const Style& style_;
    Rect box_;
    Shown shown_;
    int now_;
    std::vector<Row> rows_; // those that are known or predicted, and the current one
    std::vector<const ValueEffect*> unknown_, broken_;
    const measure::Profile* profiled_ = nullptr; // one of those shown
    Column speed_, l1_, l2_, dram_;
    float y_ = 0;
};

} // namespace

namespace {

// Which parameters lie across and down the map, and at which sizes there is something to compare. Returns what is left of the area.
Rect map_choices(Context& context, const Rect& area, const SpeedNow& now, const MapAxes& axes) {
    WordFlow flow(context, area);
    const auto& parameters = now.speeds.kernel().parameters;
    flow.say(context.tr("speed.across"));
    for (const catalog::Parameter& one : parameters)
        if (flow.choice("plot.parameter." + one.name, one.name, one.name == axes.columns, context.tr(one.meaning))) {
            if (one.name == axes.rows) context.view.second_parameter = axes.columns; // they change places
            context.view.parameter = one.name;
        }
    flow.say(context.tr("speed.down"));
    for (const catalog::Parameter& one : parameters)
        if (flow.choice("plot.second_parameter." + one.name, one.name, one.name == axes.rows,
                        context.tr(one.meaning))) {
            context.view.parameter = one.name == axes.columns ? axes.rows : axes.columns;
            context.view.second_parameter = one.name;
        }
    if (flow.choice("plot.second_parameter.none", context.tr("speed.alone"), false, context.tr("speed.alone_hint")))
        context.view.parameter = axes.columns, context.view.second_parameter = std::string("-");
    const auto sizes = now.speeds.compared_sizes();
    if (!sizes.empty()) flow.say(context.tr("speed.at"));
    for (const catalog::Problem& size : sizes) {
        const std::string label = size_text(size.m, size.n, size.k);
        if (flow.choice("plot.effect_size." + label, label, size == now.size)) context.view.speed_problem = size;
    }
    const float used = flow.bottom() + context.style.unit - area.y;
    return {area.x, area.y + used, area.width, area.height - used};
}

} // namespace

void draw_parameter(Context& context, const Rect& area, const PlotChoice& choice) {
    const auto now = speed_now(context);
    const auto axes = map_axes(context);
    if (!now || !axes) return ParameterPlot(context, area, choice).draw();
    const Rect rest = context.chrome.whole_window ? map_choices(context, area, *now, *axes) : area;
    draw_speed_map(context, rest, *now, *axes);
}

catalog::Problem parameter_size(const Context& context, const SeriesGroup& group) {
    const auto now = map_axes(context) ? speed_now(context) : std::nullopt;
    return now ? now->size : shown(context, group).size;
}

Table parameter_table(const Context& context, const PlotChoice& choice) {
    if (const auto axes = map_axes(context))
        if (const auto now = speed_now(context)) return speed_map_table(context, *now, *axes);
    const Strings& tr = context.tr;
    const Shown s = shown(context, choice.rungs);
    if (s.parameter.empty()) return {.notes = {tr("tiles.none")}};
    const catalog::Problem& size = s.size;
    Table table{.columns = table_columns(tr, {{"plot.column_value"},
                                              {"plot.column_m"},
                                              {"plot.column_n"},
                                              {"plot.column_k"},
                                              {"plot.column_speed", "GFLOPS"},
                                              {"plot.column_time", "ms"},
                                              {"plot.column_l1", "%"},
                                              {"plot.column_l2", "%"},
                                              {"plot.column_dram"},
                                              {"plot.column_profiled_time", "ms"},
                                              {"plot.column_measured"},
                                              {"plot.column_profile"},
                                              {"predicted.column", "GFLOPS"},
                                              {"predicted.column_error"}})};
    table.columns.front().head = s.parameter;
    const std::vector<PredictedAnswer> answers = predictions(context, s);
    if (const auto* parameter = catalog::find_parameter(*s.kernel, s.parameter); !parameter->meaning.en.empty())
        table.notes.push_back(fmt::format("{}: {}", parameter->name, tr(parameter->meaning)));
    for (size_t i = 0; i < s.effects.size(); ++i) {
        const ValueEffect& one = s.effects[i];
        std::vector<std::string> cells(table.columns.size());
        cells[0] = std::to_string(one.value);
        if (const session::PredictedSpeed* speed = speed_of(answers[i])) {
            cells[12] = fmt::format("{:.1f}", speed->gflops);
            cells[13] = error_text(tr, speed->error);
        }
        if (one.broken) cells[10] = tr(one.broken->reason);
        cells[1] = std::to_string(size.m), cells[2] = std::to_string(size.n), cells[3] = std::to_string(size.k);
        if (one.measured()) {
            cells[4] = fmt::format("{:.1f}", one.speed->gflops);
            cells[5] = fmt::format("{:.4g}", milliseconds(*s.kernel, size, *one.speed));
            cells[10] = speed_origin(context.tr, *one.speed) + " · " + one.speed->date;
        }
        if (one.profile) {
            cells[6] = fmt::format("{:.2f}", one.profile->l1_hit_percent);
            cells[7] = fmt::format("{:.2f}", one.profile->l2_hit_percent);
            cells[8] = fmt::format("{:.0f}", one.profile->dram_read_bytes);
            cells[9] = fmt::format("{:.4g}", one.profile->time_ms);
            cells[11] = provenance(context, *one.profile);
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

} // namespace ui
