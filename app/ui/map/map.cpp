#include "ui/draw/text_table.h"
#include "ui/map/map_scene.h"
#include "ui/time/access.h"
#include "ui/time/stepping.h"

namespace ui {

namespace {

using analysis::Rectangle;

// Are the arrays of the run those of a product, or A and a C of the same shape?
bool is_drawn(const BlockPicture& picture) {
    if (picture.a < 0 || picture.c < 0) return false;
    const auto buffer = [&](int index) -> const trace::Buffer& {
        return *picture.arrays[static_cast<size_t>(index)].buffer;
    };
    const trace::Buffer &a = buffer(picture.a), &c = buffer(picture.c);
    if (!a.columns || !c.rows || !c.columns || c.rows != a.rows) return false;
    if (picture.b < 0) return c.columns == a.columns;
    const trace::Buffer& b = buffer(picture.b);
    return a.columns == b.rows && c.columns == b.columns;
}

// Elements of C of the selected block, which may not be the one that has been traced yet.
Rectangle block_box(const MapScene& scene, base::Dim3 block) {
    if (scene.picture.lattice) return scene.picture.lattice->box_of(block, *scene.c.buffer);
    return scene.c.box;
}

struct Frame { // what a layout needs beside zoom and pan
    Rect area;
    Rectangle box;
    KRange k;
    float ruler_left = 0, ruler_top = 0, gap = 0;
};

MapLayout lay_out(const MapScene& scene, const Frame& frame, double zoom, double pan_x, double pan_y) {
    return map_layout(frame.area, scene.size, frame.box, frame.k, zoom, pan_x, pan_y, frame.ruler_left, frame.ruler_top,
                      frame.gap);
}

Frame frame_of(const MapScene& scene, const Rect& area) {
    const Style& style = scene.context.style;
    Frame frame{area, block_box(scene, scene.context.session.view().selection.block), {}, 0, 0, 2 * style.unit};
    const KRange used = k_range(scene, scene.slab->used), fetched = k_range(scene, scene.slab->fetched);
    frame.k = used.last > used.first ? used : fetched;
    const double largest = std::max({scene.size.m, scene.size.k, 100.0});
    frame.ruler_left = text_size(style.mono, fmt::format("{}", static_cast<int64_t>(largest) - 1)).x + 2 * style.unit;
    frame.ruler_top = style.mono->FontSize + style.unit;
    return frame;
}

void set_zoom(session::View& view, const MapLayout& layout) {
    view.map_zoom = static_cast<float>(layout.zoom);
    view.map_x = static_cast<float>(layout.pan_x);
    view.map_y = static_cast<float>(layout.pan_y);
}

// Zooms by `factor` and keeps the element under `at` in its place.
void zoom_about(MapScene& scene, const Frame& frame, ImVec2 at, double factor) {
    const MapLayout& now = scene.layout;
    const double row = now.c.row_at(at.y), column = now.c.column_at(at.x);
    MapLayout next = lay_out(scene, frame, now.zoom * factor, now.pan_x, now.pan_y);
    const double right = column - next.c.column_at(at.x), down = row - next.c.row_at(at.y);
    next = lay_out(scene, frame, next.zoom, next.pan_x + right, next.pan_y + down);
    set_zoom(scene.context.view, next);
}

void handle_mouse(MapScene& scene, const Frame& frame) {
    const PanZoom wish = pan_zoom(scene.layout.area, "map held");
    if (wish.factor != 1) zoom_about(scene, frame, ImGui::GetIO().MousePos, wish.factor);
    if (wish.drag.x == 0 && wish.drag.y == 0) return;
    set_zoom(scene.context.view,
             lay_out(scene, frame, scene.layout.zoom, scene.layout.pan_x - wish.drag.x / scene.layout.scale,
                     scene.layout.pan_y - wish.drag.y / scene.layout.scale));
}

void select_thread(Context& context, int thread) {
    const int warp = thread / trace::warp_size;
    if (warp != context.view.selection.warp) select_warp(context, warp);
    select_lane(context, thread % trace::warp_size);
}

// Another block: the picture stays where it is, though pan counts from the selected block's middle.
void select_other_block(MapScene& scene, const Frame& frame, base::Dim3 block) {
    const Rectangle next = block_box(scene, block);
    session::View& view = scene.context.view;
    const auto middle = [](uint32_t first, uint32_t count) { return first + count / 2.0; };
    view.map_zoom = static_cast<float>(scene.layout.zoom);
    view.map_x = static_cast<float>(scene.layout.pan_x + middle(frame.box.column, frame.box.columns) -
                                    middle(next.column, next.columns));
    view.map_y =
        static_cast<float>(scene.layout.pan_y + middle(frame.box.row, frame.box.rows) - middle(next.row, next.rows));
    select_block(scene.context, block);
}

// The word that holds the bit, as the source indexes it, and the k that it spans.
std::string word_tip(const MapScene& scene, const trace::Buffer& buffer, int64_t row, int64_t column) {
    const bool along_rows = buffer.packing == base::Packing::along_rows;
    const Rectangle box = analysis::stored_with(buffer, static_cast<uint32_t>(row), static_cast<uint32_t>(column));
    constexpr auto bits = static_cast<uint32_t>(base::bits_in_a_word);
    const uint32_t first = along_rows ? box.column : box.row, count = box.rows * box.columns;
    return say(scene.context, "map.tip_word", along_rows ? box.row : box.row / bits,
               along_rows ? box.column / bits : box.column, first, first + count - 1);
}

std::string operand_tip(const MapScene& scene, const ArrayPicture& array, int64_t row, int64_t column) {
    std::string words =
        element_name(array.buffer->name, static_cast<uint64_t>(row), static_cast<uint64_t>(column)) + "\n";
    if (array.buffer->packing != base::Packing::none) words += word_tip(scene, *array.buffer, row, column) + "\n";
    if (array.loaded.empty() && array.box.rows > 0)
        return words + say(scene.context, "map.tip_too_large", Pictures::raster_limit);
    const bool touched = array.has(row, column) && array.loader[array.index(row, column)] != nobody;
    if (!touched) return words + scene.context.tr("map.tip_not_loaded");
    const int thread = array.loader[array.index(row, column)];
    return words + say(scene.context, "map.tip_loaded", thread / trace::warp_size, thread % trace::warp_size,
                       scene.picture.step(array.loaded[array.index(row, column)]));
}

std::string result_tip(const MapScene& scene, int64_t row, int64_t column) {
    const Context& context = scene.context;
    std::string words =
        element_name(scene.c.buffer->name, static_cast<uint64_t>(row), static_cast<uint64_t>(column)) + "\n";
    if (scene.c.has(row, column)) {
        const size_t at = scene.c.index(row, column);
        const int thread = scene.c.owner[at];
        if (thread != nobody)
            return words + say(context, "map.tip_stored", thread / trace::warp_size, thread % trace::warp_size, thread,
                               scene.picture.step(scene.c.stored[at]));
    }
    if (!scene.picture.lattice) return words + context.tr("map.tip_other");
    const auto block = scene.picture.lattice->block_at(row, column, scene.picture.trace().grid);
    return block ? words + say(context, "map.tip_block", block->x, block->y) : words + context.tr("map.tip_other");
}

// Hover on one of the matrices; true if the mouse is over it.
bool hover_plane(MapScene& scene, const Plane& plane, const ArrayPicture& array) {
    if (!hovered(plane.area)) return false;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto row = static_cast<int64_t>(std::floor(plane.row_at(mouse.y)));
    const auto column = static_cast<int64_t>(std::floor(plane.column_at(mouse.x)));
    if (row < 0 || column < 0 || row >= static_cast<int64_t>(array.buffer->rows) ||
        column >= static_cast<int64_t>(array.buffer->columns))
        return false;
    session::Hover& hover = scene.context.view.hover;
    hover.array = array.buffer->name;
    hover.row = row, hover.column = column;
    const bool result = &array == &scene.c;
    const std::vector<uint16_t>& threads = result ? array.owner : array.loader;
    if (array.has(row, column) && threads[array.index(row, column)] != nobody) {
        hover.warp = threads[array.index(row, column)] / trace::warp_size;
        hover.lane = threads[array.index(row, column)] % trace::warp_size;
    }
    if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left))
        tooltip(scene.context, result ? result_tip(scene, row, column) : operand_tip(scene, array, row, column));
    return true;
}

