#include "ui/draw/grid.h"
#include "ui/plot/plot_views.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using session::ErrorCurve;
using session::ErrorGrowth;
using session::ErrorPoint;

// "Strassen", and of several curves of one kernel the parameters in which they differ.
std::string title_of(const Context& context, const ErrorCurve& curve) {
    std::string words = context.tr(curve.kernel->title);
    for (const auto& [name, value] : curve.parameters) {
        const auto differs = [&, &name = name, &value = value](const ErrorCurve& other) {
            return other.kernel == curve.kernel && other.parameters.at(name) != value;
        };
        const auto& all = context.session.error_growth().curves();
        if (std::any_of(all.begin(), all.end(), differs)) words += fmt::format(" {}={}", name, value);
    }
    return words;
}

class ErrorsPlot {
public:
    ErrorsPlot(Context& context, const Rect& area)
        : context_(context), style_(context.style), area_(area), growth_(context.session.error_growth()) {
        for (const ErrorCurve& curve : growth_.curves()) // the wanted one last: on top
            if (&curve != growth_.wanted()) curves_.push_back(&curve);
        if (growth_.wanted()) curves_.push_back(growth_.wanted());
    }

    void draw() {
        double least = 1, most = 0;
        const auto count = [&](double value) {
            if (value > 0) least = std::min(least, value), most = std::max(most, value);
        };
        for (const ErrorCurve* curve : curves_)
            for (const ErrorPoint& point : curve->points)
                count(point.error), count(is_wanted(curve) ? point.tolerance : 0);
        if (most == 0) least = most = 1e-7; // nothing yet, or all exact
        const float labels = area_.width > 30 * style_.text->FontSize ? area_.width * 0.26f : 0;
        data_ = data_area(context_, area_, labels);
        const Axis x(Axis::Scale::log2, ErrorGrowth::edges.front() / 1.15, ErrorGrowth::edges.back() * 1.15, data_.x,
                     data_.right());
        // Some air around them; where that holds fewer than two powers of ten, those around it.
        double low = least / 1.5, high = most * 1.5;
        if (std::floor(std::log10(high)) <= std::ceil(std::log10(low)))
            low = std::pow(10, std::floor(std::log10(low))), high = std::pow(10, std::ceil(std::log10(high)));
        const Axis y(Axis::Scale::log10, low, high, data_.bottom(), data_.y);
        draw_axes(context_, data_, x, y, context_.tr("plot.size"), context_.tr("plot.error"), area_.right());
        for (const ErrorCurve* curve : curves_) draw_curve(*curve, x, y);
        if (labels > 0) draw_labels(x, y);
        read_out(x, y);
    }

private:
    bool is_wanted(const ErrorCurve* curve) const { return curve == growth_.wanted(); }
    ImU32 colour(const ErrorCurve& curve) const {
        return is_wanted(&curve) ? style_.colour.selection : mixed(style_.colour.panel, style_.colour.text, 0.6f);
    }
    static ImVec2 at(const ErrorPoint& point, double error, const Axis& x, const Axis& y) {
        return {x.pixel(point.edge), y.pixel(std::max(error, y.low()))}; // an exact result lies on the axis
    }

    void draw_curve(const ErrorCurve& curve, const Axis& x, const Axis& y) {
        std::vector<ImVec2> points, allowed;
        for (const ErrorPoint& point : curve.points) {
            points.push_back(at(point, point.error, x, y));
            allowed.push_back(at(point, point.tolerance, x, y));
        }
        ImDrawList* list = ImGui::GetWindowDrawList();
        const ImU32 ink = colour(curve);
        list->AddPolyline(points.data(), static_cast<int>(points.size()), ink, 0,
                          style_.data_line(is_wanted(&curve) ? 2.0f : 1.0f));
        for (const ImVec2& point : points)
            draw_marker(style_, point, measure::Origin::live, style_.unit * (is_wanted(&curve) ? 0.9f : 0.65f), ink);
        if (!is_wanted(&curve)) return;
        for (size_t i = 1; i < allowed.size(); ++i)
            dashed_line(allowed[i - 1], allowed[i], style_.colour.dim, style_.type, 1.5f * style_.unit);
    }

