#include "ui/draw/grid.h"
#include "ui/plot/plot_views.h"
#include "ui/speed/speed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ui {
namespace {

struct Line {
    const SeriesGroup* group;
    const measure::Series* series;
    int rank; // what is drawn later lies on top: 0 others, 1 cuBLAS, 2 the current kernel
    std::vector<measure::Sample> curve;
    std::optional<measure::Sample>
        apart; // the size that is looked at, where it is not of the curve: a product of another shape
};

class SizesPlot {
public:
    SizesPlot(Context& context, const Rect& area, const PlotChoice& choice)
        : context_(context), style_(context.style), area_(area), predicted_(choice.predicted) {
        const std::string& current = context.session.view().subject.kernel;
        const auto is_compared = [&](const measure::Series& series) {
            const auto kernel = context.session.catalog().find(series.kernel);
            return !kernel || std::find(choice.kernels.begin(), choice.kernels.end(), kernel) != choice.kernels.end();
        };
        for (const SeriesGroup& group : choice.groups)
            for (const measure::Series* series : group.series)
                if (is_compared(*series))
                    lines_.push_back(line(group, *series,
                                          series->kernel == current     ? 2
                                          : measure::is_cublas(*series) ? 1
                                                                        : 0));
        std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.rank < b.rank; });
    }

    void draw() {
        measure();
        unit_ = most_ >= 2000 ? 1000 : 1;
        const float labels = area_.width > 30 * style_.text->FontSize ? label_width() : 0;
        data_ = data_area(context_, area_, labels);
        const Axis x(Axis::Scale::log2, least_edge_ / 1.15, most_edge_ * 1.15, data_.x, data_.right());
        const Axis y(Axis::Scale::linear, 0, nice_top(most_ / unit_ * 1.03, 5), data_.bottom(), data_.y);
        draw_axes(context_, data_, x, y, context_.tr(square_ ? "plot.size" : "plot.size_mn"), unit_name(),
                  area_.right());
        problem_size(x);
        if (predicted_) predicted_band(x, y); // below all that was measured
        for (const Line& line : lines_) draw_line(line, x, y);
        if (predicted_) predicted_curve(x, y);
        current_setting(x, y);
        if (labels > 0) draw_labels(x, y);
        read_out(x, y);
    }

