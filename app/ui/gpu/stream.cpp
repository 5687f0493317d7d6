#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "ui/gpu/gpu_words.h"
#include "views/axis.h"
#include "views/plot_data.h"
#include "views/stream_words.h"

#include <array>

namespace ui {

namespace {

using measure::StreamRow;
using measure::StreamStep;
using measure::StreamWait;

struct Scene { // of one frame
    Context& context;
    const session::Stream& stream;
    float label = 0;            // width of the rows' names
    double first = 0, last = 0; // ms: of the magnified part

    const measure::StreamOperation& operation(size_t at) const { return stream.plan.operations[at]; }
    const measure::StreamTime& time(size_t at) const { return stream.record->times[at]; }
    // Of a row, as loads, FMAs and stores are coloured elsewhere; every other tile of C nearer to the panel.
    ImU32 colour(measure::StreamRow row, int tile) const {
        const auto& colours = context.style.colour;
        const ImU32 pure = row == StreamRow::copy_in   ? colours.load
                           : row == StreamRow::compute ? colours.fma
                                                       : colours.store;
        return tile % 2 ? mixed(pure, colours.panel, 0.4f) : pure;
    }
    ImU32 colour(size_t at) const { return colour(measure::row_of(operation(at).step), operation(at).tile); }
};

struct Rows { // three of them over an axis of ms
    Rect area;
    double first, last;
    Axis axis() const { return {Axis::Scale::linear, first, last, area.x, area.right()}; }
    Rect row(StreamRow which, float gap) const {
        const float height = area.height / measure::stream_rows;
        return {area.x, std::round(area.y + height * static_cast<float>(which)), area.width, std::floor(height - gap)};
    }
};

Rect bar_of(const Scene& scene, const Rows& rows, size_t at) {
    const measure::StreamTime& time = scene.time(at);
    Rect bar = rows.row(measure::row_of(scene.operation(at).step), scene.context.style.unit);
    const float left = std::max(rows.axis().pixel(time.start_ms), rows.area.x),
                right = std::min(rows.axis().pixel(time.end_ms), rows.area.right());
    bar.x = left, bar.width = right - left;
    return bar;
}

bool seen(const Scene& scene, const Rows& rows, size_t at) {
    return scene.time(at).end_ms > rows.first && scene.time(at).start_ms < rows.last;
}

std::string name_of(const Scene& scene, size_t at) {
    const measure::StreamOperation& o = scene.operation(at);
    const int across = scene.stream.plan.tiles_across;
    constexpr const char* keys[] = {"stream.load", "stream.load_c", "stream.multiply", "stream.store"};
    return say(scene.context, keys[static_cast<size_t>(o.step)], o.tile / across, o.tile % across, o.piece + 1,
               scene.stream.plan.pieces);
}

// What is written on a block where there is room: the tile, and of a piece its number.
std::string short_name(const Scene& scene, size_t at) {
    const measure::StreamOperation& o = scene.operation(at);
    const int across = scene.stream.plan.tiles_across;
    const std::string tile = fmt::format("{},{}", o.tile / across, o.tile % across);
    const bool whole = o.step == StreamStep::load_c || o.step == StreamStep::store;
    return whole ? "C " + tile : fmt::format("{}  {}", tile, o.piece + 1);
}

void draw_bar(const Scene& scene, Rect bar, size_t at) {
    const Style& style = scene.context.style;
    bar.width -= 1; // a line of the panel's own between neighbours
    fill(bar, scene.colour(at));
    const std::string words = short_name(scene, at);
    const ImVec2 size = text_size(style.mono, words);
    if (bar.width >= size.x + style.unit && bar.height >= size.y)
        return text_centred(style.mono, bar, ink_on(scene.colour(at)), words);
    const size_t gap = words.rfind(' '); // else the tile above the number of its piece
    const std::string above = words.substr(0, words.find(' ')), below = words.substr(gap + 1);
    const float wider = std::max(text_size(style.mono, above).x, text_size(style.mono, below).x);
    if (bar.width < wider + style.unit || bar.height < 2 * size.y) return;
    const float middle = bar.y + bar.height / 2;
    text_centred(style.mono, {bar.x, middle - size.y, bar.width, size.y}, ink_on(scene.colour(at)), above);
    text_centred(style.mono, {bar.x, middle, bar.width, size.y}, ink_on(scene.colour(at)), below);
}

// Operations less than two pixels wide, together: a pixel is as strong as the share of its time in which the
// row works.
class Crowd {
public:
    explicit Crowd(const Rect& row) : row_(row), pixels_(static_cast<size_t>(row.width) + 1) {}

