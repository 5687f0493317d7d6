#include "session/ceiling.h"
#include "ui/draw/grid.h"
#include "ui/plot/plot_views.h"
#include "views/roofline_points.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// Peaks of a device for one type of operands: what it would reach by arithmetic, and what was measured there,
// if anything was. Of doubles those of FMAs, and of tensor cores above them; of bits popc's, which tensor
// cores may pass.
struct Peaks {
    double gflops = 0, memory_gb_s = 0;            // no gflops: no flat roof
    double measured_gflops = 0, measured_gb_s = 0; // 0: not measured
    double l2_gb_s = 0;                            // measured; 0: not
    double tensor_gflops = 0;                      // a second roof; 0: none is known

    // Of memory by arithmetic: nothing is faster, while a copy is slower.
    ByteRoof byte_roof() const {
        if (l2_gb_s > 0) return {true, l2_gb_s};
        return {false, std::max(memory_gb_s, measured_gb_s)};
    }
};

class Roofline {
public:
    Roofline(Context& context, const Rect& area, const SeriesGroup& group, const catalog::Problem& size,
             const Peaks& peaks, catalog::OperandType operands)
        : context_(context), style_(context.style), area_(area), group_(group), size_(size), peaks_(peaks),
          operands_(operands), points_(roofline_points(context.session, group, size, peaks.byte_roof())) {}

    // The points, then the roofs.
    Table table() {
        ask_for_counts();
        const Strings& tr = context_.tr;
        const bool of_l2 = peaks_.byte_roof().of_l2;
        Table table{.notes = {say(context_, of_l2 ? "plot.flop_per_byte_l2" : "plot.flop_per_byte_memory",
                                  size_text(size_.m, size_.n, size_.k))},
                    .columns = table_columns(tr, {{"plot.column_kernel"},
                                                  {"plot.column_intensity", "flop/B"},
                                                  {"plot.column_asked", "flop/B"},
                                                  {"plot.column_speed", "GFLOPS"},
                                                  {"plot.column_bytes"}})};
        for (const RooflinePoint& point : points_) {
            const RooflinePlace& place = point.place;
            const auto number = [](double value) { return value > 0 ? short_number(value) : std::string("-"); };
            table.rows.push_back({fmt::format("{} {}", point.kernel->rung, tr(point.kernel->title)),
                                  number(place.flop_per_byte), number(place.asked_flop_per_byte),
                                  fmt::format("{:.1f}", point.figure.sample.gflops),
                                  tr(place.profiled            ? "plot.bytes_profiled"
                                     : place.flop_per_byte > 0 ? "plot.bytes_counted"
                                                               : "plot.not_counted")});
        }
        const auto roof = [&](const char* key, double value, const char* unit) {
            if (value > 0) table.notes.push_back(fmt::format("{}: {:.0f} {}", tr(key), value, unit));
        };
        roof("plot.roof_arithmetic", peaks_.gflops, "GFLOPS");
        roof("plot.roof_measured", peaks_.measured_gflops, "GFLOPS");
        roof("plot.roof_tensor", peaks_.tensor_gflops, "GFLOPS");
        roof("plot.roof_memory", peaks_.memory_gb_s, "GB/s");
        roof("plot.roof_copy", peaks_.measured_gb_s, "GB/s");
        roof("plot.roof_l2", peaks_.l2_gb_s, "GB/s");
        return table;
    }

    void draw() {
        ask_for_counts();
        data_ = data_area(context_, area_, 2 * style_.unit);
        double peak = std::max(peaks_.gflops, peaks_.tensor_gflops);
        for (const RooflinePoint& point : points_) peak = std::max(peak, point.figure.sample.gflops);
        const double ridge = peak / peaks_.memory_gb_s;
        double least = 0.5, most = std::max(64.0, ridge * 4), slowest = peak / 64;
        for (const RooflinePoint& point : points_) {
            if (point.place.flop_per_byte > 0)
                least = std::min(least, point.place.leftmost() / 1.5),
                most = std::max(most, point.place.flop_per_byte * 3); // room for a name beside the last
            slowest = std::min(slowest, point.figure.sample.gflops / 1.5);
        }
        const Axis x(Axis::Scale::log2, least, most, data_.x, data_.right());
        const Axis y(Axis::Scale::log2, slowest / 1000, peak * (has_peak() ? 1.5 : 6) / 1000, data_.bottom(), data_.y);
        const char* const bytes = peaks_.byte_roof().of_l2 ? "plot.flop_per_byte_l2" : "plot.flop_per_byte_memory";
        const std::string flop_per_byte = say(context_, bytes, size_text(size_.m, size_.n, size_.k));
        draw_axes(context_, data_, x, y, flop_per_byte, "TFLOPS", area_.right());
        const ImVec2 axis_name = text_size(style_.text, flop_per_byte); // which may stand above the axis, at its end
        take({data_.right() - axis_name.x, data_.bottom() - axis_name.y - style_.unit, axis_name.x,
              axis_name.y + style_.unit});
        for (const RooflinePoint& point : points_) {
            const Rect place = marker(point, x, y);
            take(place);
            if (point.place.at_roof())
                take({x.pixel(point.place.asked_flop_per_byte), place.y,
                      place.x - x.pixel(point.place.asked_flop_per_byte), place.height});
        }
        roofs(x, y);
        name_peaks();
        for (const bool current : {true, false}) // whose name has the first choice of places
            for (const RooflinePoint& point : points_)
                if (point.current == current) name_point(point, x, y);
        for (const Roof& one : roofs_)
            if (!one.name.empty()) name_slope(one);
        for (const bool current : {false, true}) // who lies on top
            for (const RooflinePoint& point : points_)
                if (point.current == current) draw_point(point, x, y);
    }

private:
    struct Roof {
        ImVec2 start, corner; // of the slope
        std::string name;     // of the slope; empty: that of another one
    };

