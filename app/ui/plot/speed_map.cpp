// How fast the current kernel is for every pair of values of two parameters, the others as they are.
#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "ui/plot/plot_views.h"
#include "ui/speed/sliders.h"
#include "ui/speed/speed.h"
#include "ui/speed/why.h"

#include <algorithm>

namespace ui {
namespace {

using Cell = session::SpeedMap::Cell;

// Of each cell what is predicted, where it was never measured; nullptr: not yet, or a rule forbids it, or it would take long.
std::vector<PredictedAnswer> predictions(const Context& context, const SpeedNow& now, const session::SpeedMap& map) {
    std::vector<PredictedAnswer> answers(map.cells.size());
    const auto is_open = [](const Cell& cell) { return !cell.broken && !cell.speed; };
    const bool none = std::none_of(map.cells.begin(), map.cells.end(), is_open);
    if (none || !context.view.subject.breaks.empty()) return answers;
    const PredictedAnswer present = predicted(context, now.values, now.size);
    for (size_t i = 0; i < map.cells.size(); ++i)
        if (const Cell& cell = map.cells[i]; is_open(cell))
            answers[i] =
                cell.values == now.values ? present : predicted_beside(context, present, cell.values, now.size);
    return answers;
}

class SpeedPicture {
public:
    SpeedPicture(Context& context, const Rect& area, const SpeedNow& now, const MapAxes& axes)
        : context_(context), style_(context.style), area_(area), now_(now), kernel_(now.speeds.kernel()), axes_(axes),
          map_(session::speed_map(now.speeds, now.values, now.size, axes.columns, axes.rows)),
          predicted_(predictions(context, now, map_)), best_(now.speeds.best(now.size)), least_(map_.least),
          most_(map_.most) {
        for (const PredictedAnswer& one : predicted_) {
            const session::PredictedSpeed* const speed = speed_of(one);
            if (!speed) continue;
            error_ = &speed->error;
            least_ = least_ > 0 ? std::min(least_, speed->gflops) : speed->gflops;
            most_ = std::max(most_, speed->gflops);
        }
    }

    void draw() {
        const float beside = why_width(context_);
        if (best_ && area_.width > 2.5f * beside) { // the map goes first
            const float gap = 5 * style_.unit;
            area_.width -= beside + gap;
            draw_why(context_, {area_.right() + gap, area_.y, beside, area_.height}, now_, *best_);
        }
        const float line = style_.text->FontSize, unit = style_.unit;
        float labels = text_size(style_.mono, axes_.rows).x;
        for (const int row : map_.rows) labels = std::max(labels, text_size(style_.mono, std::to_string(row)).x);
        labels += 2 * unit;
        legend_ = legend();
        legend_height_ = wrapped_size(style_.text, area_.width, legend_).y;
        const float head = style_.mono->FontSize + unit, feet = legend_height_ + line + 2 * unit;
        grid_ = {area_.x + labels, area_.y + head, area_.width - labels, area_.height - head - feet};
        if (grid_.width < 8 * unit || grid_.height < 8 * unit) return sentence(context_, context_.tr("speed.no_room"));
        width_ = std::floor(grid_.width / static_cast<float>(map_.columns.size()));
        height_ = std::floor(std::min(grid_.height / static_cast<float>(map_.rows.size()), 0.6f * width_ + 2 * line));
        text(style_.mono, {area_.x, area_.y}, style_.colour.dim, axes_.rows + " \\ " + axes_.columns);
        for (size_t i = 0; i < map_.columns.size(); ++i)
            text_centred(style_.mono, {grid_.x + width_ * static_cast<float>(i), area_.y, width_, head - unit},
                         ink(axes_.columns, map_.columns[i]), std::to_string(map_.columns[i]));
        for (size_t i = 0; i < map_.rows.size(); ++i) {
            const float y = grid_.y + height_ * static_cast<float>(i) + (height_ - style_.mono->FontSize) / 2;
            text_right(style_.mono, {grid_.x - unit, y}, ink(axes_.rows, map_.rows[i]), std::to_string(map_.rows[i]));
        }
        for (size_t i = 0; i < map_.cells.size(); ++i) draw_cell(map_.cells[i], predicted_[i], place(i));
        for (size_t i = 0; i < map_.cells.size(); ++i) mark_cell(map_.cells[i], place(i));
        words_below(grid_.y + height_ * static_cast<float>(map_.rows.size()) + unit);
    }

private:
    ImU32 ink(const std::string& parameter, int value) const {
        return now_.values.at(parameter) == value ? style_.colour.text : style_.colour.dim;
    }

