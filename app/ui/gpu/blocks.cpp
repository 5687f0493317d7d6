#include "analysis/occupancy.h"
#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "ui/gpu/block_colours.h"
#include "ui/time/stepping.h"
#include "views/axis.h"
#include "views/block_words.h"
#include "views/plot_data.h"

namespace ui {

namespace {

using session::BlockColours;

struct Scene { // of one frame
    Context& context;
    std::shared_ptr<const measure::BlockTimeline> timeline;
    const measure::Waves& waves;
    BlockPaint paint;
    Rect bars{};   // without labels
    float row = 0; // height of a multiprocessor
    const measure::BlockRecord& record(size_t block) const { return timeline->blocks[block]; }
    Axis axis() const { return {Axis::Scale::linear, 0, std::max(waves.duration_ns, 1.0) / 1e3, bars.x, bars.right()}; }
};

// Pixels of a block; at least one of each.
Rect bar_of(const Scene& scene, size_t block) {
    const Axis axis = scene.axis();
    const measure::BlockRecord& record = scene.record(block);
    const auto places = static_cast<float>(scene.waves.resident);
    const float height = scene.row / places;
    const float top = scene.bars.y + static_cast<float>(scene.waves.row[block]) * scene.row +
                      static_cast<float>(scene.waves.place[block]) * height;
    const float left = axis.pixel(static_cast<double>(record.start_ns) / 1e3),
                right = axis.pixel(static_cast<double>(record.end_ns) / 1e3);
    const float y = std::floor(top), bottom = std::max(std::floor(top + height), y + 1);
    return {left, y, std::max(right - left, 1.0f), bottom - y};
}

// A line of the panel's own between neighbours, where there is room for it.
Rect parted(Rect bar, float unit) {
    if (bar.width >= 1.5f * unit) bar.width -= 1;
    if (bar.height >= unit) bar.height -= 1;
    return bar;
}

void draw_bars(const Scene& scene) {
    std::vector<float> done(scene.waves.multiprocessors.size() * static_cast<size_t>(scene.waves.resident),
                            -1); // up to where a row is painted
    std::vector<size_t> order(scene.timeline->blocks.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return scene.record(a).start_ns < scene.record(b).start_ns; });
    for (const size_t block : order) {
        const Rect bar = parted(bar_of(scene, block), scene.context.style.unit);
        float& end =
            done[static_cast<size_t>(scene.waves.row[block] * scene.waves.resident + scene.waves.place[block])];
        if (bar.right() < end + 0.5f) continue; // nothing of its own to see
        end = bar.right();
        fill(bar, scene.paint(block));
        const std::string words = fmt::format("{},{}", base::position(block, scene.timeline->grid).x,
                                              base::position(block, scene.timeline->grid).y);
        const ImVec2 size = text_size(scene.context.style.mono, words);
        if (bar.height >= size.y && bar.width >= size.x + scene.context.style.unit)
            text_centred(scene.context.style.mono, bar, ink_on(scene.paint(block)), words);
    }
}

void draw_axes(const Scene& scene) {
    const Style& style = scene.context.style;
    const Rect& bars = scene.bars;
    const float line = style.mono->FontSize;
    const Axis axis = scene.axis();
    float end = bars.right() - text_size(style.text, scene.context.tr("blocks.axis")).x - style.unit;
    text_right(style.text, {bars.right(), bars.bottom() + style.unit / 2}, style.colour.dim,
               scene.context.tr("blocks.axis"));
    for (const Tick& tick : axis.ticks(std::max(2, static_cast<int>(bars.width / (16 * style.unit))))) {
        const float x = std::round(axis.pixel(tick.value)), width = text_size(style.mono, tick.label).x;
        fill({x, bars.y, 1, bars.height + style.unit / 2}, style.colour.line);
        if (x + width < end) text(style.mono, {x, bars.bottom() + style.unit / 2}, style.colour.text, tick.label);
    }
    const auto& rows = scene.waves.multiprocessors;
    const auto step = std::max<size_t>(
        1, static_cast<size_t>(std::exp2(std::ceil(std::log2(std::max(1.2f * line / scene.row, 1.0f))))));
    for (size_t i = 0; i < rows.size(); i += step)
        text_right(style.mono,
                   {bars.x - style.unit, bars.y + static_cast<float>(i) * scene.row -
                                             (scene.row < line ? line * 0.2f : (line - scene.row) / 2)},
                   style.colour.dim,
                   i == 0 ? fmt::format("{} {}", scene.context.tr("blocks.row"), rows[i]) : fmt::format("{}", rows[i]));
}

std::string tip(const Scene& scene, size_t block) {
    const base::Dim3 at = base::position(block, scene.timeline->grid);
    const measure::BlockRecord& record = scene.record(block);
    return say(scene.context, "blocks.tip", at.x, at.y, record.multiprocessor, scene.waves.wave[block] + 1,
               static_cast<double>(record.start_ns) / 1e3, static_cast<double>(record.end_ns) / 1e3,
               static_cast<double>(record.end_ns - record.start_ns) / 1e3);
}

std::optional<size_t> block_under(const Scene& scene, ImVec2 mouse) {
    for (size_t i = 0; i < scene.timeline->blocks.size(); ++i)
        if (bar_of(scene, i).contains(mouse)) return i;
    return {};
}

// The block that the mouse is over here or on the map.
void handle_hover(const Scene& scene) {
    Context& context = scene.context;
    if (const auto& over = context.session.view().hover.block;
        over && base::index_of(*over, scene.timeline->grid) < scene.timeline->blocks.size())
        mark_hovered(context, bar_of(scene, base::index_of(*over, scene.timeline->grid)));
    if (!hovered(scene.bars)) return;
    const auto block = block_under(scene, ImGui::GetIO().MousePos);
    if (!block) return;
    context.view.hover.block = base::position(*block, scene.timeline->grid);
    tooltip(context, tip(scene, *block));
    if (clicked(scene.bars)) select_block(context, *context.view.hover.block);
}

void mark_selection(const Scene& scene) {
    const uint64_t block = base::index_of(scene.context.session.view().selection.block, scene.timeline->grid);
    if (block >= scene.timeline->blocks.size()) return;
    Rect bar = bar_of(scene, block);
    const float least = 2 * scene.context.style.unit; // to be found among thousands
    if (bar.width < least) bar.x -= (least - bar.width) / 2, bar.width = least;
    if (bar.height < least) bar.y -= (least - bar.height) / 2, bar.height = least;
    scene.context.probe.mark("blocks.selected", bar.x, bar.y, bar.width, bar.height);
    mark_selected(scene.context, bar);
}

// What the GPU is doing about a recording, or why it does nothing; empty: nothing is to be said.
std::string gpu_words(const Context& context) {
    using Face = session::GpuState::Face;
    const session::GpuState& gpu = context.session.gpu();
    if (gpu.face == Face::running) return say(context, "blocks.running", context.tr(gpu.doing));
    if (gpu.face == Face::absent || gpu.face == Face::failed)
        return say(context, "blocks.failed", context.tr(gpu.reason));
    return {};
}

void draw_lines(Scene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    const Rect area = free_area();
    const std::array labels{ButtonLabel{"blocks.map_none", context.tr("blocks.map_none")},
                            ButtonLabel{"blocks.map_wave", context.tr("blocks.map_wave")},
                            ButtonLabel{"blocks.map_multiprocessor", context.tr("blocks.map_multiprocessor")}};
    float start = area.right();
    const int on = static_cast<int>(context.view.block_colours);
    const int clicked_one = button_row(context, labels, area.x + area.width / 3, area.right(), area.y, on, &start);
    if (clicked_one >= 0) context.view.block_colours = static_cast<BlockColours>(clicked_one);
    TextLines lines(context);
    lines.add(style.heading, style.colour.text, blocks_origin(context.tr, *scene.timeline),
              area.right() - start + 2 * style.unit);
    lines.add(style.text, style.colour.text, blocks_sentence(context.tr, *scene.timeline, scene.waves));
    lines.add(style.text, style.colour.dim, blocks_launch(context.tr, *scene.timeline));
    lines.add(style.text, style.colour.dim, gpu_words(context));
    lines.end();
}

void draw_chip(const Scene& scene, float middle, float y, const std::string& words) {
    const Style& style = scene.context.style;
    const ImVec2 size = text_size(style.text, words);
    const Rect chip{std::floor(middle - size.x / 2) - style.unit, y, size.x + 2 * style.unit, size.y + style.unit};
    fill(chip, with_alpha(style.colour.background, 0.85f));
    text(style.text, {chip.x + style.unit, chip.y + style.unit / 2}, style.colour.text, words);
}

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// "wave 2" in the middle of where its blocks run, as the half of them do; left out where the waves are too narrow.
void draw_wave_names(const Scene& scene) {
    const Style& style = scene.context.style;
    const Axis axis = scene.axis();
    if (scene.bars.height < 6 * style.text->FontSize) return;
    std::vector<std::vector<double>> middles(static_cast<size_t>(std::max(scene.waves.most_waves, 0)));
    for (size_t block = 0; block < scene.timeline->blocks.size(); ++block)
        if (const auto wave = static_cast<size_t>(scene.waves.wave[block]); wave < middles.size())
            middles[wave].push_back(static_cast<double>(scene.record(block).start_ns + scene.record(block).end_ns) /
                                    2e3);
    float free = scene.bars.x;
    for (size_t wave = 0; wave < middles.size(); ++wave) {
        if (middles[wave].empty()) continue;
        const std::string words = say(scene.context, "blocks.wave", wave + 1);
        const float half = text_size(style.text, words).x / 2 + style.unit;
        const float x = std::clamp(axis.pixel(median(middles[wave])), scene.bars.x + half, scene.bars.right() - half);
        if (x - half < free) continue;
        draw_chip(scene, x, scene.bars.y + style.unit, words);
        free = x + half + 2 * style.unit;
    }
}

// The tail: where the most multiprocessors side by side have nothing to do any more.
void draw_idle(const Scene& scene) {
    const Style& style = scene.context.style;
    const Axis axis = scene.axis();
    std::vector<float> end(scene.waves.multiprocessors.size(), scene.bars.x);
    for (size_t block = 0; block < scene.timeline->blocks.size(); ++block) {
        float& last = end[static_cast<size_t>(scene.waves.row[block])];
        last = std::max(last, axis.pixel(static_cast<double>(scene.record(block).end_ns) / 1e3));
    }
    const std::string words = scene.context.tr("blocks.idle");
    const ImVec2 size = text_size(style.text, words);
    const auto rows = static_cast<size_t>(std::ceil((size.y + style.unit) / scene.row));
    float widest = size.x + 4 * style.unit;
    std::optional<Rect> place;
    for (size_t first = 0; first + rows <= end.size(); ++first) {
        const float left = *std::max_element(end.begin() + static_cast<std::ptrdiff_t>(first),
                                             end.begin() + static_cast<std::ptrdiff_t>(first + rows));
        if (scene.bars.right() - left <= widest) continue;
        widest = scene.bars.right() - left;
        place = Rect{left, scene.bars.y + static_cast<float>(first) * scene.row, widest,
                     static_cast<float>(rows) * scene.row};
    }
    if (place) text_centred(style.text, *place, style.colour.text, words);
}

void draw_picture(Scene& scene) {
    const Style& style = scene.context.style;
    const Rect area = free_area();
    const float left = text_size(style.mono, fmt::format("{} 000", scene.context.tr("blocks.row"))).x + 2 * style.unit,
                below = style.mono->FontSize + style.unit;
    scene.bars = {area.x + left, area.y, area.width - left - style.unit, area.height - below};
    if (scene.bars.width < 4 * style.unit || scene.bars.height < style.unit) return;
    const auto rows = static_cast<float>(scene.waves.multiprocessors.size());
    scene.row = scene.bars.height / rows;
    scene.row = std::min(scene.row >= 2 ? std::floor(scene.row) : scene.row,
                         8 * style.unit * static_cast<float>(scene.waves.resident));
    scene.bars.height = scene.row * rows;
    scene.context.probe.mark("blocks.bars", scene.bars.x, scene.bars.y, scene.bars.width, scene.bars.height);
    draw_axes(scene);
    draw_bars(scene);
    draw_wave_names(scene);
    draw_idle(scene);
    mark_selection(scene);
    handle_hover(scene);
}

LongTable table(const Scene& scene) {
    const Context& context = scene.context;
    LongTable table;
    table.head = {.notes = {blocks_origin(context.tr, *scene.timeline),
                            blocks_sentence(context.tr, *scene.timeline, scene.waves),
                            blocks_launch(context.tr, *scene.timeline)},
                  .columns = table_columns(context.tr, {{"blocks.column_block"},
                                                        {"blocks.column_multiprocessor"},
                                                        {"blocks.column_place"},
                                                        {"blocks.column_wave"},
                                                        {"blocks.column_start", "µs"},
                                                        {"blocks.column_end", "µs"},
                                                        {"blocks.column_duration", "µs"}})};
    table.count = scene.timeline->blocks.size();
    table.row = [&scene](size_t i) -> std::vector<std::string> {
        const auto us = [](uint64_t ns) { return fmt::format("{:.3f}", static_cast<double>(ns) / 1e3); };
        const base::Dim3 at = base::position(i, scene.timeline->grid);
        const measure::BlockRecord& record = scene.record(i);
        return {fmt::format("{},{}", at.x, at.y),
                fmt::format("{}", record.multiprocessor),
                fmt::format("{}", scene.waves.place[i]),
                fmt::format("{}", scene.waves.wave[i] + 1),
                us(record.start_ns),
                us(record.end_ns),
                us(record.end_ns - record.start_ns)};
    };
    // The largest number of a column is its widest; of the coordinates those of the last block are.
    if (table.count > 0) table.widest.push_back(table.count - 1);
    const auto add_largest = [&](auto number) {
        size_t largest = 0;
        for (size_t i = 1; i < table.count; ++i)
            if (number(i) > number(largest)) largest = i;
        if (table.count > 0) table.widest.push_back(largest);
    };
    add_largest([&](size_t i) { return scene.record(i).multiprocessor; });
    add_largest([&](size_t i) { return scene.waves.place[i]; });
    add_largest([&](size_t i) { return scene.waves.wave[i]; });
    add_largest([&](size_t i) { return scene.record(i).end_ns; });
    return table;
}

// --- without a recording ---

// What the numbers alone say of a GPU whose description is known and whose architecture is the view's.
std::string plan(const Context& context) {
    const session::Products& products = context.session.products();
    const auto& machine = products.machine.value;
    const auto& block = products.block.value;
    const std::string& arch = context.session.view().subject.arch;
    const auto limits = analysis::multiprocessor(arch);
    if (!machine || !block || !limits) return {};
    const trace::Trace& trace = block->trace;
    const auto fits = analysis::occupancy(*limits, static_cast<int>(trace.block.count()), machine->resources.registers,
                                          trace.shared_bytes);
    if (!fits || fits->blocks < 1) return {};
    for (const session::DeviceRecord& record : context.session.devices()) {
        const measure::Device& device = record.device;
        if (device.arch != arch || device.multiprocessors < 1) continue;
        const double waves =
            static_cast<double>(trace.grid.count()) / (static_cast<double>(device.multiprocessors) * fits->blocks);
        return say(context, "blocks.plan", device.name, device.multiprocessors, fits->blocks, trace.grid.count(), waves,
                   100 * (waves - std::ceil(waves) + 1));
    }
    return {};
}

// Buttons that go to what was recorded.
void draw_choice(Context& context) {
    const auto& all = context.session.recorded_timelines();
    if (all.empty()) return;
    TextLines lines(context);
    lines.add(context.style.text, context.style.colour.dim, context.tr("blocks.choose"));
    lines.end();
    for (const auto& t : all) {
        const std::string label = fmt::format("{}  {} \u00d7 {} \u00d7 {}  {}", t->kernel, t->m, t->n, t->k, t->device);
        if (!button(context, ("blocks.choose." + t->file).c_str(), label.c_str())) continue;
        session::Subject& subject = context.view.subject;
        subject.kernel = t->kernel;
        subject.parameters = t->parameters;
        subject.breaks.clear();
        subject.problem = {t->m, t->n, t->k};
    }
}

Table table_of_nothing(const Context& context) {
    Table table{.notes = {context.tr("blocks.none"), context.tr("blocks.needs_gpu")},
                .columns = table_columns(context.tr, {{"plot.column_kernel"}, {"plot.size"}, {"plot.column_device"}})};
    for (const std::string& words : {gpu_words(context), plan(context)})
        if (!words.empty()) table.notes.push_back(words);
    table.notes.emplace_back(context.tr("blocks.choose"));
    for (const auto& t : context.session.recorded_timelines())
        table.rows.push_back({t->kernel, size_text(t->m, t->n, t->k), t->device});
    return table;
}

void draw_nothing(Context& context) {
    if (context.view.table) return draw_table(context, table_of_nothing(context));
    const Style& style = context.style;
    TextLines lines(context);
    lines.add(style.heading, style.colour.text, context.tr("blocks.none"));
    lines.add(style.text, style.colour.text, context.tr("blocks.needs_gpu"));
    lines.add(style.text, style.colour.dim, gpu_words(context));
    lines.add(style.text, style.colour.dim, plan(context));
    lines.end();
    draw_choice(context);
}

} // namespace

void draw_blocks(Context& context) {
    auto timeline = context.session.timeline();
    if (!timeline) return draw_nothing(context);
    const measure::Waves& waves = context.pictures.waves(timeline);
    const BlockColours by =
        context.view.block_colours == BlockColours::multiprocessor ? BlockColours::multiprocessor : BlockColours::wave;
    Scene scene{context, timeline, waves, BlockPaint(context.style, timeline, waves, by)};
    if (context.view.table) return draw_table(context, table(scene));
    draw_lines(scene);
    draw_picture(scene);
}

} // namespace ui