    bool has_peak() const { return peaks_.gflops > 0; }

    void ask_for_counts() {
        for (const RooflinePoint& point : points_)
            if (point.launch && !point.place.profiled && !context_.session.counts(*point.launch))
                context_.commands.counts.push_back({point.kernel, *point.launch});
    }

    void roofs(const Axis& x, const Axis& y) {
        const auto whole = [](double value) { return thousands(static_cast<uint64_t>(value + 0.5)); };
        const bool measured = peaks_.measured_gb_s > 0;
        const double reached = peaks_.measured_gflops > 0 ? peaks_.measured_gflops : peaks_.gflops;
        const std::string memory =
            measured ? say(context_, "plot.bandwidths", whole(peaks_.memory_gb_s), whole(peaks_.measured_gb_s))
                     : say(context_, "plot.bandwidth", whole(peaks_.memory_gb_s));
        roof(x, y, peaks_.gflops, peaks_.memory_gb_s, measured ? style_.colour.dim : style_.colour.text,
             measured ? 1 : 2, measured ? std::string() : memory);
        if (measured) roof(x, y, reached, peaks_.measured_gb_s, style_.colour.text, 2, memory);
        if (peaks_.l2_gb_s > 0)
            roof(x, y, reached, peaks_.l2_gb_s, style_.colour.text, 2,
                 say(context_, "plot.l2_bandwidth", whole(peaks_.l2_gb_s)));
        if (peaks_.tensor_gflops > 0)
            roof(x, y, peaks_.tensor_gflops, peaks_.l2_gb_s > 0 ? peaks_.l2_gb_s : peaks_.memory_gb_s,
                 style_.colour.dim, 1, {});
    }

    // Without a peak the slope goes on to the edge of the picture.
    void roof(const Axis& x, const Axis& y, double peak_gflops, double gb_s, ImU32 ink, float width, std::string name) {
        if (!has_peak()) peak_gflops = std::min(y.high() * 1000, x.high() * gb_s);
        const ImVec2 corner{x.pixel(peak_gflops / gb_s), y.pixel(peak_gflops / 1000)};
        // Where the slope enters the picture: at the left edge or at the bottom.
        const double entry = std::max(x.low(), y.low() * 1000 / gb_s);
        const ImVec2 start{x.pixel(entry), y.pixel(entry * gb_s / 1000)};
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddLine(start, corner, ink, style_.data_line(width));
        if (has_peak()) list->AddLine(corner, {data_.right(), corner.y}, ink, style_.data_line(width));
        roofs_.push_back({start, corner, std::move(name)});
    }

    void name_peaks() {
        const float height = style_.text->FontSize;
        const std::string of = unit_text(context_.tr, session::unit_of(operands_, false));
        const std::string top = !has_peak()                  ? say(context_, "plot.no_peak", of)
                                : peaks_.measured_gflops > 0 ? say(context_, "plot.peaks", of, gflops(peaks_.gflops),
                                                                   gflops(peaks_.measured_gflops))
                                                             : say(context_, "plot.peak", of, gflops(peaks_.gflops));
        const float top_left = data_.right() - text_size(style_.text, top).x;
        if (peaks_.tensor_gflops > 0) {
            const std::string tensor =
                say(context_, "plot.peak", unit_text(context_.tr, session::unit_of(operands_, true)),
                    gflops(peaks_.tensor_gflops));
            label(tensor,
                  {data_.right() - text_size(style_.text, tensor).x, roofs_.back().corner.y - height - style_.unit},
                  style_.colour.dim);
        }
        // Without a flat roof to stand on, at the bottom, above the axis' name.
        const float above =
            has_peak() ? roofs_.front().corner.y - height - style_.unit : data_.bottom() - 2.5f * height;
        label(top, {top_left, above}, style_.colour.dim);
        note(top_left - 4 * style_.unit);
    }

