#include "session/ceiling.h"
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
    int rung = 0; // of the ladder; 0: no rung of it
};

double intensity_of(const analysis::Totals& totals, const catalog::Kernel& kernel,
                    const catalog::Problem& size) {
    return analysis::intensity(totals, catalog::operations(kernel.operation, size.m, size.n, size.k), {})
        .flop_per_byte;
}

// The counters of the kernel with the parameters that it was measured with; nullptr: it was not counted with them.
const session::Counted* counted_for(const session::Session& session, const catalog::Kernel& kernel, const Figure& figure) {
    const auto measured = catalog::with(kernel, figure.sample.parameters.empty() ? figure.series->parameters : figure.sample.parameters);
    for (const session::Counted& one : session.counted())
        if (measured && one.subject.kernel == kernel.id && one.subject.parameters == *measured) return &one;
    return nullptr;
}

std::vector<Point> points(const Context& context, const SeriesGroup& group, const catalog::Problem& size) {
    const session::Session& session = context.session;
    std::vector<Point> points;
    for (const auto& kernel : compared_kernels(session)) {
        Point point{context.tr(kernel->title),
                    0,
                    figure(group, kernel->id, size),
                    {},
                    kernel->id == session.view().subject.kernel,
                    kernel->family == "ladder" ? kernel->rung : 0};
        if (!point.figure) continue;
        if (const session::Counted* counted = counted_for(session, *kernel, *point.figure)) {
            const catalog::Problem& at = counted->subject.problem;
            point.flop_per_byte = intensity_of(counted->totals, *kernel, at);
            point.counted_at = size_text(at.m, at.n, at.k);
        }
        points.push_back(std::move(point));
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const Point& a, const Point& b) { return a.current > b.current; });
    return points;
}

// Peaks of a device for one type of operands: what it would reach by arithmetic, and what was measured there,
// if anything was. Of doubles those of FMAs, and of tensor cores above them; of bits popc's, which tensor
// cores may pass.
struct Peaks {
    double gflops = 0, memory_gb_s = 0;            // no gflops: no flat roof
    double measured_gflops = 0, measured_gb_s = 0; // 0: not measured
    double tensor_gflops = 0;                      // a second roof; 0: none is known
};

class Roofline {
public:
    Roofline(Context& context, const Rect& area, const SeriesGroup& group, const catalog::Problem& size,
             const Peaks& peaks, catalog::OperandType operands)
        : context_(context), style_(context.style), area_(area), group_(group), peaks_(peaks),
          operands_(operands), points_(points(context, group, size)) {}

    void draw() {
        data_ = data_area(context_, area_, 2 * style_.unit);
        double peak = std::max(peaks_.gflops, peaks_.tensor_gflops);
        for (const Point& point : points_) peak = std::max(peak, point.figure->sample.gflops);
        const double ridge = peak / peaks_.memory_gb_s;
        double least = 0.5, most = std::max(64.0, ridge * 4), slowest = peak / 64;
        for (const Point& point : points_) {
            if (point.flop_per_byte > 0)
                least = std::min(least, point.flop_per_byte / 1.5),
                most = std::max(most, point.flop_per_byte * 3); // room for a name beside the last
            slowest = std::min(slowest, point.figure->sample.gflops / 1.5);
        }
        const Axis x(Axis::Scale::log2, least, most, data_.x, data_.right());
        const Axis y(Axis::Scale::log2, slowest / 1000, peak * (has_peak() ? 1.5 : 6) / 1000, data_.bottom(),
                     data_.y);
        draw_axes(context_, data_, x, y, axis_name(), "TFLOPS", area_.right());
        for (const Point& point : points_) take(marker(point, x, y));
        const bool measured = peaks_.measured_gb_s > 0;
        roof(x, y, peaks_.gflops, peaks_.memory_gb_s, measured ? style_.colour.dim : style_.colour.text,
             measured ? 1 : 2);
        if (measured)
            roof(x, y, peaks_.measured_gflops > 0 ? peaks_.measured_gflops : peaks_.gflops,
                 peaks_.measured_gb_s, style_.colour.text, 2);
        if (peaks_.tensor_gflops > 0)
            roof(x, y, peaks_.tensor_gflops, peaks_.memory_gb_s, style_.colour.dim, 1);
        path(x, y);
        name_roofs();
        for (const bool current : {true, false}) // whose name has the first choice of places
            for (const Point& point : points_)
                if (point.current == current) draw_point(point, x, y);
    }

private:
    // "flop / byte, counted at 256³": all points are counted at one size, measured at another.
    std::string axis_name() const {
        for (const Point& point : points_)
            if (!point.counted_at.empty()) return say(context_, "plot.flop_per_byte_at", point.counted_at);
        return context_.tr("plot.flop_per_byte");
    }