    Rect place(size_t cell) const {
        const auto column = static_cast<float>(cell % map_.columns.size()),
                   row = static_cast<float>(cell / map_.columns.size());
        return {grid_.x + width_ * column, grid_.y + height_ * row, width_ - style_.type, height_ - style_.type};
    }

    // Of the ramp, from the slowest of the map to the fastest: which way is uphill is to be seen, and how much stands in the cells.
    ImU32 colour_of(double gflops) const {
        constexpr size_t last = std::size(Palette{}.ramp) - 1;
        const double range = most_ - least_,
                     at = (range > 0 ? (gflops - least_) / range : 1) * static_cast<double>(last);
        const size_t below = std::min(static_cast<size_t>(at), last - 1);
        return mixed(style_.colour.ramp[below], style_.colour.ramp[below + 1],
                     static_cast<float>(at - static_cast<double>(below)));
    }

    // One unit for all of the picture.
    bool in_gflops() const { return (best_ ? best_->speed.gflops : most_) < 2000; }
    std::string unit() const { return in_gflops() ? "GFLOPS" : "TFLOPS"; }
    std::string number(double gflops) const {
        if (in_gflops()) return fmt::format("{:.0f}", gflops);
        return fmt::format("{:.{}f}", gflops / 1000, gflops < 99500 ? 1 : 0);
    }

    // Hollow, as all that was not measured.
    void draw_predicted(const session::PredictedSpeed& speed, const Rect& box) {
        const float width = std::max(std::round(0.75f * style_.unit), 2.0f);
        outline(box, colour_of(speed.gflops), width);
        figure(number(speed.gflops), box, style_.colour.text, true);
    }

    void figure(const std::string& words, const Rect& box, ImU32 colour, bool large) const {
        const bool fits =
            text_size(style_.figure, words).x < 0.8f * box.width && style_.figure->FontSize < 0.8f * box.height;
        ImFont* const font = large && fits ? style_.figure : style_.mono;
        if (text_size(font, words).x < box.width && font->FontSize <= box.height)
            text_centred(font, box, colour, words);
    }

    void draw_cell(const Cell& cell, const PredictedAnswer& answer, const Rect& box) {
        context_.probe.mark(fmt::format("speed.{}.{}", cell.values.at(axes_.columns), cell.values.at(axes_.rows)),
                            box.x, box.y, box.width, box.height);
        std::string words;
        if (cell.broken) {
            hatch(box, mixed(style_.colour.panel, style_.colour.dim, 0.35f), 2 * style_.unit);
            words = context_.tr(cell.broken->reason);
        } else {
            const bool measured = cell.gflops() > 0;
            const session::PredictedSpeed* const speed = speed_of(answer);
            const ImU32 ground = measured ? colour_of(cell.gflops()) : style_.colour.panel;
            if (measured) fill(box, ground);
            else if (speed) draw_predicted(*speed, box);
            else outline(box, style_.colour.line);
            if (measured) figure(number(cell.gflops()), box, ink_on(ground), true);
            else if (!speed) figure(cell.speed ? "\u00d7" : "\u2013", box, style_.colour.dim, false);
            words = fmt::format("{} {}, {} {}\n{}: {}", axes_.columns, cell.values.at(axes_.columns), axes_.rows,
                                cell.values.at(axes_.rows), size_text(now_.size.m, now_.size.n, now_.size.k),
                                speed_text(context_, kernel_, cell.speed));
            if (cell.speed) words += "\n" + speed_origin(context_.tr, *cell.speed) + ", " + cell.speed->date;
            if (const std::string more = predicted_text(context_, answer); !more.empty())
                words += fmt::format("\n{}\n{}", more, context_.tr("predicted.hint"));
        }
        if (hovered(box)) tooltip(context_, words);
        if (!cell.broken && clicked(box)) set_values(context_, cell.values);
    }