    // Beside the slope, where nothing lies: above it, else below.
    void name_slope(const Roof& roof) {
        const ImVec2 size = text_size(style_.text, roof.name);
        const float gap = 3 * style_.unit;
        for (const bool above : {true, false})
            for (const float along : {0.5f, 0.6f, 0.7f, 0.4f, 0.8f, 0.3f, 0.2f, 0.9f}) {
                const float x = roof.start.x + (roof.corner.x - roof.start.x) * along,
                            y = roof.start.y + (roof.corner.y - roof.start.y) * along;
                const ImVec2 at = above ? ImVec2{x - gap - size.x, y - size.y} : ImVec2{x + gap, y};
                if (!is_free({at.x, at.y, size.x, size.y})) continue;
                return label(roof.name, at, style_.colour.dim);
            }
    }

    // What the bytes are, in the corner that is free.
    void note(float right) {
        const float width = std::min(right - data_.x - 2 * style_.unit, 26 * style_.text->FontSize);
        if (width < 16 * style_.text->FontSize || data_.height < 16 * style_.text->FontSize) return;
        std::string words(context_.tr(peaks_.byte_roof().of_l2 ? "plot.roof_note_l2" : "plot.roof_note_memory"));
        if (operands_ == catalog::OperandType::b1) words += " " + std::string(context_.tr("plot.roof_note_bits"));
        const ImVec2 at{data_.x + 2 * style_.unit, data_.y + style_.unit};
        const ImVec2 size = wrapped_size(style_.text, width, words);
        clear({at.x, at.y, size.x, size.y});
        text_wrapped(style_.text, at, width, style_.colour.dim, words);
    }

    void take(const Rect& place) { taken_.push_back(place); }

    // No grid line runs through words.
    void clear(const Rect& place) {
        take({place.x - style_.unit, place.y, place.width + 2 * style_.unit, place.height}); // the next words keep away
        fill({place.x - style_.unit / 2, place.y, place.width + style_.unit, place.height}, style_.colour.panel);
    }

    void label(const std::string& words, ImVec2 at, ImU32 ink) {
        const ImVec2 size = text_size(style_.text, words);
        clear({at.x, at.y, size.x, size.y});
        text(style_.text, at, ink, words);
    }

    Rect marker(const RooflinePoint& point, const Axis& x, const Axis& y) const {
        const float r = 1.4f * style_.unit, at_y = y.pixel(point.figure.sample.gflops / 1000);
        const float at_x = point.place.flop_per_byte > 0 ? x.pixel(point.place.flop_per_byte) : data_.right();
        return {at_x - r, at_y - r, 2 * r, 2 * r};
    }

    // Is there neither a name nor a marker in `place`?
    bool is_clear(const Rect& place) const {
        return std::none_of(taken_.begin(), taken_.end(), [&](const Rect& other) {
            return place.x < other.right() && other.x < place.right() && place.y < other.bottom() &&
                   other.y < place.bottom();
        });
    }

    // Nor a roof, nor the edge of the picture?
    bool is_free(const Rect& place) const {
        if (place.x < data_.x || place.right() > data_.right() + 1 || place.y < data_.y - style_.text->FontSize ||
            place.bottom() > data_.bottom())
            return false;
        return is_clear(place) &&
               std::all_of(roofs_.begin(), roofs_.end(), [&](const Roof& roof) { return is_beside(roof, place); });
    }

    bool is_beside(const Roof& roof, const Rect& place) const {
        const ImVec2 start = roof.start, corner = roof.corner;
        const float air = style_.unit;
        if (corner.y > place.y - air && corner.y < place.bottom() + air && place.right() > corner.x) return false;
        const float run = std::max(corner.x - start.x, 1.0f);
        const auto slope_at = [&](float at) { return start.y + (corner.y - start.y) * (at - start.x) / run; };
        if (place.x > corner.x) return true;
        const float left = slope_at(place.x),
                    right = slope_at(std::min(place.right(), corner.x)); // the slope rises: right < left
        return left < place.y - air || right > place.bottom() + air;
    }

