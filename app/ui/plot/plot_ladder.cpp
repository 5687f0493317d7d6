#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "ui/plot/plot_views.h"
#include "ui/time/stepping.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct Bar {
    std::string id, title; // catalogue id; empty: the reference
    std::optional<Figure> figure;
};

std::vector<Bar> bars(const Context& context, const PlotChoice& choice) {
    std::vector<Bar> bars;
    for (const auto& kernel : choice.kernels)
        if (kernel->operation == choice.operation && kernel->operands == choice.operands)
            bars.push_back({kernel->id, context.tr(kernel->title), figure(choice.rungs, kernel->id, *choice.size)});
    if (const measure::Series* cublas = cublas_of(choice.rungs, choice.operands))
        bars.push_back(
            {"", series_title(context, *cublas), reference_figure(choice.rungs, choice.operands, *choice.size)});
    return bars;
}

class LadderPlot {
public:
    // `choice` has a size.
    LadderPlot(Context& context, const Rect& area, const PlotChoice& choice)
        : context_(context), style_(context.style), area_(area), group_(choice.rungs), bars_(bars(context, choice)) {
        for (const Bar& bar : bars_) {
            if (bar.figure) most_ = std::max(most_, bar.figure->sample.gflops);
            title_width_ = std::max(title_width_, text_size(style_.text, bar.title).x);
        }
        if (const auto cublas = reference_figure(group_, choice.operands, *choice.size))
            reference_ = cublas->sample.gflops;
        title_width_ = std::min(title_width_ + 2 * style_.unit, area.width * 0.35f);
        numbers_width_ = 22 * text_size(style_.mono, "0").x;
        if (area.width < title_width_ + 1.6f * numbers_width_)
            numbers_width_ = (catalog::cublas_operands(choice.operands) == choice.operands ? 7.0f : 13.0f) *
                             text_size(style_.mono, "0").x;
    }

    void draw() {
        const float least = style_.text->FontSize + style_.unit / 2;
        keep_fitting(static_cast<size_t>((area_.height + 1) / least));
        const float fitting = area_.height / static_cast<float>(std::max<size_t>(bars_.size(), 1));
        const float height = std::floor(std::clamp(fitting, least, 2 * least));
        float y = area_.y;
        for (const Bar& bar : bars_) {
            row(bar, {area_.x, y, area_.width, height});
            y += height;
        }
        if (reference_ <= 0) return;
        const float x = std::round(position(reference_));
        ImGui::GetWindowDrawList()->AddLine({x, area_.y}, {x, y}, style_.colour.text, style_.type);
    }

private:
    // Of more bars than fit: cuBLAS, and of the rungs the last ones, or those from the current one on.
    void keep_fitting(size_t count) {
        if (bars_.size() <= count) return;
        const size_t references = bars_.back().id.empty() ? 1 : 0, rungs = bars_.size() - references;
        const size_t shown = std::max(count, references + 1) - references;
        const auto current = std::find_if(bars_.begin(), bars_.end(), [&](const Bar& bar) {
            return bar.id == context_.session.view().subject.kernel;
        });
        const size_t first = std::min(static_cast<size_t>(current - bars_.begin()), rungs - std::min(shown, rungs));
        bars_.erase(bars_.begin() + static_cast<std::ptrdiff_t>(first + shown),
                    bars_.end() - static_cast<std::ptrdiff_t>(references));
        bars_.erase(bars_.begin(), bars_.begin() + static_cast<std::ptrdiff_t>(first));
    }

    // In the unit of the fastest: 8272 GFLOPS above 21.1 TFLOPS would look like more.
    std::string speed_text(double value) const {
        return most_ >= 1000 ? fmt::format("{:#.3g} TFLOPS", value / 1000) : gflops(value);
    }

    float position(double gflops) const {
        const float left = area_.x + title_width_, width = area_.width - title_width_ - numbers_width_;
        return left + width * static_cast<float>(gflops / most_);
    }