    void add(const Rect& bar, ImU32 colour) {
        for (float x = bar.x; x < bar.right();) {
            const float next = std::min(std::floor(x) + 1, bar.right());
            Pixel& pixel = pixels_[std::min(static_cast<size_t>(std::max(x - row_.x, 0.0f)), pixels_.size() - 1)];
            pixel.busy += next - x, pixel.colour = colour;
            x = next;
        }
    }
    void draw() const { // runs of one strength at a time
        const auto level = [&](size_t at) { return std::ceil(8 * std::min(pixels_[at].busy, 1.0f)) / 8; };
        for (size_t first = 0, last = 0; first < pixels_.size(); first = last) {
            while (last < pixels_.size() && pixels_[last].colour == pixels_[first].colour &&
                   level(last) == level(first))
                ++last;
            if (pixels_[first].busy > 0)
                fill({row_.x + static_cast<float>(first), row_.y, static_cast<float>(last - first), row_.height},
                     with_alpha(pixels_[first].colour, level(first)));
        }
    }

private:
    struct Pixel {
        float busy = 0;
        ImU32 colour = 0;
    };
    Rect row_;
    std::vector<Pixel> pixels_;
};

void draw_bars(const Scene& scene, const Rows& rows) {
    std::vector<Crowd> crowds;
    for (size_t r = 0; r < measure::stream_rows; ++r)
        crowds.emplace_back(rows.row(static_cast<StreamRow>(r), scene.context.style.unit));
    for (size_t i = 0; i < scene.stream.plan.operations.size(); ++i) {
        if (!seen(scene, rows, i)) continue;
        const Rect bar = bar_of(scene, rows, i);
        if (bar.width >= 2) draw_bar(scene, bar, i);
        else crowds[static_cast<size_t>(measure::row_of(scene.operation(i).step))].add(bar, scene.colour(i));
    }
    for (const Crowd& crowd : crowds) crowd.draw();
}

// Hatched where the arithmetic waits. Calls wait(at, gap) for each.
template <class Wait>
void each_gap(const Scene& scene, const Rows& rows, Wait&& wait) {
    double free_at = 0;
    for (size_t i = 0; i < scene.stream.plan.operations.size(); ++i) {
        if (scene.operation(i).step != StreamStep::multiply) continue;
        const measure::StreamGap gap = measure::gap_before(scene.stream.plan, scene.stream.record->times, i, free_at);
        Rect hole = rows.row(StreamRow::compute, scene.context.style.unit);
        const float left = std::max(rows.axis().pixel(free_at), rows.area.x),
                    right = std::min(rows.axis().pixel(scene.time(i).start_ms), rows.area.right());
        free_at = scene.time(i).end_ms;
        hole.x = left, hole.width = right - left;
        if (hole.width >= 1) wait(hole, i, gap);
    }
}

void draw_rows(const Scene& scene, const Rows& rows) {
    Context& context = scene.context;
    const Style& style = context.style;
    for (size_t r = 0; r < measure::stream_rows; ++r) {
        const Rect row = rows.row(static_cast<StreamRow>(r), style.unit);
        fill(row, with_alpha(style.colour.line, 0.35f));
        if (rows.area.height >= measure::stream_rows * 0.85f * style.text->FontSize) // else the other picture says it
            text(style.text, {row.x - scene.label, row.y + (row.height - style.text->FontSize) / 2}, style.colour.text,
                 context.tr(stream_row_key(static_cast<StreamRow>(r))));
    }
    each_gap(scene, rows, [&](const Rect& hole, size_t, const measure::StreamGap&) {
        hatch(hole, with_alpha(style.colour.dim, 0.6f), 1.5f * style.unit);
    });
    draw_bars(scene, rows);
}

void draw_axis(const Scene& scene, const Rows& rows) {
    const Style& style = scene.context.style;
    const Rect& area = rows.area;
    const char* unit = scene.context.tr("stream.axis");
    text_right(style.text, {area.right(), area.bottom()}, style.colour.dim, unit);
    const float end = area.right() - text_size(style.text, unit).x - style.unit;
    for (const Tick& tick : rows.axis().ticks(std::max(2, static_cast<int>(area.width / (20 * style.unit))))) {
        const float x = std::round(rows.axis().pixel(tick.value));
        fill({x, area.bottom() - style.unit, 1, style.unit}, style.colour.dim);
        if (x + text_size(style.mono, tick.label).x < end)
            text(style.mono, {x, area.bottom()}, style.colour.text, tick.label);
    }
}

std::string tip(const Scene& scene, size_t at) {
    const measure::StreamOperation& o = scene.operation(at);
    const measure::StreamTime& t = scene.time(at);
    const double ms = std::max(t.end_ms - t.start_ms, 1e-9);
    std::string words = name_of(scene, at);
    words += "\n" + (o.size.k > 0 ? say(scene.context, "stream.tip_pieces", o.size.m, o.size.n, o.size.k)
                                  : say(scene.context, "stream.tip_tile", o.size.m, o.size.n));
    words += "\n" + say(scene.context, "stream.tip_time", t.start_ms, t.end_ms, ms);
    if (o.bytes > 0)
        words += "\n" + say(scene.context, "stream.tip_copy", static_cast<double>(o.bytes) / 1e6,
                            static_cast<double>(o.bytes) / ms / 1e6);
    else words += "\n" + say(scene.context, "stream.tip_compute", o.flop / 1e9, o.flop / ms / 1e9);
    return words;
}

constexpr const char* wait_keys[] = {"stream.wait_operands", "stream.wait_c", "stream.wait_launch"};

void handle_hover(const Scene& scene, const Rows& rows) {
    if (!hovered(rows.area)) return;
    Context& context = scene.context;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (size_t i = 0; i < scene.stream.plan.operations.size(); ++i)
        if (seen(scene, rows, i) && bar_of(scene, rows, i).contains(mouse)) {
            mark_hovered(context, bar_of(scene, rows, i));
            return tooltip(context, tip(scene, i));
        }
    each_gap(scene, rows, [&](const Rect& hole, size_t at, const measure::StreamGap& gap) {
        if (hole.contains(mouse))
            tooltip(context, say(context, wait_keys[static_cast<size_t>(gap.wait)], gap.ms, name_of(scene, at)));
    });
}

// The part that is magnified: some dozen products about the moment that the view says.
void choose_part(Scene& scene) {
    constexpr double products = 14;
    const double total = scene.stream.sum.total_ms;
    const double each = total / (static_cast<double>(scene.stream.plan.tiles()) * scene.stream.plan.pieces);
    const double length = std::min(products * each, total);
    double middle = 0;
    if (const auto moment = scene.context.session.view().stream_moment) {
        middle = total * static_cast<double>(*moment);
    } else {
        const auto& operations = scene.stream.plan.operations;
        const auto is_store = [](const measure::StreamOperation& o) { return o.step == StreamStep::store; };
        middle = scene
                     .time(static_cast<size_t>(std::find_if(operations.begin(), operations.end(), is_store) -
                                               operations.begin()))
                     .start_ms;
    }
    scene.first = std::clamp(middle - length / 2, 0.0, total - length);
    scene.last = scene.first + length;
}

// A press or a drag on the whole brings that moment into the middle of the magnified part.
void handle_part(const Scene& scene, const Rows& whole) {
    if (!hovered(whole.area) || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    const double moment = whole.axis().value(ImGui::GetIO().MousePos.x);
    scene.context.view.stream_moment = static_cast<float>(std::clamp(moment / whole.last, 0.0, 1.0));
}

// Lines from the framed part of the whole to the magnified rows below it.
void draw_frame(const Scene& scene, const Rows& whole, const Rows& part) {
    const Style& style = scene.context.style;
    const float left = whole.axis().pixel(scene.first), right = whole.axis().pixel(scene.last);
    outline({left - 1, whole.area.y - 2, std::max(right - left, 2.0f) + 2, whole.area.height + 3}, style.colour.text);
    ImDrawList* list = ImGui::GetWindowDrawList();
    // Down past the numbers of the axis, then apart.
    const float top = whole.area.bottom() + 1, turn = part.area.y - 4 * style.unit, bottom = part.area.y - 2;
    for (auto [from, to] : {std::pair{left - 1, part.area.x}, {std::max(right, left + 1), part.area.right() - 1}}) {
        list->AddLine({from, top}, {from, turn}, style.colour.text);
        list->AddLine({from, turn}, {to, bottom}, style.colour.text);
    }
}

void draw_legend(const Scene& scene, float y) {
    Context& context = scene.context;
    const Style& style = context.style;
    const float x = free_area().x + scene.label, height = style.text->FontSize - 2 * style.unit,
                width = 24 * style.unit;
    for (size_t r = 0; r < measure::stream_rows; ++r) // a tile beside the next one, in each row's colour
        for (int tile = 0; tile < 2; ++tile)
            fill({x + static_cast<float>(2 * r + static_cast<size_t>(tile)) * width / 6, y + style.unit, width / 6 - 1,
                  height},
                 scene.colour(static_cast<StreamRow>(r), tile));
    const std::string tiles = say(context, "stream.legend_tiles", scene.stream.plan.tiles());
    text(style.text, {x + width + 2 * style.unit, y}, style.colour.text, tiles);
    const float next = x + width + text_size(style.text, tiles).x + 8 * style.unit;
    const Rect box{next, y + style.unit, 6 * style.unit, height};
    fill(box, with_alpha(style.colour.line, 0.35f));
    hatch(box, with_alpha(style.colour.dim, 0.6f), 1.5f * style.unit);
    text_cut(context, style.text, {box.right() + 2 * style.unit, y}, free_area().right() - box.right() - 2 * style.unit,
             style.colour.text, context.tr("stream.legend_wait"));
}

void draw_picture(Scene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    for (size_t r = 0; r < measure::stream_rows; ++r) {
        const char* name = context.tr(stream_row_key(static_cast<StreamRow>(r)));
        scene.label = std::max(scene.label, text_size(style.text, name).x + 2 * style.unit);
    }
    const Rect area = free_area();
    const float line = style.text->FontSize + style.unit;
    draw_legend(scene, area.y);
    const float top = area.y + line + style.unit, left = area.x + scene.label;
    const float room = area.bottom() - top - 2 * line - 4 * style.unit; // of both pictures' rows
    if (room < 12 * style.unit || area.width - scene.label < 8 * style.unit) return;
    // The magnified part is the last to lose the names of its rows.
    const float share = 0.58f * room < measure::stream_rows * line ? 0.34f : 0.42f;
    const Rows whole{{left, top, area.width - scene.label - 1, std::round(room * share)}, 0, scene.stream.sum.total_ms};
    Rows part{{left, whole.area.bottom() + line + 4 * style.unit, whole.area.width, 0}, scene.first, scene.last};
    part.area.height = area.bottom() - line - part.area.y;
    draw_frame(scene, whole, part);
    for (const Rows& rows : {whole, part}) {
        draw_rows(scene, rows);
        draw_axis(scene, rows);
        handle_hover(scene, rows);
    }
    handle_part(scene, whole);
    context.probe.mark("stream.whole", whole.area.x, whole.area.y, whole.area.width, whole.area.height);
    context.probe.mark("stream.part", part.area.x, part.area.y, part.area.width, part.area.height);
}

// The tiles; once R was pressed, what the GPU does or why it does nothing.
std::string last_line(const Scene& scene) {
    const Context& context = scene.context;
    using Face = session::GpuState::Face;
    const Face face = context.session.gpu().face;
    const bool of_gpu = face == Face::running || face == Face::failed || face == Face::absent;
    if (of_gpu && context.session.shows_stream()) return gpu_sentence(context);
    return stream_tiles(context.tr, scene.stream);
}

// Sizes to choose from, at the right of the first line. Returns where they begin.
float draw_sizes(Context& context, const Rect& area) {
    constexpr int edges[] = {8192, 16384, 32768, 65536};
    constexpr const char* names[] = {"stream.size_8192", "stream.size_16384", "stream.size_32768", "stream.size_65536"};
    std::array<std::string, std::size(edges)> words;
    std::array<ButtonLabel, std::size(edges)> labels;
    int on = -1;
    for (size_t i = 0; i < labels.size(); ++i) {
        words[i] = size_text(edges[i], edges[i], edges[i]);
        labels[i] = {names[i], words[i].c_str()};
        if (context.view.stream_problem == catalog::Problem{edges[i], edges[i], edges[i]}) on = static_cast<int>(i);
    }
    float start = area.right();
    const int chosen = button_row(context, labels, area.x + area.width / 2, area.right(), area.y, on, &start);
    if (chosen >= 0) {
        const int edge = edges[chosen];
        context.view.stream_problem = {edge, edge, edge};
    }
    return start;
}

Table table(const Scene& scene) {
    const Context& context = scene.context;
    Table table{.notes = {stream_origin(context.tr, *scene.stream.record), stream_time(context.tr, scene.stream),
                          stream_waits(context.tr, scene.stream), last_line(scene)},
                .columns = table_columns(context.tr, {{"stream.column_row"},
                                                      {"stream.column_operation"},
                                                      {"stream.column_start", "ms"},
                                                      {"stream.column_end", "ms"},
                                                      {"stream.column_bytes", "MB"},
                                                      {"stream.column_flop", "Gflop"}})};
    const auto& operations = scene.stream.plan.operations;
    for (size_t i = 0; i < operations.size(); ++i) {
        table.rows.push_back({context.tr(stream_row_key(measure::row_of(operations[i].step))), name_of(scene, i),
                              fmt::format("{:.3f}", scene.time(i).start_ms),
                              fmt::format("{:.3f}", scene.time(i).end_ms),
                              fmt::format("{:.3f}", static_cast<double>(operations[i].bytes) / 1e6),
                              fmt::format("{:.3f}", operations[i].flop / 1e9)});
    }
    return table;
}

// Of a kernel that says nothing of streaming: those that do.
void draw_others(Context& context) {
    if (context.view.table) {
        Table table{.notes = {context.tr("stream.none"), context.tr("stream.choose")},
                    .columns = table_columns(context.tr, {{"plot.column_kernel"}})};
        for (const auto& kernel : context.session.catalog().kernels)
            if (kernel->stream) table.rows.push_back({context.tr(kernel->title)});
        return draw_table(context, table);
    }
    TextLines lines(context);
    lines.add(context.style.heading, context.style.colour.text, context.tr("stream.none"));
    lines.add(context.style.text, context.style.colour.text, context.tr("stream.choose"));
    lines.end();
    for (const auto& kernel : context.session.catalog().kernels)
        if (kernel->stream && button(context, ("stream.choose." + kernel->id).c_str(), context.tr(kernel->title))) {
            context.view.subject.kernel = kernel->id;
            context.view.subject.parameters.clear();
            context.view.subject.breaks.clear();
        }
}

} // namespace

void draw_stream(Context& context) {
    const auto stream = context.session.stream();
    if (!stream) return draw_others(context);
    const Style& style = context.style;
    const float start = draw_sizes(context, free_area());
    TextLines lines(context);
    if (!*stream) {
        if (context.view.table) return sentence(context, context.tr(stream->error()));
        lines.add(style.heading, style.colour.alarm, context.tr(stream->error()),
                  free_area().right() - start + 2 * style.unit);
        return lines.end();
    }
    Scene scene{context, **stream};
    choose_part(scene);
    if (context.view.table) return draw_table(context, table(scene));
    lines.add(style.heading, style.colour.text, stream_origin(context.tr, *scene.stream.record),
              free_area().right() - start + 2 * style.unit);
    lines.add(style.text, style.colour.text, stream_time(context.tr, scene.stream));
    lines.add(style.text, style.colour.text, stream_waits(context.tr, scene.stream));
    lines.add(style.text, style.colour.dim, last_line(scene));
    lines.end();
    draw_picture(scene);
}

} // namespace ui