    void draw_labels(const Axis& x, const Axis& y) {
        std::vector<EndLabel> labels;
        for (auto curve = curves_.rbegin(); curve != curves_.rend(); ++curve)
            if (!(*curve)->points.empty()) {
                const ErrorPoint& last = (*curve)->points.back();
                labels.push_back({at(last, last.error, x, y).y, title_of(context_, **curve),
                                  is_wanted(*curve) ? style_.colour.text : style_.colour.dim});
                if (is_wanted(*curve))
                    labels.push_back(
                        {at(last, last.tolerance, x, y).y, context_.tr("plot.error_allowed"), style_.colour.dim});
            }
        draw_end_labels(context_, data_, area_.right(), std::move(labels));
    }

    void read_out(const Axis& x, const Axis& y) {
        if (!hovered(area_)) return;
        const ImVec2 mouse = ImGui::GetMousePos();
        float nearest = std::pow(5 * style_.unit, 2.0f);
        const ErrorCurve* found = nullptr;
        const ErrorPoint* point = nullptr;
        for (const ErrorCurve* curve : curves_)
            for (const ErrorPoint& one : curve->points) {
                const ImVec2 place = at(one, one.error, x, y);
                const float away = std::pow(place.x - mouse.x, 2.0f) + std::pow(place.y - mouse.y, 2.0f);
                if (away <= nearest) nearest = away, found = curve, point = &one;
            }
        if (!found) return;
        ImGui::GetWindowDrawList()->AddCircle(at(*point, point->error, x, y), 2 * style_.unit, style_.colour.text, 0,
                                              style_.type);
        tooltip(context_, title_of(context_, *found) + "\n" +
                              say(context_, "plot.error_at", size_text(point->edge, point->edge, point->edge),
                                  point->error, point->tolerance));
    }

    Context& context_;
    const Style& style_;
    Rect area_, data_;
    const ErrorGrowth& growth_;
    std::vector<const ErrorCurve*> curves_;
};

// What is being done, or why there is nothing to see.
std::string state_of(const Context& context) {
    const ErrorCurve* curve = context.session.error_growth().wanted();
    if (!curve) return context.tr("plot.error_none");
    if (curve->failed) return context.tr(*curve->failed);
    if (!curve->is_whole()) {
        const int edge = ErrorGrowth::edges[curve->points.size()];
        return say(context, "plot.error_measuring", size_text(edge, edge, edge));
    }
    const bool exact =
        std::all_of(curve->points.begin(), curve->points.end(), [](const ErrorPoint& p) { return p.error == 0; });
    return exact ? context.tr("plot.error_exact") : "";
}

} // namespace

void draw_errors(Context& context) {
    TextLines lines(context);
    lines.add(context.style.text, context.style.colour.dim, context.tr("plot.error_note"));
    if (const std::string state = state_of(context); !state.empty())
        lines.add(context.style.text, context.style.colour.text, state);
    lines.end();
    ErrorsPlot(context, free_area()).draw();
}

Table errors_table(const Context& context) {
    Table table{.notes = {context.tr("plot.error_note")},
                .columns = table_columns(
                    context.tr, {{"plot.column_kernel"}, {"plot.size"}, {"plot.error"}, {"plot.error_allowed"}})};
    if (const std::string state = state_of(context); !state.empty()) table.notes.push_back(state);
    for (const ErrorCurve& curve : context.session.error_growth().curves())
        for (const ErrorPoint& point : curve.points)
            table.rows.push_back({title_of(context, curve), std::to_string(point.edge),
                                  fmt::format("{:.3g}", point.error), fmt::format("{:.3g}", point.tolerance)});
    return table;
}

} // namespace ui