private:
    Line line(const SeriesGroup& group, const measure::Series& series, int rank) const {
        Line made{&group, &series, rank, curve(series), {}};
        const auto here = [now = context_.session.view().speed_problem](const measure::Sample& sample) {
            return catalog::Problem{sample.m, sample.n, sample.k} == now;
        };
        const auto found = std::find_if(series.samples.begin(), series.samples.end(), here);
        const bool on_curve = std::any_of(made.curve.begin(), made.curve.end(), here);
        if (found != series.samples.end() && !on_curve) made.apart = *found;
        return made;
    }

    // Calls f(sample) for all that is drawn of a line.
    template <class F>
    static void each_sample(const Line& line, F f) {
        for (const measure::Sample& sample : line.curve) f(sample);
        if (line.apart) f(*line.apart);
    }

    // Of the current size; below 16, where the axis would lose itself in sizes that nobody measures, 16.
    double edge_now() const {
        const catalog::Problem& now = context_.session.view().speed_problem;
        return std::max(16.0, edge({now.m, now.n, now.k, 0}));
    }

    void measure() {
        least_edge_ = most_edge_ = edge_now();
        for (const Line& line : lines_)
            each_sample(line, [&](const measure::Sample& sample) {
                least_edge_ = std::min(least_edge_, edge(sample));
                most_edge_ = std::max(most_edge_, edge(sample));
                most_ = std::max(most_, sample.gflops);
                if (sample.m != sample.n || sample.n != sample.k) square_ = false;
            });
        each_predicted([&](const catalog::Problem& size, const session::PredictedSpeed& speed) {
            least_edge_ = std::min<double>(least_edge_, size.m);
            most_edge_ = std::max<double>(most_edge_, size.m);
            most_ = std::max(most_, speed.most_gflops());
        });
    }

    // Calls f(size, speed) for what is predicted, ascending.
    template <class F>
    void each_predicted(F f) const {
        if (!predicted_) return;
        for (const PredictedCurve::Point& point : predicted_->points)
            if (const session::PredictedSpeed* speed = speed_of(point.answer)) f(point.size, *speed);
    }

    // Between the 10th and the 90th percentile of the error, where it is known.
    void predicted_band(const Axis& x, const Axis& y) {
        std::vector<std::array<ImVec2, 2>> edges;
        each_predicted([&](const catalog::Problem& size, const session::PredictedSpeed& speed) {
            const float at = x.pixel(size.m);
            if (speed.error.accuracy)
                edges.push_back({ImVec2{at, y.pixel(speed.most_gflops() / unit_)},
                                 ImVec2{at, y.pixel(speed.least_gflops() / unit_)}});
        });
        const ImU32 ink = with_alpha(style_.colour.selection, 0.16f);
        for (size_t i = 1; i < edges.size(); ++i)
            ImGui::GetWindowDrawList()->AddQuadFilled(edges[i - 1][0], edges[i][0], edges[i][1], edges[i - 1][1], ink);
    }

    // Dashed, and a hollow mark at each size; faint where it is not validated.
    void predicted_curve(const Axis& x, const Axis& y) {
        std::optional<ImVec2> before;
        const ImU32 ink = style_.colour.selection;
        each_predicted([&](const catalog::Problem& size, const session::PredictedSpeed& speed) {
            const ImVec2 at{x.pixel(size.m), y.pixel(speed.gflops / unit_)};
            if (before) dashed_line(*before, at, with_alpha(ink, 0.8f), style_.type, 2 * style_.unit);
            before = at;
        });
        each_predicted([&](const catalog::Problem& size, const session::PredictedSpeed& speed) {
            draw_predicted_marker(style_, {x.pixel(size.m), y.pixel(speed.gflops / unit_)}, 0.9f * style_.unit,
                                  speed.error.validated() ? ink : with_alpha(ink, 0.5f));
        });
    }

    const char* unit_name() const { return unit_ > 1 ? "TFLOPS" : "GFLOPS"; }

    float label_width() const {
        float widest = 0;
        for (const Line& line : lines_)
            widest = std::max(widest, text_size(style_.text, series_title(context_, *line.series)).x);
        return std::min(widest + 3 * style_.unit, area_.width * 0.28f);
    }

    ImU32 colour(const Line& line) const {
        if (line.rank == 2) return style_.colour.selection;
        return line.rank == 1 ? style_.colour.text : mixed(style_.colour.panel, style_.colour.dim, 0.75f);
    }

    ImVec2 at(const measure::Sample& sample, const Axis& x, const Axis& y) const {
        return {x.pixel(edge(sample)), y.pixel(sample.gflops / unit_)};
    }

    void problem_size(const Axis& x) {
        const catalog::Problem& now = context_.session.view().speed_problem;
        if (now.m < 1 || now.n < 1) return;
        const float at = std::round(x.pixel(edge_now()));
        ImGui::GetWindowDrawList()->AddLine({at, data_.y}, {at, data_.bottom()},
                                            with_alpha(style_.colour.selection, 0.6f));
        const std::string label = say(context_, "plot.now", size_text(now.m, now.n, now.k));
        const float width = text_size(style_.text, label).x;
        const bool fits = at + style_.unit + width <= data_.right(); // the series' names follow
        const float left = fits ? at + style_.unit : at - style_.unit - width;
        // Above the curves, beside the axis' unit; where that leaves no room, below it.
        const bool beside = left > data_.x + text_size(style_.text, unit_name()).x + style_.unit;
        text(style_.text, {left, beside ? data_.y - style_.text->FontSize : data_.y}, style_.colour.dim, label);
    }

    void draw_line(const Line& line, const Axis& x, const Axis& y) {
        std::vector<ImVec2> points;
        for (const measure::Sample& sample : line.curve) points.push_back(at(sample, x, y));
        const float thickness = style_.data_line(line.rank == 1 ? 3.0f : line.rank == 2 ? 2.0f : 1.0f);
        const ImU32 ink = colour(line);
        ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), ink, 0, thickness);
        each_sample(line, [&](const measure::Sample& sample) {
            draw_marker(style_, at(sample, x, y), line.series->origin, style_.unit * (line.rank ? 0.9f : 0.65f), ink);
        });
    }

    // The current kernel with its present parameters, at the sizes at which they were measured; that at which speed is shown is
    // large.
    void current_setting(const Axis& x, const Axis& y) {
        const auto now = speed_now(context_);
        const bool shown = now && std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
                               return line.series->device == now->speeds.device();
                           });
        if (!shown) return;
        std::vector<ImVec2> points;
        ImDrawList* list = ImGui::GetWindowDrawList();
        for (const catalog::Problem& size : now->speeds.sizes()) {
            const auto speed = now->speeds.at(now->values, size);
            if (size.m != size.n || size.n != size.k || !speed || speed->gflops <= 0) continue;
            points.push_back(at({size.m, size.n, size.k, speed->gflops}, x, y));
            list->AddCircleFilled(points.back(), (size == now->size ? 1.5f : 0.7f) * style_.unit,
                                  style_.colour.selection);
        }
        list->AddPolyline(points.data(), static_cast<int>(points.size()), style_.colour.selection, 0, style_.type);
    }

    void draw_labels(const Axis& x, const Axis& y) {
        std::vector<EndLabel> labels;
        for (auto line = lines_.rbegin(); line != lines_.rend();
             ++line) // a point within the picture has no end at its edge
            if (line->curve.size() > 1)
                labels.push_back({at(line->curve.back(), x, y).y, series_title(context_, *line->series),
                                  line->rank ? style_.colour.text : style_.colour.dim, at(line->curve.back(), x, y).x});
        draw_end_labels(context_, data_, area_.right(), std::move(labels));
    }

    void read_out(const Axis& x, const Axis& y) {
        if (!hovered(area_)) return;
        const ImVec2 mouse = ImGui::GetMousePos();
        float nearest = std::pow(5 * style_.unit, 2.0f);
        const Line* line = nullptr;
        const measure::Sample* sample = nullptr;
        for (const Line& candidate : lines_)
            each_sample(candidate, [&](const measure::Sample& one) {
                const ImVec2 point = at(one, x, y);
                const float away = std::pow(point.x - mouse.x, 2.0f) + std::pow(point.y - mouse.y, 2.0f);
                if (away < nearest) nearest = away, line = &candidate, sample = &one;
            });
        if (const PredictedCurve::Point* point = predicted_at(mouse, x, y, nearest)) {
            const std::string size = size_text(point->size.m, point->size.n, point->size.k);
            return tooltip(context_, fmt::format("{}\n{}\n{}", size, predicted_text(context_, point->answer),
                                                 context_.tr("predicted.hint")));
        }
        if (!line) return;
        ImGui::GetWindowDrawList()->AddCircle(at(*sample, x, y), 2 * style_.unit, style_.colour.text, 0, style_.type);
        tooltip(context_, figure_text(context_, *line->group, *line->series, *sample));
    }

    // Nearer than `nearest`, in pixels, squared; nullptr: none is.
    const PredictedCurve::Point* predicted_at(ImVec2 mouse, const Axis& x, const Axis& y, float nearest) const {
        const PredictedCurve::Point* found = nullptr;
        if (!predicted_) return found;
        for (const PredictedCurve::Point& point : predicted_->points) {
            const session::PredictedSpeed* speed = speed_of(point.answer);
            if (!speed) continue;
            const float across = x.pixel(point.size.m) - mouse.x, up = y.pixel(speed->gflops / unit_) - mouse.y;
            if (across * across + up * up < nearest) nearest = across * across + up * up, found = &point;
        }
        return found;
    }

    Context& context_;
    const Style& style_;
    Rect area_, data_;
    const std::optional<PredictedCurve>& predicted_;
    std::vector<Line> lines_;
    double least_edge_ = 0, most_edge_ = 0, most_ = 1, unit_ = 1;
    bool square_ = true;
};

} // namespace

void draw_sizes(Context& context, const Rect& area, const PlotChoice& choice) {
    SizesPlot(context, area, choice).draw();
}

} // namespace ui
