#include "ui/grid.h"
#include "ui/plot_views.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// A kernel's place: how many operations it does for a byte, counted; how fast it is, measured.
struct Point {
    std::string title;
    double flop_per_byte = 0; // 0: not counted
    std::optional<Figure> figure;
    std::string counted_at; // size at which flop_per_byte was counted
    bool current = false;
};

double intensity_of(const analysis::Totals& totals, const catalog::Problem& size) {
    return analysis::intensity(totals, size.m, size.n, size.k, {}).flop_per_byte;
}

// The counters of the kernel with the parameters that it was measured with; else with its initial ones.
const session::Counted* counted_for(const session::Session& session, const catalog::Kernel& kernel, const Figure& figure) {
    const auto wanted = catalog::with(kernel, figure.series->parameters);
    const auto initial = catalog::initial_values(kernel);
    const session::Counted* found = nullptr;
    for (const session::Counted& one : session.counted()) {
        if (one.subject.kernel != kernel.id) continue;
        if (wanted && one.subject.parameters == *wanted) return &one;
        if (one.subject.parameters == initial) found = &one;
    }
    return found;
}

std::vector<Point> points(const Context& context, const SeriesGroup& group, const catalog::Problem& size) {
    const session::Session& session = context.session;
    std::vector<Point> points;
    for (const auto& kernel : session.catalog().kernels) {
        Point point{context.tr(kernel->title), 0, figure(group, kernel->id, size), {},
                    kernel->id == session.view().subject.kernel};
        if (!point.figure) continue;
        if (const session::Counted* counted = counted_for(session, *kernel, *point.figure)) {
            const catalog::Problem& at = counted->subject.problem;
            point.flop_per_byte = intensity_of(counted->totals, at);
            point.counted_at = size_text(at.m, at.n, at.k);
        }
        points.push_back(std::move(point));
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const Point& a, const Point& b) { return a.current > b.current; });
    return points;
}

class Roofline {
public:
    Roofline(Context& context, const Rect& area, const SeriesGroup& group, const catalog::Problem& size,
             const analysis::Device& device)
        : context_(context), style_(context.style), area_(area), group_(group), device_(device),
          points_(points(context, group, size)) {}

    void draw() {
        const float labels = area_.width > 30 * style_.text->FontSize ? 13 * style_.text->FontSize : 0;
        data_ = data_area(context_, area_, labels);
        const double peak = device_.fp32_gflops(), ridge = peak / device_.memory_gb_s;
        double least = 0.5, most = std::max(64.0, ridge * 4), slowest = peak / 64;
        for (const Point& point : points_) {
            if (point.flop_per_byte > 0)
                least = std::min(least, point.flop_per_byte / 1.5),
                most = std::max(most, point.flop_per_byte * 1.5);
            slowest = std::min(slowest, point.figure->sample.gflops / 1.5);
        }
        const Axis x(Axis::Scale::log2, least, most, data_.x, data_.right());
        const Axis y(Axis::Scale::log2, slowest / 1000, peak * 1.5 / 1000, data_.bottom(), data_.y);
        draw_axes(context_, data_, x, y, axis_name(), "TFLOPS", area_.right());
        roof(x, y, peak, ridge);
        for (const Point& point : points_) draw_point(point, x, y);
    }

private:
    // "flop / byte, counted at 256³": all points are counted at one size, measured at another.
    std::string axis_name() const {
        for (const Point& point : points_)
            if (!point.counted_at.empty()) return say(context_, "plot.flop_per_byte_at", point.counted_at);
        return context_.tr("plot.flop_per_byte");
    }

