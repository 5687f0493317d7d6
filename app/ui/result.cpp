#include "ui/result.h"

#include "ui/access.h"
#include "ui/stepping.h"
#include "ui/text_table.h"

namespace ui {

namespace {

using analysis::Rectangle;
using Source = ResultShown::Source;

constexpr ImU32 violet_on_dark = IM_COL32(0xC3, 0xA6, 0xFF, 255), teal_on_dark = IM_COL32(0x46, 0xDC, 0xCC, 255);
constexpr ImU32 violet_on_light = IM_COL32(0x55, 0x2C, 0xA0, 255), teal_on_light = IM_COL32(0x00, 0x62, 0x6B, 255);

gpu::Rgb rgb(ImU32 colour) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
    return {c.x, c.y, c.z};
}

ImU32 packed(const gpu::Rgb& colour) { return ImGui::ColorConvertFloat4ToU32({colour[0], colour[1], colour[2], 1}); }

// Where the elements of C lie. Square, but of a matrix that would be a line, which is widened.
struct Canvas {
    Rect area;
    double per_row = 1, per_column = 1; // pixels of an element
    ImVec2 at(double row, double column) const {
        return {static_cast<float>(area.x + column * per_column), static_cast<float>(area.y + row * per_row)};
    }
    Rect rect(const Rectangle& box) const {
        const ImVec2 from = at(box.row, box.column), to = at(box.row + box.rows, box.column + box.columns);
        return {from.x, from.y, to.x - from.x, to.y - from.y};
    }
};

struct ResultScene {
    Context& context;
    const ResultShown& shown;
    std::shared_ptr<const BlockPicture> block; // nullptr: none traced
    const ArrayPicture* c = nullptr;           // its C; nullptr: none, or of another shape than what is shown
    std::vector<analysis::Element> owned{};    // stored by the selected thread
    Canvas canvas{};