    void mark_cell(const Cell& cell, const Rect& box) {
        const bool fastest = map_.most > 0 && cell.gflops() >= map_.most;
        const float inset = style_.unit; // beside the mark of the present setting
        if (fastest)
            outline({box.x + inset, box.y + inset, box.width - 2 * inset, box.height - 2 * inset},
                    ink_on(colour_of(cell.gflops())), 1.5f * style_.type);
        if (cell.values == now_.values) mark_selected(context_, box);
        else if (hovered(box)) mark_hovered(context_, box);
    }

    std::string legend() const {
        const std::string size = size_text(now_.size.m, now_.size.n, now_.size.k);
        const std::string hollow =
            error_ ? " " + say(context_, "predicted.note", predicted_device(context_), error_text(context_.tr, *error_))
                   : std::string();
        if (most_ == 0) return say(context_, "speed.map_of_nothing", size);
        if (map_.most == 0)
            return say(context_, "speed.map_predicted", unit(), size, number(least_), number(most_)) + hollow;
        return say(context_, "speed.map_legend", unit(), size, number(least_), number(most_)) + hollow;
    }

    void words_below(float y) {
        y += text_wrapped(style_.text, {area_.x, y}, area_.width, style_.colour.dim, legend_);
        if (!best_) return;
        const bool here = best_->values == now_.values;
        const std::string words = here ? context_.tr("speed.is_best")
                                       : say(context_, "speed.best", number(best_->speed.gflops) + " " + unit(),
                                             changes_text(now_.values, best_->values));
        WordFlow flow(context_, {area_.x, y, area_.width, FLT_MAX});
        if (here || !context_.chrome.whole_window) return flow.say(words);
        if (flow.choice("speed.best", words, false, context_.tr("speed.best_hint")))
            set_values(context_, best_->values);
    }

    Context& context_;
    const Style& style_;
    Rect area_, grid_;
    const SpeedNow& now_;
    const catalog::Kernel& kernel_;
    MapAxes axes_;
    session::SpeedMap map_;
    std::vector<PredictedAnswer> predicted_;        // by cell
    std::optional<session::Speeds::Best> best_;     // of all settings, in the map or not
    double least_, most_;                           // GFLOPS of all cells that have a figure
    const session::ExpectedError* error_ = nullptr; // of what is predicted; nothing is
    std::string legend_;
    float legend_height_ = 0;
    float width_ = 0, height_ = 0; // of a cell
};

} // namespace

Table speed_map_table(const Context& context, const SpeedNow& now, const MapAxes& axes) {
    const session::SpeedMap map = session::speed_map(now.speeds, now.values, now.size, axes.columns, axes.rows);
    Table table{.notes = {say(context, "speed.map_sentence", size_text(now.size.m, now.size.n, now.size.k))},
                .columns = {{axes.columns},
                            {axes.rows},
                            {context.tr("plot.column_speed"), "GFLOPS"},
                            {context.tr("plot.column_measured")},
                            {context.tr("predicted.column"), "GFLOPS"},
                            {context.tr("predicted.column_error")}}};
    const std::vector<PredictedAnswer> answers = predictions(context, now, map);
    if (const auto best = now.speeds.best(now.size))
        table.notes.push_back(best->values == now.values ? std::string(context.tr("speed.is_best"))
                                                         : say(context, "speed.best", gflops(best->speed.gflops),
                                                               changes_text(now.values, best->values)));
    for (size_t i = 0; i < map.cells.size(); ++i) {
        const Cell& cell = map.cells[i];
        const session::PredictedSpeed* const speed = speed_of(answers[i]);
        const std::string words = cell.broken  ? std::string(context.tr(cell.broken->reason))
                                  : cell.speed ? speed_origin(context.tr, *cell.speed) + ", " + cell.speed->date
                                               : std::string(context.tr("plot.not_measured"));
        table.rows.push_back({std::to_string(cell.values.at(axes.columns)), std::to_string(cell.values.at(axes.rows)),
                              cell.gflops() > 0 ? fmt::format("{:.1f}", cell.gflops()) : "-", words,
                              speed ? fmt::format("{:.1f}", speed->gflops) : "",
                              speed ? error_text(context.tr, speed->error) : ""});
    }
    return table;
}

void draw_speed_map(Context& context, const Rect& area, const SpeedNow& now, const MapAxes& axes) {
    SpeedPicture(context, area, now, axes).draw();
}

} // namespace ui