void handle_result(MapScene& scene, const Frame& frame) {
    const Plane& plane = scene.layout.c;
    if (!hover_plane(scene, plane, scene.c) || !clicked_without_drag(plane.area)) return;
    const auto row = scene.context.view.hover.row, column = scene.context.view.hover.column;
    if (scene.c.has(row, column) && scene.c.owner[scene.c.index(row, column)] != nobody)
        return select_thread(scene.context, scene.c.owner[scene.c.index(row, column)]);
    if (!scene.picture.lattice) return;
    if (const auto block = scene.picture.lattice->block_at(row, column, scene.picture.trace().grid))
        select_other_block(scene, frame, *block);
}

std::string sizes_words(const MapScene& scene) {
    const auto kernel = scene.context.session.kernel();
    const auto m = static_cast<int64_t>(scene.size.m), n = static_cast<int64_t>(scene.size.n);
    if (scene.b) return say(scene.context, "map.remark", m, n, static_cast<int64_t>(scene.size.k));
    return kernel ? say(scene.context, "map.remark_elements", m, n, catalog::formula_of(kernel->operation))
                  : std::string();
}

// Sizes, between the heading's word, which ends at `heading.x`, and what begins at `right`.
void draw_remark(const MapScene& scene, ImVec2 heading, float right) {
    const Style& style = scene.context.style;
    const std::string words = sizes_words(scene);
    const float left = heading.x + 4 * style.unit, room = right - left - 2 * style.unit;
    if (room > 12 * style.unit)
        text_cut(scene.context, style.text, {left, heading.y + style.heading->FontSize - style.text->FontSize}, room,
                 style.colour.dim, words);
}