    struct Roof {
        ImVec2 start, corner; // of the slope
    };
    struct Leg { // of the path
        ImVec2 from, to;
    };

    bool has_peak() const { return peaks_.gflops > 0; }

    // Without a peak the slope goes on to the edge of the picture.
    void roof(const Axis& x, const Axis& y, double peak_gflops, double gb_s, ImU32 ink, float width) {
        if (!has_peak()) peak_gflops = std::min(y.high() * 1000, x.high() * gb_s);
        const ImVec2 corner{x.pixel(peak_gflops / gb_s), y.pixel(peak_gflops / 1000)};
        // Where the slope enters the picture: at the left edge or at the bottom.
        const double entry = std::max(x.low(), y.low() * 1000 / gb_s);
        const ImVec2 start{x.pixel(entry), y.pixel(entry * gb_s / 1000)};
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddLine(start, corner, ink, width * style_.type);
        if (has_peak()) list->AddLine(corner, {data_.right(), corner.y}, ink, width * style_.type);
        roofs_.push_back({start, corner});
    }

    void name_roofs() {
        const float height = style_.text->FontSize;
        const std::string of = unit_text(context_, session::unit_of(operands_, false));
        const std::string top =
            !has_peak() ? say(context_, "plot.no_peak", of)
            : peaks_.measured_gflops > 0
                ? say(context_, "plot.peaks", of, gflops(peaks_.gflops), gflops(peaks_.measured_gflops))
                : say(context_, "plot.peak", of, gflops(peaks_.gflops));
        const auto whole = [](double value) { return thousands(static_cast<uint64_t>(value + 0.5)); };
        const std::string slope =
            peaks_.measured_gb_s > 0
                ? say(context_, "plot.bandwidths", whole(peaks_.memory_gb_s), whole(peaks_.measured_gb_s))
                : say(context_, "plot.bandwidth", whole(peaks_.memory_gb_s));
        const auto& [start, corner] = roofs_.front();
        const float top_left = data_.right() - text_size(style_.text, top).x;
        if (peaks_.tensor_gflops > 0) {
            const std::string tensor =
                say(context_, "plot.peak", unit_text(context_, session::unit_of(operands_, true)),
                    gflops(peaks_.tensor_gflops));
            label(tensor,
                  {data_.right() - text_size(style_.text, tensor).x,
                   roofs_.back().corner.y - height - style_.unit},
                  style_.colour.dim);
        }
        // Without a flat roof to stand on, at the bottom, above the axis' name.
        const float above = has_peak() ? corner.y - height - style_.unit : data_.bottom() - 2.5f * height;
        label(top, {top_left, above}, style_.colour.dim);
        const ImVec2 size = text_size(style_.text, slope);
        for (const float along : {0.5f, 0.6f, 0.7f, 0.4f, 0.8f}) { // beside the slope, where no point lies
            const ImVec2 at{start.x + (corner.x - start.x) * along - 3 * style_.unit - size.x, start.y + (corner.y - start.y) * along - height};
            if (!is_free({at.x, at.y, size.x, size.y})) continue;
            label(slope, at, style_.colour.dim);
            break;
        }
        note(top_left - 4 * style_.unit);
    }

    // From rung to rung, in the order of the ladder.
    void path(const Axis& x, const Axis& y) {
        std::vector<const Point*> rungs;
        for (const Point& point : points_)
            if (point.rung > 0 && point.flop_per_byte > 0) rungs.push_back(&point);
        std::sort(rungs.begin(), rungs.end(),
                  [](const Point* a, const Point* b) { return a->rung < b->rung; });
        const auto at = [&](const Point& p) {
            return ImVec2{x.pixel(p.flop_per_byte), y.pixel(p.figure->sample.gflops / 1000)};
        };
        for (size_t i = 1; i < rungs.size(); ++i) {
            const ImVec2 from = at(*rungs[i - 1]), to = at(*rungs[i]);
            ImGui::GetWindowDrawList()->AddLine(from, to, with_alpha(style_.colour.dim, 0.5f), style_.type);
            path_.push_back({from, to});
        }
    }