    // Where `size` may stand around the marker at `place`, the nearest first.
    std::vector<ImVec2> places_around(const Rect& place, ImVec2 size) const {
        const float gap = style_.unit, middle = place.y + (place.height - size.y) / 2;
        std::vector<ImVec2> places;
        for (const float aside : {0.0f, 4.0f, 9.0f, 15.0f, 22.0f})
            for (const float lines : {0.0f, 0.9f, -0.9f, 1.8f, -1.8f, 3.0f, -3.0f, 4.2f, -4.2f, 5.4f, 6.6f, 7.8f})
                for (const float x : {place.right() + gap * (1 + aside), place.x - gap * (1 + aside) - size.x,
                                      place.x + (place.width - size.x) / 2})
                    places.push_back({x, middle + lines * size.y});
        const ImVec2 at{place.x + place.width / 2, place.y + place.height / 2};
        const auto away = [&](const ImVec2& where) {
            const ImVec2 edge = nearest_of({where.x, where.y, size.x, size.y}, at);
            return std::hypot(edge.x - at.x, edge.y - at.y);
        };
        std::stable_sort(places.begin(), places.end(),
                         [&](const ImVec2& a, const ImVec2& b) { return away(a) < away(b); });
        return places;
    }

    static ImVec2 nearest_of(const Rect& box, ImVec2 at) {
        return {std::clamp(at.x, box.x, box.right()), std::clamp(at.y, box.y, box.bottom())};
    }

    // Pieces of the line from the marker at `own` to `end`, outside the marker.
    std::vector<Rect> line_to(const Rect& own, ImVec2 end) const {
        const ImVec2 at{own.x + own.width / 2, own.y + own.height / 2};
        const float length = std::hypot(end.x - at.x, end.y - at.y), step = 2 * style_.type;
        const Rect near{own.x - step, own.y - step, own.width + 2 * step, own.height + 2 * step};
        std::vector<Rect> pieces;
        for (float along = 0; along < length - step; along += step) {
            const ImVec2 on{at.x + (end.x - at.x) * along / length, at.y + (end.y - at.y) * along / length};
            if (!near.contains(on)) pieces.push_back({on.x - 1, on.y - 1, 2, 2});
        }
        return pieces;
    }

    bool is_nearer_to_another(const Rect& box, const RooflinePoint& own, float away, const Axis& x,
                              const Axis& y) const {
        return std::any_of(points_.begin(), points_.end(), [&](const RooflinePoint& other) {
            const Rect place = marker(other, x, y);
            const ImVec2 at{place.x + place.width / 2, place.y + place.height / 2}, edge = nearest_of(box, at);
            return &other != &own && std::hypot(edge.x - at.x, edge.y - at.y) < away + style_.unit;
        });
    }

    // Writes the point's number and name beside its marker or, where that has no place, the number alone, as the ladder lists
    // it. What has no place at all the mouse tells.
    void name_point(const RooflinePoint& point, const Axis& x, const Axis& y) {
        const std::string number = std::to_string(point.kernel->rung);
        if (!place_label(point, number + " " + context_.tr(point.kernel->title), x, y))
            place_label(point, number, x, y);
    }

    // Words that stand apart get a line that leads to the point. That of the current kernel may pass other markers by.
    bool place_label(const RooflinePoint& point, const std::string& words, const Axis& x, const Axis& y) {
        const Rect place = marker(point, x, y);
        const ImVec2 size = text_size(style_.text, words), at{place.x + place.width / 2, place.y + place.height / 2};
        for (const ImVec2& where : places_around(place, size)) {
            const Rect box{where.x, where.y, size.x, size.y};
            const ImVec2 edge = nearest_of(box, at);
            const std::vector<Rect> line = line_to(place, edge);
            const bool passes = point.current || std::all_of(line.begin(), line.end(),
                                                             [&](const Rect& piece) { return is_clear(piece); });
            if (!is_free(box) || !passes) continue;
            const float away = std::hypot(edge.x - at.x, edge.y - at.y);
            const bool apart = away > place.width + style_.unit;
            if (!apart && is_nearer_to_another(box, point, away, x, y)) continue; // whose name it would seem to be
            if (apart) {
                const ImU32 ink = point.current ? style_.colour.selection : style_.colour.dim;
                ImGui::GetWindowDrawList()->AddLine(at, edge, with_alpha(ink, 0.6f), style_.type);
                taken_.insert(taken_.end(), line.begin(), line.end());
            }
            label(words, where, point.current ? style_.colour.text : style_.colour.dim);
            return true;
        }
        return false;
    }