    void row(const Bar& bar, const Rect& box) {
        const bool current = bar.id == context_.session.view().subject.kernel, reference = bar.id.empty();
        const float y = box.y + (box.height - style_.text->FontSize) / 2;
        if (hovered(box) && !reference)
            ImGui::GetWindowDrawList()->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()},
                                                      with_alpha(style_.colour.selection, 0.12f));
        text_cut(context_, style_.text, {box.x, y}, title_width_ - 2 * style_.unit,
                 current || reference ? style_.colour.text : style_.colour.dim, bar.title);
        const float right = box.right();
        if (bar.figure) {
            const double gflops_now = bar.figure->sample.gflops;
            const ImU32 ink = current     ? style_.colour.selection
                              : reference ? style_.colour.text
                                          : mixed(style_.colour.panel, style_.colour.dim, 0.75f);
            ImGui::GetWindowDrawList()->AddRectFilled(
                {position(0), box.y + style_.unit / 2},
                {std::max(position(gflops_now), position(0) + 1), box.bottom() - style_.unit / 2}, ink);
            const double beside = reference_of(group_, *bar.figure->series, bar.figure->sample);
            const auto operands = bar.figure->series->operands; // cuBLAS multiplies no bits: no share of it is told
            const bool comparable = beside > 0 && catalog::cublas_operands(operands) == operands;
            std::string numbers = comparable ? fmt::format("{:.1f} %", 100 * gflops_now / beside) : "";
            if (numbers_width_ > 10 * text_size(style_.mono, "0").x)
                numbers = speed_text(gflops_now) + (comparable ? fmt::format(" {:>8}", numbers) : "");
            text_right(style_.mono, {right, y}, style_.colour.text, numbers);
        } else {
            text(style_.text, {position(0) + style_.unit, y}, style_.colour.dim, context_.tr("plot.not_measured"));
        }
        act(bar, box);
    }

    void act(const Bar& bar, const Rect& box) {
        if (!bar.id.empty()) context_.probe.mark("plot.rung." + bar.id, box.x, box.y, box.width, box.height);
        if (hovered(box) && bar.figure)
            tooltip(context_, figure_text(context_, group_, *bar.figure->series, bar.figure->sample));
        if (!bar.id.empty() && clicked(box))
            if (const auto kernel = context_.session.catalog().find(bar.id)) select_kernel(context_, *kernel);
    }

    Context& context_;
    const Style& style_;
    Rect area_;
    const SeriesGroup& group_;
    std::vector<Bar> bars_;
    double most_ = 1, reference_ = 0;
    float title_width_ = 0, numbers_width_ = 0;
};

} // namespace

Table ladder_table(const Context& context, const PlotChoice& choice) {
    const Strings& tr = context.tr;
    Table table{.columns = table_columns(tr, {{"plot.column_kernel"},
                                              {"plot.column_speed", "GFLOPS"},
                                              {"plot.column_ratio", "%"},
                                              {"plot.column_source"}})};
    if (choice.groups.empty() || !choice.size) return table;
    for (const Bar& bar : bars(context, choice)) {
        std::vector<std::string> row{bar.title};
        if (bar.figure) {
            const double beside = reference_of(choice.rungs, *bar.figure->series, bar.figure->sample);
            const bool comparable = beside > 0 && catalog::cublas_operands(choice.operands) == choice.operands;
            row.push_back(fmt::format("{:.1f}", bar.figure->sample.gflops));
            row.push_back(comparable ? fmt::format("{:.1f}", 100 * bar.figure->sample.gflops / beside) : "-");
            row.push_back(provenance(tr, *bar.figure->series));
        } else {
            row.insert(row.end(), {"-", "-", tr("plot.not_measured")});
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

void draw_ladder_bars(Context& context, const Rect& area, const PlotChoice& choice) {
    if (choice.groups.empty() || !choice.size) return;
    LadderPlot(context, area, choice).draw();
}

} // namespace ui