// At the right of the heading, whose word ends at `heading.x`; the remark fills what is left between.
void draw_buttons(MapScene& scene, const Frame& frame, ImVec2 heading) {
    Context& context = scene.context;
    const Rect& c = scene.layout.c.area;
    const ImVec2 middle{c.x + c.width / 2, c.y + c.height / 2};
    float start = 0;
    const std::array labels{ButtonLabel{"map.zoom_out", "-"}, ButtonLabel{"map.zoom_in", "+"},
                            ButtonLabel{"map.block", context.tr("map.block")},
                            ButtonLabel{"map.grid", context.tr("map.grid")}};
    switch (button_row(context, labels, heading.x + context.style.unit, frame.area.right(), heading.y, -1, &start)) {
    case 0: zoom_about(scene, frame, middle, 1 / 1.5); break;
    case 1: zoom_about(scene, frame, middle, 1.5); break;
    case 2: context.view.map_zoom = 1, context.view.map_x = context.view.map_y = 0; break;
    case 3: set_zoom(context.view, lay_out(scene, frame, 1e-9, 0, 0)); break;
    default: break;
    }
    draw_remark(scene, heading, start);
}

Table table(const MapScene& scene) {
    const Context& context = scene.context;
    Table table{.notes = {sizes_words(scene), context.tr("about.map")},
                .columns = table_columns(context.tr, {{"map.column_what"}, {"map.column_value"}})};
    const auto add = [&](const char* key, std::string value) {
        table.rows.push_back({context.tr(key), std::move(value)});
    };
    const auto box = [](const trace::Buffer& buffer, const Rectangle& r) {
        return r.rows == 0 ? std::string("-") : element_run(buffer.name, r);
    };
    const trace::Trace& trace = scene.picture.trace();
    add("map.row_block",
        fmt::format("{}, {} / {} x {}", trace.block_index.x, trace.block_index.y, trace.grid.x, trace.grid.y));
    for (const ArrayPicture* array : {&scene.a, scene.b, &scene.c})
        if (array) add("map.row_touched", box(*array->buffer, array->box));
    for (const auto& [key, boxes] :
         {std::pair{"map.row_used", &scene.slab->used}, std::pair{"map.row_fetched", &scene.slab->fetched}})
        for (const ArrayPicture* array : {&scene.a, scene.b})
            if (array) add(key, box(*array->buffer, (*boxes)[static_cast<size_t>(scene.array_index(*array))]));
    for (const Touched& touched : scene.touched)
        if (touched.lane == scene.lane)
            add("map.row_lane",
                element_run(scene.picture.arrays[static_cast<size_t>(touched.array)].buffer->name, touched.box));
    for (const WarpTile& tile : scene.picture.tiles) {
        if (table.rows.size() > 400) break; // scattered warps: the picture says more
        table.rows.push_back({say(context, "map.row_warp", tile.warp), box(*scene.c.buffer, tile.box)});
    }
    return table;
}