    void draw_point(const RooflinePoint& point, const Axis& x, const Axis& y) {
        const ImU32 ink = point.current ? style_.colour.selection : style_.colour.dim;
        const Rect place = marker(point, x, y);
        const ImVec2 at{place.x + place.width / 2, place.y + place.height / 2};
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (point.place.at_roof()) { // from where it would stand without caches
            const float asked = x.pixel(point.place.asked_flop_per_byte);
            list->AddLine({asked, at.y}, at, with_alpha(ink, 0.6f), style_.type);
            list->AddLine({asked, at.y - style_.unit}, {asked, at.y + style_.unit}, with_alpha(ink, 0.6f), style_.type);
        }
        if (point.place.flop_per_byte > 0)
            draw_marker(style_, at, point.figure.series->origin, style_.unit * 1.2f, ink);
        else // measured but not counted: a height without a place on the other axis
            list->AddLine({at.x - 2 * style_.unit, at.y}, at, ink, style_.type);
        if (point.current && point.place.flop_per_byte > 0) list->AddCircleFilled(at, 0.7f * style_.unit, ink);
        const float gap = style_.unit;
        if (hovered({place.x - gap, place.y - gap, place.width + 2 * gap, place.height + 2 * gap})) explain(point);
    }

    void explain(const RooflinePoint& point) {
        std::string words = figure_text(context_, group_, *point.figure.series, point.figure.sample);
        const RooflinePlace& place = point.place;
        words +=
            "\n" + (place.profiled            ? say(context_, "plot.profiled_bytes", short_number(place.flop_per_byte))
                    : place.flop_per_byte > 0 ? say(context_, "plot.counted", short_number(place.asked_flop_per_byte))
                                              : std::string(context_.tr("plot.not_counted")));
        if (place.at_roof()) {
            const double alone = place.asked_flop_per_byte * peaks_.byte_roof().gb_s;
            words += "\n" + say(context_, peaks_.byte_roof().of_l2 ? "plot.at_l2_roof" : "plot.at_memory_roof",
                                gflops(alone), fmt::format("{:.0f}", std::floor(100 * place.answered())));
        }
        tooltip(context_, words);
    }

    Context& context_;
    const Style& style_;
    Rect area_, data_;
    const SeriesGroup& group_;
    catalog::Problem size_;
    const Peaks& peaks_;
    catalog::OperandType operands_;
    std::vector<RooflinePoint> points_;
    std::vector<Rect> taken_; // by names and markers
    std::vector<Roof> roofs_;
};

// Tensor cores have a roof of their own where something that is shown computes on them.
Peaks peaks_of(const Context& context, const std::string& name, const PlotChoice& choice) {
    const catalog::OperandType operands = choice.operands;
    const KnownDevice known = known_device(context.session.gpu().here, context.session.devices(), name);
    const analysis::Device* listed = device_named(name);
    if (!known.record && !listed) return {};
    const analysis::Device device = known.record ? session::arithmetic(known.record->device) : *listed;
    if (device.fp32_lanes == 0) return {}; // of an architecture that is not listed
    const session::Ceiling ceiling = session::ceiling(session::unit_of(operands, false), device, known.peaks());
    Peaks peaks{ceiling.gflops, device.memory_gb_s, ceiling.measured_gflops, 0, 0, 0};
    if (known.peaks()) peaks.measured_gb_s = known.peaks()->copy_gb_s, peaks.l2_gb_s = known.peaks()->l2_gb_s;
    const auto on_tensor_cores = [&](const measure::Series* series) {
        return series->operands == operands &&
               analysis::is_tensor(session::unit_of(*series, context.session.catalog(), device));
    };
    const analysis::Unit tensor = session::unit_of(operands, true);
    if (tensor != ceiling.unit && std::ranges::any_of(choice.rungs.series, on_tensor_cores))
        peaks.tensor_gflops = device.gflops(tensor);
    return peaks;
}

} // namespace

Table roofline_table(Context& context, const PlotChoice& choice) {
    if (choice.groups.empty() || !choice.size) return {};
    const std::string& name = choice.groups.front().device;
    const Peaks peaks = peaks_of(context, name, choice);
    if (peaks.memory_gb_s <= 0) return {.notes = {say(context, "plot.no_peaks", name)}};
    return Roofline(context, {}, choice.rungs, *choice.size, peaks, choice.operands).table();
}

void draw_roofline(Context& context, const Rect& area, const PlotChoice& choice) {
    if (choice.groups.empty() || !choice.size) return;
    const std::string& name = choice.groups.front().device;
    const Peaks peaks = peaks_of(context, name, choice);
    if (peaks.memory_gb_s <= 0) return sentence(context, say(context, "plot.no_peaks", name));
    Roofline(context, area, choice.rungs, *choice.size, peaks, choice.operands).draw();
}

} // namespace ui