    double largest() const { return shown.largest > 0 ? static_cast<double>(shown.largest) : 1.0; } // the ramp's end
    size_t index(int64_t row, int64_t column) const { return static_cast<size_t>(row) * static_cast<size_t>(shown.n) + static_cast<size_t>(column); }
};

ResultScene scene_of(Context& context, const ResultShown& shown) {
    ResultScene scene{context, shown, shown_block(context)};
    if (!scene.block || scene.block->c < 0) return scene;
    const ArrayPicture& c = scene.block->arrays[static_cast<size_t>(scene.block->c)];
    if (c.buffer->rows != static_cast<uint64_t>(shown.m) || c.buffer->columns != static_cast<uint64_t>(shown.n)) return scene;
    scene.c = &c;
    const int thread = selected_warp(*scene.block, context.session.view().selection) * trace::warp_size + context.session.view().selection.lane;
    for (const analysis::Touch& touch : c.map->stores)
        if (touch.thread == thread) scene.owned.push_back({touch.row, touch.column});
    return scene;
}

Rectangle selected_box(const ResultScene& scene) {
    if (scene.block->lattice) return scene.block->lattice->box_of(scene.context.session.view().selection.block, *scene.c->buffer);
    return scene.c->box;
}

std::string origin_of(const ResultScene& scene) {
    const ResultShown& shown = scene.shown;
    const Context& context = scene.context;
    if (shown.source == Source::cpu) return say(context, "result.cpu", shown.m, shown.n);
    const std::string way = shown.reason.empty() ? std::string(context.tr("result.interop")) : say(context, "result.host", shown.reason);
    return say(context, "result.gpu", shown.device, shown.kernel_ms, way);
}

struct Verdict {
    std::string words;
    bool good = true;
};

Verdict verdict_of(const ResultScene& scene) {
    const ResultShown& shown = scene.shown;
    const Context& context = scene.context;
    if (shown.source == Source::gpu) {
        if (!shown.difference) return {context.tr("result.not_compared")};
        if (shown.difference->elements == 0) return {context.tr("result.equal")};
        return {say(context, "result.differs", shown.difference->elements, shown.values.size(), shown.difference->largest),
                shown.verification && static_cast<double>(shown.difference->largest) <= 2 * shown.verification->tolerance};
    }
    if (!shown.verification) return {context.tr("result.not_verified")};
    const auto number = [](double value) { return fmt::format("{:.2g}", value); };
    const char* key = shown.verification->passed ? "numbers.verified" : "numbers.not_verified";
    return {say(context, key, number(shown.verification->max_abs_error), number(shown.verification->tolerance)), shown.verification->passed};
}

std::string gpu_words(const Context& context) {
    using Face = LiveResult::Gpu::Face;
    const LiveResult::Gpu& gpu = context.result->gpu();
    switch (gpu.face) {
    case Face::waiting: return context.tr("result.waiting");
    case Face::running: return context.tr("result.running");
    case Face::wrong: return context.tr("result.wrong");
    case Face::unverified: return context.tr("result.unverified");
    case Face::failed: return say(context, "result.failed", gpu.reason.empty() ? std::string(context.tr("result.no_opengl")) : gpu.reason);
    default: return {};
    }
}

// Where C came from, whether it is right, and what became of the GPU.
void draw_lines(const ResultScene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    const Rect area = free_area();
    const float line = style.text->FontSize + style.unit;
    const Verdict verdict = verdict_of(scene);
    const ImU32 colour = verdict.good ? style.colour.dim : style.colour.finding;
    float y = area.y;
    const float used = text_cut(context, style.heading, {area.x, y}, area.width, style.colour.text, origin_of(scene)) + 6 * style.unit;
    const bool beside = used + text_size(style.text, verdict.words).x <= area.width;
    if (!beside) y += line;
    text_cut(context, style.text, {area.x + (beside ? used : 0), y}, area.width - (beside ? used : 0), colour, verdict.words);
    if (const std::string words = gpu_words(context); !words.empty()) {
        y += line;
        text_cut(context, style.text, {area.x, y}, area.width, style.colour.dim, words);
    }
    ImGui::Dummy({area.width, y + line + style.unit - area.y});
}

// --- the picture ---

Canvas fit(const Rect& room, int m, int n, float least) {
    Canvas canvas;
    double scale = std::min(static_cast<double>(room.width) / n, static_cast<double>(room.height) / m);
    constexpr double worth = 2.0 / 3; // of the size, to have all elements equally large
    if (std::floor(scale) >= worth * scale) scale = std::floor(scale);
    canvas.per_column = std::max(scale, std::min(static_cast<double>(std::min(least, room.width)) / n, static_cast<double>(room.width)));
    canvas.per_row = std::max(scale, std::min(static_cast<double>(std::min(least, room.height)) / m, static_cast<double>(room.height)));
    canvas.area = {std::floor(room.x), std::floor(room.y), static_cast<float>(std::max(1.0, std::floor(canvas.per_column * n))),
                   static_cast<float>(std::max(1.0, std::floor(canvas.per_row * m)))};
    canvas.per_column = static_cast<double>(canvas.area.width) / n;
    canvas.per_row = static_cast<double>(canvas.area.height) / m;
    return canvas;
}

void draw_field(const ResultScene& scene) {
    Context& context = scene.context;
    const Rect& area = scene.canvas.area;
    gpu::FieldStyle colours = result_colours(context.style);
    colours.largest = static_cast<float>(scene.largest());
    const unsigned texture = context.result->picture(static_cast<int>(area.width), static_cast<int>(area.height), colours);
    if (texture) {
        ImGui::GetWindowDrawList()->AddImage(reinterpret_cast<ImTextureID>(static_cast<intptr_t>(texture)), {area.x, area.y}, {area.right(), area.bottom()});
        return;
    }
    fill(area, packed(colours.ramp[4]));
    const std::string& problem = context.result->problem();
    ImGui::SetCursorScreenPos({area.x, area.y});
    ImGui::BeginChild("no picture", {area.width, area.height}, false, ImGuiWindowFlags_NoInputs);
    sentence(context, problem.empty() ? std::string(context.tr("result.no_opengl")) : say(context, "result.no_picture", problem));
    ImGui::EndChild();
}

// The tiles of the grid as thin lines, where they are far enough apart.
void draw_lattice(const ResultScene& scene) {
    const Canvas& canvas = scene.canvas;
    const Lattice& lattice = *scene.block->lattice;
    const ImU32 colour = with_alpha(scene.context.style.colour.text, 0.35f);
    const double apart = 4.0 * static_cast<double>(scene.context.style.unit);
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (lattice.columns * canvas.per_column >= apart)
        for (uint32_t column = lattice.columns; column < static_cast<uint32_t>(scene.shown.n); column += lattice.columns) {
            const float x = std::floor(canvas.at(0, column).x);
            list->AddRectFilled({x, canvas.area.y}, {x + 1, canvas.area.bottom()}, colour);
        }
    if (lattice.rows * canvas.per_row >= apart)
        for (uint32_t row = lattice.rows; row < static_cast<uint32_t>(scene.shown.m); row += lattice.rows) {
            const float y = std::floor(canvas.at(row, 0).y);
            list->AddRectFilled({canvas.area.x, y}, {canvas.area.right(), y + 1}, colour);
        }
}

void draw_selection(const ResultScene& scene) {
    if (!scene.c) return;
    const Style& style = scene.context.style;
    if (scene.block->lattice && scene.block->lattice->rows > 0 && scene.block->lattice->columns > 0) draw_lattice(scene);
    if (std::min(scene.canvas.per_row, scene.canvas.per_column) >= 3)
        for (const analysis::Element& element : scene.owned) outline(scene.canvas.rect({element.row, element.column, 1, 1}), style.colour.selection);
    const Rect box = scene.canvas.rect(selected_box(scene));
    scene.context.probe.mark("result.block", box.x, box.y, box.width, box.height);
    mark_selected(scene.context, box);
    const session::Hover& hover = scene.context.session.view().hover;
    if (hover.array == scene.c->buffer->name && hover.row >= 0 && hover.column >= 0 && hover.row < scene.shown.m && hover.column < scene.shown.n) {
        Rect element = scene.canvas.rect({static_cast<uint32_t>(hover.row), static_cast<uint32_t>(hover.column), 1, 1});
        const float least = 2 * style.unit; // to be found on a picture of millions
        if (element.width < least) element.x -= (least - element.width) / 2, element.width = least;
        if (element.height < least) element.y -= (least - element.height) / 2, element.height = least;
        mark_hovered(scene.context, element);
    }
}

void draw_ticks(const ResultScene& scene) {
    const Style& style = scene.context.style;
    const Canvas& canvas = scene.canvas;
    const float digit = text_size(style.mono, "0").x, line = style.mono->FontSize;
    const auto spacing = [](double pixels, double scale) { return std::exp2(std::ceil(std::log2(std::max(pixels / scale, 1.0)))); };
    const double down = spacing(2.5 * static_cast<double>(line), canvas.per_row), across = spacing(7 * static_cast<double>(digit), canvas.per_column);
    for (double row = 0; row < scene.shown.m; row += down) {
        const float y = canvas.at(row, 0).y;
        if (y + line > canvas.area.bottom() + line / 2 && row > 0) break;
        text_right(style.mono, {canvas.area.x - style.unit, y}, style.colour.dim, fmt::format("{:.0f}", row));
    }
    for (double column = 0; column < scene.shown.n; column += across) {
        const float x = canvas.at(0, column).x;
        if (x + 3 * digit > canvas.area.right() && column > 0) break;
        text(style.mono, {x, canvas.area.y - line - 1}, style.colour.dim, fmt::format("{:.0f}", column));
    }
}

// The ramp from top to bottom, its numbers at its right. Returns where it ends.
float draw_ramp(const ResultScene& scene, const Rect& bar) {
    const Style& style = scene.context.style;
    const gpu::FieldStyle colours = result_colours(style);
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (size_t i = 0; i < 8; ++i) {
        const float top = bar.y + bar.height * static_cast<float>(i) / 8, bottom = bar.y + bar.height * static_cast<float>(i + 1) / 8;
        const ImU32 above = packed(colours.ramp[8 - i]), below = packed(colours.ramp[7 - i]);
        list->AddRectFilledMultiColor({bar.x, top}, {bar.right(), bottom}, above, above, below, below);
    }
    outline(bar, style.colour.line);
    const float line = style.mono->FontSize, x = bar.right() + style.unit;
    const std::string most = fmt::format("{:+.4g}", scene.largest()), least = fmt::format("{:+.4g}", -scene.largest());
    text(style.mono, {x, bar.y - 1}, style.colour.text, most);
    if (bar.height > 3 * line) text(style.mono, {x, bar.y + (bar.height - line) / 2}, style.colour.text, " 0");
    if (bar.height > 2 * line) text(style.mono, {x, bar.bottom() - line + 1}, style.colour.text, least);
    return x + std::max(text_size(style.mono, most).x, text_size(style.mono, least).x);
}

std::string value_at(const ResultScene& scene, std::span<const float> values, const char* key, int64_t row, int64_t column) {
    return values.empty() ? std::string() : say(scene.context, key, fmt::format("{}", values[scene.index(row, column)]));
}

std::string read_out(const ResultScene& scene, int64_t row, int64_t column, const char* between) {
    const bool gpu = scene.shown.source == Source::gpu;
    const std::string there = gpu ? value_at(scene, scene.shown.values, "result.tip_gpu", row, column) : std::string();
    const std::string here = value_at(scene, scene.shown.cpu, "result.tip_cpu", row, column);
    return there + (there.empty() || here.empty() ? "" : between) + here;
}

// One number where both engines agree on it.
std::string in_short(const ResultScene& scene, int64_t row, int64_t column) {
    const std::span<const float> values = scene.shown.values;
    const bool agree = scene.shown.source == Source::cpu || (scene.shown.difference && scene.shown.difference->elements == 0);
    return agree && !values.empty() ? fmt::format("{}", values[scene.index(row, column)]) : read_out(scene, row, column, "  ");
}

// What there is room to say at the right of the ramp.
void draw_notes(const ResultScene& scene, const Rect& room) {
    Context& context = scene.context;
    const Style& style = context.style;
    const float line = style.text->FontSize + style.unit;
    if (room.width < 24 * style.unit) return;
    float y = room.y;
    const auto note = [&](ImU32 colour, const std::string& words) {
        if (words.empty() || y + line > room.bottom()) return;
        text_cut(context, style.text, {room.x, y}, room.width, colour, words);
        y += line;
    };
    note(style.colour.text, say(context, "result.range", scene.shown.least, scene.shown.most));
    if (!scene.shown.finite) {
        fill({room.x, y + style.unit / 2, 3 * style.unit, style.text->FontSize - style.unit}, style.colour.finding);
        text_cut(context, style.text, {room.x + 5 * style.unit, y}, room.width - 5 * style.unit, style.colour.finding, context.tr("result.not_numbers"));
        y += line;
    }
    if (const double down = 1 / scene.canvas.per_row, across = 1 / scene.canvas.per_column; down > 1 || across > 1)
        note(style.colour.dim, say(context, "result.mean", std::max(down, 1.0), std::max(across, 1.0)));
    if (!scene.c) return;
    const session::Selection& selection = context.session.view().selection;
    const Rectangle box = selected_box(scene);
    y += style.unit;
    note(style.colour.dim, say(context, "result.block", selection.block.x, selection.block.y));
    note(style.colour.text, element_run(scene.c->buffer->name, box.row, box.column, box.row + std::max(box.rows, 1u) - 1, box.column + std::max(box.columns, 1u) - 1));
    note(style.colour.dim, say(context, "result.thread", selected_warp(*scene.block, selection), selection.lane, scene.owned.size()));
    for (const analysis::Element& element : scene.owned)
        note(style.colour.text, element_name(scene.c->buffer->name, element.row, element.column) + "  " + in_short(scene, element.row, element.column));
}

// Whose the element is, as the map says it, and what a click does.
std::string owner_words(const ResultScene& scene, int64_t row, int64_t column, int thread) {
    const Context& context = scene.context;
    if (thread >= 0)
        return "\n" + say(context, "map.tip_stored", thread / trace::warp_size, thread % trace::warp_size, thread,
                          scene.block->step(scene.c->stored[scene.c->index(row, column)]));
    if (!scene.block || !scene.block->lattice) return {};
    const auto block = scene.block->lattice->block_at(row, column, scene.block->trace().grid);
    return block ? "\n" + say(context, "map.tip_block", block->x, block->y) : std::string();
}

void handle_mouse(const ResultScene& scene) {
    Context& context = scene.context;
    const Rect& area = scene.canvas.area;
    if (!hovered(area)) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int64_t row = std::min<int64_t>(static_cast<int64_t>(static_cast<double>(mouse.y - area.y) / scene.canvas.per_row), scene.shown.m - 1);
    const int64_t column = std::min<int64_t>(static_cast<int64_t>(static_cast<double>(mouse.x - area.x) / scene.canvas.per_column), scene.shown.n - 1);
    session::Hover& hover = context.view.hover;
    hover.array = "C";
    hover.row = row, hover.column = column;
    int thread = -1;
    if (scene.c && scene.c->has(row, column) && scene.c->owner[scene.c->index(row, column)] != nobody) {
        thread = scene.c->owner[scene.c->index(row, column)];
        hover.warp = thread / trace::warp_size;
        hover.lane = thread % trace::warp_size;
    }
    const std::string value = read_out(scene, row, column, "\n");
    tooltip(context, element_name("C", static_cast<uint64_t>(row), static_cast<uint64_t>(column)) + (value.empty() ? "" : "\n") + value +
                         (scene.c ? owner_words(scene, row, column, thread) : std::string()));
    if (!clicked(area) || !scene.c) return;
    if (thread >= 0) {
        if (hover.warp != context.view.selection.warp) select_warp(context, hover.warp);
        select_lane(context, hover.lane);
    } else if (scene.block->lattice) {
        if (const auto block = scene.block->lattice->block_at(row, column, scene.block->trace().grid)) select_block(context, *block);
    }
}

void draw_picture(ResultScene& scene) {
    const Style& style = scene.context.style;
    const Rect area = free_area();
    const float line = style.mono->FontSize, digit = text_size(style.mono, "0").x;
    const float left = digit * static_cast<float>(fmt::format("{}", scene.shown.m - 1).size()) + 2 * style.unit, top = line + 2;
    const float legend = 4 * style.unit + 3 * style.unit + 9 * digit;
    const bool ramp = area.width - left - legend > 10 * style.unit;
    const Rect room{area.x + left, area.y + top, area.width - left - (ramp ? legend : 0), area.height - top - style.unit};
    if (room.width < 2 * style.unit || room.height < 2 * style.unit) return;
    scene.canvas = fit(room, scene.shown.m, scene.shown.n, 6 * style.unit);
    const Rect& picture = scene.canvas.area;
    scene.context.probe.mark("result.picture", picture.x, picture.y, picture.width, picture.height);
    draw_field(scene);
    ImGui::PushClipRect({picture.x - 3, picture.y - 3}, {picture.right() + 3, picture.bottom() + 3}, true);
    draw_selection(scene);
    ImGui::PopClipRect();
    draw_ticks(scene);
    if (ramp) {
        const float height = std::min(room.height, 60 * style.unit);
        const float end = draw_ramp(scene, {picture.right() + 4 * style.unit, room.y, 3 * style.unit, height});
        draw_notes(scene, {end + 6 * style.unit, room.y, area.right() - end - 6 * style.unit, room.height});
    }
    handle_mouse(scene);
}

// The values around the selected thread's first element.
TextTable table(const ResultScene& scene) {
    constexpr int64_t rows = 32, columns = 12;
    analysis::Element centre;
    if (!scene.owned.empty()) centre = scene.owned.front();
    else if (scene.c) centre = {selected_box(scene).row, selected_box(scene).column};
    const auto first = [](int64_t at, int64_t count, int64_t all) { return std::clamp<int64_t>(at - count / 2, 0, std::max<int64_t>(all - count, 0)); };
    const int64_t row = first(centre.row, rows, scene.shown.m), column = first(centre.column, columns, scene.shown.n);
    TextTable table{{scene.context.tr("result.column_row")}, {}};
    const std::span<const float> values = scene.shown.values.empty() ? scene.shown.cpu : scene.shown.values;
    for (int64_t c = column; c < std::min<int64_t>(column + columns, scene.shown.n); ++c) table.columns.push_back(fmt::format("{}", c));
    for (int64_t r = row; r < std::min<int64_t>(row + rows, scene.shown.m); ++r) {
        auto& cells = table.rows.emplace_back(1, fmt::format("{}", r));
        for (int64_t c = column; c < std::min<int64_t>(column + columns, scene.shown.n); ++c)
            cells.push_back(values.empty() ? std::string("-") : fmt::format("{:.6g}", values[scene.index(r, c)]));
    }
    return table;
}

} // namespace

gpu::FieldStyle result_colours(const Style& style) {
    gpu::FieldStyle colours;
    const ImU32 middle = mixed(style.colour.panel, style.colour.text, 0.06f);
    for (size_t i = 0; i < colours.ramp.size(); ++i) {
        const float at = static_cast<float>(i) / 4 - 1; // -1 to 1
        const ImU32 end = at < 0 ? (style.dark ? violet_on_dark : violet_on_light) : (style.dark ? teal_on_dark : teal_on_light);
        colours.ramp[i] = rgb(mixed(middle, end, std::abs(at)));
    }
    colours.not_a_number = rgb(style.colour.finding);
    colours.outside = rgb(style.colour.panel);
    return colours;
}

void draw_result(Context& context) {
    if (!context.result) return sentence(context, context.tr("result.no_opengl"));
    if (!face(context, context.session.products().grid)) return;
    const ResultShown& shown = context.result->look(context.session);
    if (shown.source == Source::none) return sentence(context, context.tr("result.none"));
    ResultScene scene = scene_of(context, shown);
    draw_lines(scene);
    if (context.view.table) return draw_table(context, table(scene));
    draw_picture(scene);
}

} // namespace ui