    void roof(const Axis& x, const Axis& y, double peak, double ridge) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        const ImVec2 corner{x.pixel(ridge), y.pixel(peak / 1000)};
        // Where the slope enters the picture: at the left edge or at the bottom.
        const double entry = std::max(x.low(), y.low() * 1000 / device_.memory_gb_s);
        const ImVec2 start{x.pixel(entry), y.pixel(entry * device_.memory_gb_s / 1000)};
        list->AddLine(start, corner, style_.colour.text, 2 * style_.type);
        list->AddLine(corner, {data_.right(), corner.y}, style_.colour.text, 2 * style_.type);
        // Names where nothing else can be: beside the roof's end, and above the slope.
        const float height = style_.text->FontSize;
        const std::string top = say(context_, "plot.peak", gflops(peak));
        if (area_.right() > data_.right() + height) {
            taken_.push_back(corner.y);
            text_cut(context_, style_.text, {data_.right() + style_.unit, corner.y - height / 2},
                     area_.right() - data_.right() - style_.unit, style_.colour.dim, top);
        } else {
            text_right(style_.text, {data_.right(), corner.y - height}, style_.colour.dim, top);
        }
        const std::string slope =
            say(context_, "plot.bandwidth", thousands(static_cast<uint64_t>(device_.memory_gb_s)));
        const ImVec2 middle{(start.x + corner.x) / 2 - 2 * style_.unit, (start.y + corner.y) / 2 - height};
        text(style_.text,
             {std::max(middle.x - text_size(style_.text, slope).x, data_.x + style_.unit), middle.y},
             style_.colour.dim, slope);
    }

    void draw_point(const Point& point, const Axis& x, const Axis& y) {
        const ImU32 ink = point.current ? style_.colour.selection : style_.colour.dim;
        const float at_y = y.pixel(point.figure->sample.gflops / 1000), height = style_.text->FontSize;
        ImVec2 at{data_.right(), at_y};
        if (point.flop_per_byte > 0) {
            at.x = x.pixel(point.flop_per_byte);
            ImGui::GetWindowDrawList()->AddLine(at, {data_.right(), at_y}, with_alpha(ink, 0.4f));
            draw_marker(style_, at, group_.origin, style_.unit * 1.2f, ink);
        } else { // measured but not counted: a height without a place on the other axis
            ImGui::GetWindowDrawList()->AddLine({at.x - 2 * style_.unit, at_y}, at, ink, style_.type);
        }
        for (const float shift : {0.0f, 0.5f, 1.0f, -0.5f}) {
            const float middle = at_y + shift * height;
            if (std::any_of(taken_.begin(), taken_.end(),
                            [&](float other) { return std::abs(other - middle) < height; }))
                continue;
            taken_.push_back(middle);
            text_cut(context_, style_.text, {data_.right() + style_.unit, middle - height / 2},
                     area_.right() - data_.right() - style_.unit,
                     point.current ? style_.colour.text : style_.colour.dim, point.title);
            break;
        }
        if (hovered({at.x - 2 * style_.unit, at_y - 2 * style_.unit, 4 * style_.unit, 4 * style_.unit}))
            explain(point);
    }

    void explain(const Point& point) {
        std::string words = figure_text(context_, group_, *point.figure->series, point.figure->sample);
        words += "\n" + (point.flop_per_byte > 0 ? say(context_, "plot.counted",
                                                       short_number(point.flop_per_byte), point.counted_at)
                                                 : std::string(context_.tr("plot.not_counted")));
        tooltip(context_, words);
    }

    Context& context_;
    const Style& style_;
    Rect area_, data_;
    const SeriesGroup& group_;
    const analysis::Device& device_;
    std::vector<Point> points_;
    std::vector<float> taken_; // heights of the names
};

} // namespace

void draw_roofline(Context& context, const Rect& area, const PlotChoice& choice) {
    if (choice.groups.empty() || !choice.size) return;
    const analysis::Device* device = device_named(choice.groups.front().device);
    if (!device) return sentence(context, say(context, "plot.no_peaks", choice.groups.front().device));
    Roofline(context, area, choice.groups.front(), *choice.size, *device).draw();
}

} // namespace ui