// Keys zoom and pan without knowing the bounds; what is beyond them must not pile up.
void keep_within_bounds(MapScene& scene, const session::View& now) {
    session::View& next = scene.context.view;
    if (next.map_zoom != now.map_zoom || next.map_x != now.map_x || next.map_y != now.map_y) return; // being changed
    const auto beyond = [](float pan, double possible) { return pan != 0 && std::abs(pan - possible) > 1; };
    if (beyond(now.map_x, scene.layout.pan_x)) next.map_x = static_cast<float>(scene.layout.pan_x);
    if (beyond(now.map_y, scene.layout.pan_y)) next.map_y = static_cast<float>(scene.layout.pan_y);
    if (std::abs(now.map_zoom / scene.layout.zoom - 1) > 0.01) next.map_zoom = static_cast<float>(scene.layout.zoom);
}

void draw_picture(MapScene& scene, ImVec2 heading) {
    const Frame frame = frame_of(scene, free_area());
    const session::View& view = scene.context.session.view();
    scene.layout = lay_out(scene, frame, view.map_zoom, view.map_x, view.map_y);
    keep_within_bounds(scene, view);
    draw_operand(scene, scene.layout.a, scene.a, scene.context.style.colour.a);
    if (scene.b) draw_operand(scene, scene.layout.b, *scene.b, scene.context.style.colour.b);
    draw_result(scene);
    draw_rulers(scene);
    draw_map_legend(scene);
    draw_buttons(scene, frame, heading);
    for (const auto& [name, plane] : {std::pair{"map.A", &scene.layout.a}, std::pair{"map.B", &scene.layout.b},
                                      std::pair{"map.C", &scene.layout.c}})
        scene.context.probe.mark(name, plane->area.x, plane->area.y, plane->area.width, plane->area.height);
    handle_mouse(scene, frame);
    hover_plane(scene, scene.layout.a, scene.a);
    if (scene.b) hover_plane(scene, scene.layout.b, *scene.b);
    handle_result(scene, frame);
}

} // namespace

void draw_map(Context& context) {
    const ImVec2 top = ImGui::GetCursorScreenPos();
    heading(context, context.tr("map.title"));
    if (!face(context, context.session.products().block)) return;
    const auto picture = shown_block(context);
    if (!picture) return sentence(context, context.tr("map.no_events"));
    if (!is_drawn(*picture)) return sentence(context, context.tr("map.no_product"));
    const auto array = [&](int index) -> const ArrayPicture& { return picture->arrays[static_cast<size_t>(index)]; };
    MapScene scene{context, *picture, array(picture->a), array(picture->c),
                   picture->b < 0 ? nullptr : &array(picture->b)};
    scene.size = {static_cast<double>(scene.c.buffer->rows), static_cast<double>(scene.c.buffer->columns),
                  static_cast<double>(scene.a.buffer->columns), scene.b != nullptr};
    const session::Selection& selection = context.session.view().selection;
    scene.warp = selected_warp(*picture, selection);
    scene.lane = selection.lane;
    scene.thread = scene.warp * trace::warp_size + scene.lane;
    scene.hover = context.session.view().hover;
    if (picture->warps.empty() || picture->warps[static_cast<size_t>(scene.warp)].events.empty())
        return sentence(context, context.tr("map.no_events"));
    const WarpOrder& order = picture->warps[static_cast<size_t>(scene.warp)];
    scene.event = order.events[order.at_or_after(selection.event)];
    scene.instruction = &picture->instruction(scene.event);
    scene.touched = touched_elements(context, *picture, scene.event);
    find_lane_elements(scene);
    scene.slab = &context.pictures.slab(*picture, scene.warp, scene.event);

    const ImVec2 end{top.x + text_size(context.style.heading, context.tr("map.title")).x, top.y};
    if (context.view.table) return draw_table(context, table(scene));
    draw_picture(scene, end);
}

} // namespace ui