    bool is_off_path(const Rect& place) const {
        return std::none_of(path_.begin(), path_.end(), [&](const Leg& leg) {
            const auto [a, b] =
                leg.from.x <= leg.to.x ? std::pair(leg.from, leg.to) : std::pair(leg.to, leg.from);
            const float left = std::max(a.x, place.x), right = std::min(b.x, place.right());
            if (left > right) return false;
            const auto height_at = [&, from = a, to = b](float at) {
                return from.y + (to.y - from.y) * (at - from.x) / std::max(to.x - from.x, 1.0f);
            };
            const float low = b.x - a.x < 1 ? a.y : height_at(left),
                        high = b.x - a.x < 1 ? b.y : height_at(right);
            return std::min(low, high) < place.bottom() && std::max(low, high) > place.y;
        });
    }

    // Why a point may lie above the roof, in the corner that is free.
    void note(float right) {
        const float width = std::min(right - data_.x - 2 * style_.unit, 26 * style_.text->FontSize);
        if (width < 16 * style_.text->FontSize || data_.height < 16 * style_.text->FontSize) return;
        std::string words(context_.tr("plot.roof_note"));
        if (operands_ == catalog::OperandType::b1)
            words += " " + std::string(context_.tr("plot.roof_note_bits"));
        const ImVec2 at{data_.x + 2 * style_.unit, data_.y + style_.unit};
        ImGui::GetWindowDrawList()->AddText(style_.text, style_.text->FontSize, at, style_.colour.dim, words.data(), words.data() + words.size(), width);
        const ImVec2 size = style_.text->CalcTextSizeA(style_.text->FontSize, FLT_MAX, width, words.data(), words.data() + words.size());
        take({at.x, at.y, size.x, size.y});
    }

    void take(const Rect& place) { taken_.push_back(place); }

    void label(const std::string& words, ImVec2 at, ImU32 ink) {
        const ImVec2 size = text_size(style_.text, words);
        take({at.x, at.y, size.x, size.y});
        text(style_.text, at, ink, words);
    }

    Rect marker(const Point& point, const Axis& x, const Axis& y) const {
        const float r = 1.4f * style_.unit, at_y = y.pixel(point.figure->sample.gflops / 1000);
        const float at_x = point.flop_per_byte > 0 ? x.pixel(point.flop_per_byte) : data_.right();
        return {at_x - r, at_y - r, 2 * r, 2 * r};
    }

    // Is there neither a name nor a marker in `place`?
    bool is_clear(const Rect& place) const {
        return std::none_of(taken_.begin(), taken_.end(), [&](const Rect& other) {
            return place.x < other.right() && other.x < place.right() && place.y < other.bottom() && other.y < place.bottom();
        });
    }

    // Nor a roof, nor the edge of the picture?
    bool is_free(const Rect& place) const {
        if (place.x < data_.x || place.right() > data_.right() + 1 || place.y < data_.y - style_.text->FontSize || place.bottom() > data_.bottom()) return false;
        return is_clear(place) && std::all_of(roofs_.begin(), roofs_.end(),
                           [&](const Roof& roof) { return is_beside(roof, place); });
    }

    bool is_beside(const Roof& roof, const Rect& place) const {
        const ImVec2 start = roof.start, corner = roof.corner;
        const float air = style_.unit;
        if (corner.y > place.y - air && corner.y < place.bottom() + air && place.right() > corner.x)
            return false;
        const float run = std::max(corner.x - start.x, 1.0f);
        const auto slope_at = [&](float at) { return start.y + (corner.y - start.y) * (at - start.x) / run; };
        if (place.x > corner.x) return true;
        const float left = slope_at(place.x),
                    right = slope_at(std::min(place.right(), corner.x)); // the slope rises: right < left
        return left < place.y - air || right > place.bottom() + air;
    }

    // Writes `title` beside the marker at `place`, where there is room; off the path if that can be had. A name that stands
    // apart gets a line, in `ink`, that leads to the point. False: there is no room.
    bool name(const std::string& title, const Rect& place, ImU32 ink, ImU32 words) {
        const ImVec2 size = text_size(style_.text, title);
        const ImVec2 at{place.x + place.width / 2, place.y + place.height / 2};
        const float gap = style_.unit, inside = std::max(at.x - size.x / 2, data_.x + gap);
        const ImVec2 places[] = {{place.right() + gap, at.y - size.y / 2}, {place.x - gap - size.x, at.y - size.y / 2},
                                 {at.x - size.x / 2, place.bottom()}, {at.x - size.x / 2, place.y - size.y}, {place.right() + gap, place.bottom()},
                                 {inside, place.y - size.y}, {inside, place.y - 2.5f * size.y}, {inside, place.y - 4 * size.y}};
        for (const bool off_path : {true, false})
            for (const ImVec2& where : places) {
                const Rect taken{where.x, where.y, size.x, size.y}, leader{at.x, taken.bottom(), 1, place.y - taken.bottom()};
                const bool apart = leader.height > 0.2f * size.y;
                if (!is_free(taken) || (off_path && !is_off_path(taken)) || (apart && !is_clear(leader))) continue;
                if (apart) fill(leader, with_alpha(ink, 0.5f));
                label(title, where, words);
                return true;
            }
        return false;
    }

    void draw_point(const Point& point, const Axis& x, const Axis& y) {
        const ImU32 ink = point.current ? style_.colour.selection : style_.colour.dim;
        const Rect place = marker(point, x, y);
        const ImVec2 at{place.x + place.width / 2, place.y + place.height / 2};
        if (point.flop_per_byte > 0) draw_marker(style_, at, point.figure->series->origin, style_.unit * 1.2f, ink);
        else // measured but not counted: a height without a place on the other axis
            ImGui::GetWindowDrawList()->AddLine({at.x - 2 * style_.unit, at.y}, at, ink, style_.type);
        const ImU32 words = point.current ? style_.colour.text : style_.colour.dim;
        const float gap = style_.unit;
        // Where points crowd, the number of the rung, as in the ladder's panel, takes the place of the name.
        if (!name(point.title, place, ink, words) && point.rung > 0) name(std::to_string(point.rung), place, ink, words);
        if (hovered({place.x - gap, place.y - gap, place.width + 2 * gap, place.height + 2 * gap})) explain(point);
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
    const Peaks& peaks_;
    catalog::OperandType operands_;
    std::vector<Point> points_;
    std::vector<Rect> taken_; // by names and markers
    std::vector<Roof> roofs_;
    std::vector<Leg> path_;
};

Peaks peaks_of(const Context& context, const std::string& name, catalog::OperandType operands) {
    const KnownDevice known = known_device(context.session.gpu().here, context.session.devices(), name);
    const analysis::Device* listed = device_named(name);
    if (!known.record && !listed) return {};
    const analysis::Device device = known.record ? session::arithmetic(known.record->device) : *listed;
    if (device.fp32_lanes == 0) return {}; // of an architecture that is not listed
    const session::Ceiling ceiling =
        session::ceiling(session::unit_of(operands, false), device, known.peaks());
    Peaks peaks{ceiling.gflops, device.memory_gb_s, ceiling.measured_gflops, 0, 0};
    if (known.peaks()) peaks.measured_gb_s = known.peaks()->copy_gb_s;
    if (operands == catalog::OperandType::f64)
        peaks.tensor_gflops = device.gflops(session::unit_of(operands, true));
    return peaks;
}

} // namespace

void draw_roofline(Context& context, const Rect& area, const PlotChoice& choice) {
    if (choice.groups.empty() || !choice.size) return;
    const std::string& name = choice.groups.front().device;
    const Peaks peaks = peaks_of(context, name, choice.operands);
    if (peaks.memory_gb_s <= 0) return sentence(context, say(context, "plot.no_peaks", name));
    Roofline(context, area, choice.rungs, *choice.size, peaks, choice.operands).draw();
}

} // namespace ui
