#include "ui/map/map_scene.h"

#include "ui/gpu/block_colours.h"
#include "ui/time/access.h"

#include <functional>

namespace ui {

namespace {

using analysis::Rectangle;

Rectangle whole(const ArrayPicture& array) {
    return {0, 0, static_cast<uint32_t>(array.buffer->rows), static_cast<uint32_t>(array.buffer->columns)};
}

// Grows a rectangle that would be too thin to see.
Rect at_least(Rect place, float pixels) {
    if (place.width <= 0 && place.height <= 0) return place;
    if (place.width < pixels) place.x -= (pixels - place.width) / 2, place.width = pixels;
    if (place.height < pixels) place.y -= (pixels - place.height) / 2, place.height = pixels;
    return place;
}

bool in_view(const Plane& plane, const Rectangle& box) {
    return box.rows > 0 && box.row < plane.row_at(plane.area.bottom()) && double{1} * box.row + box.rows > plane.row &&
           box.column < plane.column_at(plane.area.right()) && double{1} * box.column + box.columns > plane.column;
}

bool inside(const Rectangle& box, int64_t row, int64_t column) {
    return row >= box.row && column >= box.column && row < int64_t{box.row} + box.rows &&
           column < int64_t{box.column} + box.columns;
}

// `all` without `box`: pixels are painted once, since a software renderer pays for every one.
void fill_around(const Plane& plane, const Rectangle& all, const Rectangle& box, ImU32 colour) {
    const Rect outer = plane.rect(all), inner = plane.rect(box);
    if (inner.width <= 0 || inner.height <= 0) return fill(outer, colour);
    fill({outer.x, outer.y, outer.width, inner.y - outer.y}, colour);
    fill({outer.x, inner.bottom(), outer.width, outer.bottom() - inner.bottom()}, colour);
    fill({outer.x, inner.y, inner.x - outer.x, inner.height}, colour);
    fill({inner.right(), inner.y, outer.right() - inner.right(), inner.height}, colour);
}

// Lines between elements, once these are large enough.
void draw_element_lines(const MapScene& scene, const Plane& plane, const Rectangle& all) {
    const double units =
        plane.scale / static_cast<double>(scene.context.style.unit); // of an element: the same picture at every size
    if (units < 1.75) return;
    const ImU32 colour = with_alpha(scene.context.style.colour.background, units < 3.5 ? 0.35f : 0.8f);
    const Rect place = plane.rect(all);
    for (double r = std::ceil(plane.row); r < plane.row_at(place.bottom()); ++r)
        fill({place.x, plane.at(r, 0).y, place.width, 1}, colour);
    for (double c = std::ceil(plane.column); c < plane.column_at(place.right()); ++c)
        fill({plane.at(0, c).x, place.y, 1, place.height}, colour);
}

// The words of a matrix of bits; none before the whole grid has run.
std::span<const uint32_t> words_of(const MapScene& scene, const trace::Buffer& of) {
    const auto& run = scene.context.session.products().grid.value;
    if (of.packing == base::Packing::none || !run) return {};
    for (const trace::Buffer& buffer : run->memory.buffers()) {
        if (buffer.name != of.name || buffer.bytes != of.bytes) continue;
        const auto bytes = run->memory.bytes(buffer.address);
        return {reinterpret_cast<const uint32_t*>(bytes.data()), bytes.size() / sizeof(uint32_t)};
    }
    return {};
}

ImU32 faded(const Palette& colour) { return with_alpha(colour.background, 0.45f); }

// Is an element large enough to be told from the next?
bool shows_elements(const MapScene& scene, const Plane& plane) {
    return plane.scale >= static_cast<double>(scene.context.style.unit);
}

// Bits that are set, -1, are faded.
void draw_bits(const MapScene& scene, const Plane& plane, const trace::Buffer& buffer) {
    const auto words = words_of(scene, buffer);
    if (words.empty() || !shows_elements(scene, plane)) return;
    const ImU32 colour = faded(scene.context.style.colour);
    const base::MatrixLayout layout = buffer.layout();
    paint(plane, {0, 0, static_cast<uint32_t>(buffer.rows), static_cast<uint32_t>(buffer.columns)},
          [&](int64_t row, int64_t column) -> ImU32 {
              return base::is_minus_one(layout, words, static_cast<uint64_t>(row), static_cast<uint64_t>(column))
                         ? colour
                         : 0;
          });
}

// Where the words end that hold bits, once these are large enough: what one load brings.
void draw_word_lines(const MapScene& scene, const Plane& plane, const trace::Buffer& buffer) {
    constexpr double word = base::bits_in_a_word;
    const double units = word * plane.scale / static_cast<double>(scene.context.style.unit);
    if (buffer.packing == base::Packing::none || units < 3.5) return;
    const float thick = units < 14 ? 1.0f : scene.context.style.unit / 2;
    const ImU32 colour = with_alpha(scene.context.style.colour.background, units < 14 ? 0.5f : 1.0f);
    const Rect place = plane.rect({0, 0, static_cast<uint32_t>(buffer.rows), static_cast<uint32_t>(buffer.columns)});
    if (buffer.packing == base::Packing::along_rows)
        for (double c = std::ceil(plane.column / word) * word; c < plane.column_at(place.right()); c += word)
            fill({plane.at(0, c).x - thick / 2, place.y, thick, place.height}, colour);
    else
        for (double r = std::ceil(plane.row / word) * word; r < plane.row_at(place.bottom()); r += word)
            fill({place.x, plane.at(r, 0).y - thick / 2, place.width, thick}, colour);
}

// "12,3" in each element, and what `second(row, column)` says below it, where both can be read.
template <class Second>
void draw_element_text(const MapScene& scene, const Plane& plane, const Rectangle& all, Second&& second) {
    const Style& style = scene.context.style;
    const ImVec2 digit = text_size(style.mono, "0");
    const auto digits = static_cast<float>(fmt::formatted_size("{},{}", all.rows - 1, all.columns - 1) + 1);
    if (plane.scale < digits * digit.x || plane.scale < style.mono->FontSize + 2) return;
    const bool two = plane.scale >= 2 * style.mono->FontSize + style.unit;
    const auto bottom = std::min<int64_t>(all.rows, static_cast<int64_t>(std::ceil(plane.row_at(plane.area.bottom()))));
    const auto right =
        std::min<int64_t>(all.columns, static_cast<int64_t>(std::ceil(plane.column_at(plane.area.right()))));
    const auto size = static_cast<float>(plane.scale);
    for (auto row = static_cast<int64_t>(plane.row); row < bottom; ++row)
        for (auto column = static_cast<int64_t>(plane.column); column < right; ++column) {
            const ImVec2 at = plane.at(static_cast<double>(row), static_cast<double>(column));
            const auto [words, ink] = second(row, column);
            const float line = two && !words.empty() ? style.mono->FontSize : size;
            const float top = two && !words.empty() ? (size - 2 * line) / 2 : 0;
            text_centred(style.mono, {at.x, at.y + top, size, line}, ink, fmt::format("{},{}", row, column));
            if (two && !words.empty()) text_centred(style.mono, {at.x, at.y + top + line, size, line}, ink, words);
        }
}

ImU32 touched_colour(const MapScene& scene, bool own) {
    const Palette& colour = scene.context.style.colour;
    const bool store = scene.instruction && scene.instruction->kind == trace::Kind::store;
    return own ? colour.selection : store ? colour.store : colour.load;
}

// For text on an element, which may be touched: the selected lane's colour lies above the others'.
ImU32 ink_at(const MapScene& scene, int array, int64_t row, int64_t column, ImU32 untouched) {
    ImU32 ink = untouched;
    for (const Touched& touched : scene.touched) {
        if (touched.array != array || !inside(touched.box, row, column)) continue;
        const bool own = touched.lane == scene.lane;
        ink = ink_on(touched_colour(scene, own));
        if (own) return ink;
    }
    return ink;
}

void draw_touched(const MapScene& scene, const Plane& plane, int array) {
    const Style& style = scene.context.style;
    for (const bool own : {false, true}) // the selected lane's above the others'
        for (const Touched& touched : scene.touched) {
            if (touched.array != array || (touched.lane == scene.lane) != own) continue;
            if (!in_view(plane, touched.box)) continue;
            const Rect place = at_least(plane.rect(touched.box), own ? 5 : 2);
            fill(place, touched_colour(scene, own));
            const bool is_word = touched.box.rows * touched.box.columns > 1; // its bits are drawn over it
            if ((own || is_word) && place.width > 5) outline(place, style.colour.background, 1);
        }
}

void draw_hovered_element(const MapScene& scene, const Plane& plane, const ArrayPicture& array) {
    if (scene.hover.array != array.buffer->name || scene.hover.row < 0 || scene.hover.column < 0) return;
    const Rectangle box = analysis::stored_with(*array.buffer, static_cast<uint32_t>(scene.hover.row),
                                                static_cast<uint32_t>(scene.hover.column));
    if (in_view(plane, box)) mark_hovered(scene.context, at_least(plane.rect(box), 6));
}

void draw_name(const MapScene& scene, const Plane& plane, const ArrayPicture& array, ImU32 colour) {
    const Style& style = scene.context.style;
    const std::string size = fmt::format("{} \u00d7 {}", array.buffer->rows, array.buffer->columns);
    const ImVec2 name = text_size(style.heading, array.buffer->name), extent = text_size(style.text, size);
    const float wide = name.x + extent.x + 4 * style.unit, narrow = name.x + 2 * style.unit,
                height = name.y + style.unit;
    constexpr float most = 0.5f; // of the plane's height and width: a name must not cover what it names
    if (height + 2 * style.unit > most * plane.area.height || narrow + 2 * style.unit > most * plane.area.width) return;
    const bool room = wide + 2 * style.unit <= 1.4f * most * plane.area.width;
    // At the end of the array: a block's first elements are what most lessons look at.
    const float width = room ? wide : narrow;
    const Rect chip{plane.area.right() - width - style.unit, plane.area.bottom() - height - style.unit, width, height};
    fill(chip, with_alpha(style.colour.background, 0.85f));
    text(style.heading, {chip.x + style.unit, chip.y + style.unit / 2}, colour, array.buffer->name);
    if (room)
        text_right(style.text, {chip.right() - style.unit, chip.y + style.unit / 2 + name.y - extent.y},
                   style.colour.text, size);
}

ImU32 ink_over(const Style& style, bool strong) {
    return strong ? style.colour.text : with_alpha(style.colour.text, 0.75f);
}

// Rows or columns of an operand that the selected lane's elements of C are made of, as bands across it.
void draw_needed(const MapScene& scene, const Plane& plane, const Rectangle& all, const std::vector<uint32_t>& lines,
                 bool rows) {
    const ImU32 colour = with_alpha(scene.context.style.colour.selection, 0.22f);
    for (size_t i = 0; i < lines.size();) {
        size_t last = i;
        while (last + 1 < lines.size() && lines[last + 1] == lines[last] + 1) ++last;
        const uint32_t count = lines[last] - lines[i] + 1;
        const Rectangle box =
            rows ? Rectangle{lines[i], 0, count, all.columns} : Rectangle{0, lines[i], all.rows, count};
        if (in_view(plane, box)) {
            const Rect place = plane.rect(box);
            fill(at_least(place, 1), colour);
        }
        i = last + 1;
    }
}

// Lines where the blocks of the grid meet.
void draw_block_lines(const MapScene& scene, const Plane& plane, const Rectangle& all, uint32_t rows,
                      uint32_t columns) {
    const ImU32 colour = with_alpha(scene.context.style.colour.dim, 0.45f);
    const Rect place = plane.rect(all);
    const auto lines = [&](uint32_t per_block, double low, double high, auto&& line) {
        if (per_block == 0 || per_block * plane.scale < 5) return;
        for (double at = std::ceil(low / per_block) * per_block; at <= high; at += per_block) line(at);
    };
    lines(rows, plane.row, plane.row_at(place.bottom()), [&](double r) {
        fill({place.x, plane.at(r, 0).y, place.width, 1}, colour);
    });
    lines(columns, plane.column, plane.column_at(place.right()), [&](double c) {
        fill({plane.at(0, c).x, place.y, 1, place.height}, colour);
    });
}

// Does the selected lane own an element there, which is drawn in its colour?
bool covers_lane(const MapScene& scene, const Rect& place) {
    const Plane& plane = scene.layout.c;
    const auto any = [](const std::vector<uint32_t>& lines, double low, double high) {
        const auto at =
            std::upper_bound(lines.begin(), lines.end(), low - 1, [](double a, uint32_t b) { return a < b; });
        return at != lines.end() && *at < high;
    };
    return any(scene.rows, plane.row_at(place.y), plane.row_at(place.bottom())) &&
           any(scene.columns, plane.column_at(place.x), plane.column_at(place.right()));
}

// Room for a label of that size in the tile: in its middle or, where that would lie over the selected lane's elements, beside
// it; empty if there is none.
Rect label_place(const MapScene& scene, const Rect& tile, ImVec2 size) {
    for (const float across : {0.5f, 0.35f, 0.65f, 0.2f, 0.8f, 0.08f, 0.92f}) {
        const float x = std::max(tile.x + scene.context.style.unit, tile.x + (tile.width - size.x) * across);
        const Rect place{x, tile.y + (tile.height - size.y) / 2, size.x, size.y};
        if (!covers_lane(scene, place)) return place;
    }
    return {};
}

// Where the warps' tiles end, and their numbers.
void draw_warp_tiles(const MapScene& scene) {
    const Style& style = scene.context.style;
    const Plane& plane = scene.layout.c;
    for (const WarpTile& tile : scene.picture.tiles) {
        const float width = static_cast<float>(tile.box.columns * plane.scale),
                    height = static_cast<float>(tile.box.rows * plane.scale);
        if (width < 5 || height < 5 || !in_view(plane, tile.box)) continue;
        const Rect place = plane.rect(tile.box);
        const bool selected = tile.warp == scene.warp;
        outline(plane.whole(tile.box), selected ? style.colour.selection : with_alpha(style.colour.background, 0.7f),
                selected ? 2.0f : 1.0f);
        const std::string label = say(scene.context, "map.warp", tile.warp);
        const ImVec2 size = text_size(style.text, label);
        if (size.x + style.unit > place.width || size.y > place.height || plane.scale > 24) continue;
        const Rect at = label_place(scene, place, size);
        if (at.width > 0) text(style.text, {at.x, at.y}, ink_over(style, selected), label);
    }
}

// The blocks of the grid in the colours of where or when a GPU ran them.
void draw_block_colours(const MapScene& scene) {
    const auto colours = BlockPaint::of(scene.context);
    if (!colours || !scene.picture.lattice || colours->timeline().grid != scene.picture.trace().grid) return;
    for (size_t i = 0; i < colours->timeline().blocks.size(); ++i) {
        const Rectangle box =
            scene.picture.lattice->box_of(base::position(i, colours->timeline().grid), *scene.c.buffer);
        if (in_view(scene.layout.c, box)) fill(scene.layout.c.rect(box), (*colours)(i));
    }
}

// Colour of an element of C inside the traced block: whose it is, and whether it is done.
ImU32 result_colour(const MapScene& scene, int64_t row, int64_t column) {
    const Palette& colour = scene.context.style.colour;
    const size_t at = scene.c.index(row, column);
    const uint16_t thread = scene.c.owner[at];
    if (thread == nobody) return with_alpha(colour.c, 0.10f);
    if (thread == scene.thread) return colour.selection;
    const int warp = thread / trace::warp_size;
    const bool peer = scene.hover.lane >= 0 &&
                      thread == std::max(scene.hover.warp, 0) * trace::warp_size + scene.hover.lane &&
                      (scene.hover.warp >= 0 || warp == scene.warp);
    if (peer) return with_alpha(colour.selection, 0.6f);
    if (scene.c.stored[at] <= scene.event) return with_alpha(colour.store, warp == scene.warp ? 0.75f : 0.5f);
    static constexpr float shades[4] = {0.28f, 0.44f, 0.35f, 0.51f}; // neighbours differ
    if (warp == scene.warp) return with_alpha(colour.selection, 0.30f);
    return with_alpha(colour.c, shades[(warp + warp / 4) % 4]);
}

std::string k_words(const KRange& range) {
    return range.last - range.first <= 1
               ? fmt::format("{}", static_cast<int64_t>(range.first))
               : fmt::format("{}\u2013{}", static_cast<int64_t>(range.first), static_cast<int64_t>(range.last) - 1);
}

// "A[12][3..6], B[3][0..3]": what the selected lane touches.
std::string lane_touches(const MapScene& scene) {
    std::string words;
    for (int array = 0; array < static_cast<int>(scene.picture.arrays.size()); ++array) {
        Rectangle all;
        for (const Touched& touched : scene.touched)
            if (touched.array == array && touched.lane == scene.lane) analysis::include(all, touched.box);
        if (all.rows == 0) continue;
        if (!words.empty()) words += ", ";
        words += element_run(scene.picture.arrays[static_cast<size_t>(array)].buffer->name, all);
    }
    return words;
}

} // namespace

std::vector<Touched> touched_elements(Context& context, const BlockPicture& picture, uint32_t number) {
    std::vector<Touched> touched;
    const trace::Trace& trace = picture.trace();
    const trace::Event& event = trace.events[number];
    const trace::Instruction& instruction = picture.instruction(number);
    if (event.access == trace::no_access) return touched;
    const bool shared = instruction.space == trace::Space::shared;
    if (!shared && instruction.space != trace::Space::global) return touched;
    const std::vector<analysis::Origin>* origin = shared ? &context.pictures.origin(picture, number) : nullptr;
    const uint32_t accessing = analysis::accessing_lanes(instruction, event.active);
    for (int lane = 0; lane < trace::warp_size; ++lane) {
        if (!(accessing >> lane & 1)) continue;
        const uint64_t address = trace.accesses[event.access][static_cast<size_t>(lane)];
        if (shared) {
            for (uint64_t word = address / 4; word < address / 4 + std::max<uint64_t>(1, instruction.bytes / 4u);
                 ++word)
                if (word < origin->size() && (*origin)[word].buffer >= 0)
                    for (const Rectangle& box :
                         analysis::elements_of(trace, (*origin)[word], address, instruction.bytes))
                        if (box.rows > 0) touched.push_back({(*origin)[word].buffer, box, lane});
            continue;
        }
        const trace::Buffer* buffer = analysis::buffer_at(trace, address);
        if (!buffer) continue;
        const auto array = static_cast<int>(buffer - trace.buffers.data());
        for (uint64_t byte = 0; byte < instruction.bytes; byte += buffer->element_bytes())
            if (const auto at = analysis::element(*buffer, address + byte))
                touched.push_back({array, analysis::stored_with(*buffer, at->row, at->column), lane});
    }
    return touched;
}

void find_lane_elements(MapScene& scene) {
    if (!scene.c.map) return;
    for (const analysis::Touch& touch : scene.c.map->stores) {
        if (touch.thread != scene.thread) continue;
        scene.rows.push_back(touch.row);
        scene.columns.push_back(touch.column);
    }
    for (std::vector<uint32_t>* lines : {&scene.rows, &scene.columns}) {
        std::sort(lines->begin(), lines->end());
        lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
    }
}

KRange k_range(const MapScene& scene, const std::vector<Rectangle>& boxes) {
    const Rectangle& a = boxes[static_cast<size_t>(scene.picture.a)];
    const Rectangle b = scene.b ? boxes[static_cast<size_t>(scene.picture.b)] : Rectangle{};
    if (a.rows == 0 && b.rows == 0) return {};
    if (a.rows == 0) return {double(b.row), double(b.row) + b.rows};
    if (b.rows == 0) return {double(a.column), double(a.column) + a.columns};
    return {double(std::min(a.column, b.row)), double(std::max(a.column + a.columns, b.row + b.rows))};
}

void draw_operand(const MapScene& scene, const Plane& plane, const ArrayPicture& array, ImU32 colour) {
    const Style& style = scene.context.style;
    const Rectangle all = whole(array);
    const auto index = static_cast<size_t>(scene.array_index(array));
    ImGui::PushClipRect({plane.area.x, plane.area.y}, {plane.area.right(), plane.area.bottom()}, true);
    const ImU32 untouched = with_alpha(colour, 0.24f), loaded = with_alpha(colour, 0.55f),
                in_use = with_alpha(colour, 0.85f);
    const Rectangle& slab = scene.slab->used[index];
    fill_around(plane, all, array.box, with_alpha(colour, 0.13f));
    paint(plane, array.box, [&](int64_t row, int64_t column) -> ImU32 {
        if (inside(slab, row, column)) return in_use;
        return !array.loaded.empty() && array.loaded[array.index(row, column)] <= scene.event ? loaded : untouched;
    });
    const bool is_a = &array == &scene.a;
    if (scene.picture.lattice)
        draw_block_lines(scene, plane, all, is_a ? scene.picture.lattice->rows : 0,
                         is_a && scene.b ? 0 : scene.picture.lattice->columns);
    const Rect fetched = plane.rect(scene.slab->fetched[index]);
    hatch(fetched, with_alpha(style.colour.load, 0.8f), 2 * style.unit);
    if (scene.b) draw_needed(scene, plane, all, is_a ? scene.rows : scene.columns, is_a);
    draw_element_lines(scene, plane, all);
    draw_touched(scene, plane, static_cast<int>(index));
    draw_bits(scene, plane, *array.buffer);
    draw_word_lines(scene, plane, *array.buffer);
    outline(plane.whole(slab), style.colour.text, 1);
    outline(plane.whole(scene.slab->fetched[index]), style.colour.load, std::max(2.0f, style.unit / 2));
    draw_hovered_element(scene, plane, array);
    draw_element_text(scene, plane, all, [&](int64_t row, int64_t column) -> std::pair<std::string, ImU32> {
        const bool by_block = array.has(row, column) && array.loader[array.index(row, column)] != nobody;
        const ImU32 ink = ink_at(scene, static_cast<int>(index), row, column, ink_over(style, by_block));
        if (!by_block) return {std::string(), ink};
        const int thread = array.loader[array.index(row, column)];
        return {say(scene.context, "map.cell", thread / trace::warp_size, thread % trace::warp_size), ink};
    });
    draw_name(scene, plane, array, colour);
    ImGui::PopClipRect();
}

void draw_result(const MapScene& scene) {
    const Style& style = scene.context.style;
    const Plane& plane = scene.layout.c;
    const Rectangle all = whole(scene.c);
    ImGui::PushClipRect({plane.area.x, plane.area.y}, {plane.area.right(), plane.area.bottom()}, true);
    const bool owners = !scene.c.owner.empty();
    fill_around(plane, all, owners ? scene.c.box : Rectangle{}, with_alpha(style.colour.c, 0.10f));
    draw_block_colours(scene);
    if (scene.picture.lattice)
        draw_block_lines(scene, plane, all, scene.picture.lattice->rows, scene.picture.lattice->columns);
    if (owners)
        paint(plane, scene.c.box, [&](int64_t row, int64_t column) { return result_colour(scene, row, column); });
    draw_element_lines(scene, plane, all);
    draw_warp_tiles(scene);
    draw_touched(scene, plane, scene.picture.c);
    const base::Dim3 selected = scene.context.session.view().selection.block;
    const Rectangle block =
        scene.picture.lattice ? scene.picture.lattice->box_of(selected, *scene.c.buffer) : scene.c.box;
    if (in_view(plane, block))
        outline(at_least(plane.whole(block), 4), style.colour.selection, std::max(2.0f, style.unit / 2));
    if (scene.hover.block && scene.picture.lattice)
        if (const Rectangle over = scene.picture.lattice->box_of(*scene.hover.block, *scene.c.buffer);
            in_view(plane, over))
            mark_hovered(scene.context, at_least(plane.whole(over), 6));
    draw_hovered_element(scene, plane, scene.c);
    draw_element_text(scene, plane, all, [&](int64_t row, int64_t column) -> std::pair<std::string, ImU32> {
        const bool owned = scene.c.has(row, column) && scene.c.owner[scene.c.index(row, column)] != nobody;
        if (!owned) return {std::string(), ink_at(scene, scene.picture.c, row, column, ink_over(style, false))};
        const int thread = scene.c.owner[scene.c.index(row, column)];
        const ImU32 owner = thread == scene.thread ? ink_on(style.colour.selection) : ink_over(style, true);
        return {say(scene.context, "map.cell", thread / trace::warp_size, thread % trace::warp_size),
                ink_at(scene, scene.picture.c, row, column, owner)};
    });
    draw_name(scene, plane, scene.c, style.colour.c);
    ImGui::PopClipRect();
}

void draw_rulers(const MapScene& scene) {
    const Style& style = scene.context.style;
    const MapLayout& map = scene.layout;
    const float digit = text_size(style.mono, "0").x, line = style.mono->FontSize;
    const auto spacing = [&](float pixels) {
        return std::exp2(std::ceil(std::log2(std::max(pixels / map.scale, 1.0))));
    };
    const auto ticks = [&](double low, double high, double step, auto&& tick) {
        for (double at = std::ceil(low / step) * step; at < high; at += step)
            tick(at, fmt::format("{}", static_cast<int64_t>(at)));
    };
    const double down = spacing(2.5f * line), across = spacing(7 * digit);
    ticks(map.a.row, map.a.row_at(map.a.area.bottom() - line), down, [&](double row, const std::string& number) {
        text_right(style.mono, {map.a.area.x - style.unit, map.a.at(row, 0).y}, style.colour.dim, number);
    });
    const Plane& above = scene.b ? map.b : map.c;
    ticks(above.column, above.column_at(above.area.right() - 3 * digit), across,
          [&](double column, const std::string& number) {
              text(style.mono, {above.at(0, column).x, above.area.y - line - 1}, style.colour.dim, number);
          });
    ticks(map.a.column, map.a.column_at(map.a.area.right() - 3 * digit), across,
          [&](double k, const std::string& number) {
              text(style.mono, {map.a.at(0, k).x, map.a.area.y - line - 1}, style.colour.dim, number);
          });
    if (!scene.b) return;
    ticks(map.b.row, map.b.row_at(map.b.area.bottom() - line), down, [&](double k, const std::string& number) {
        text_right(style.mono, {map.b.area.x - style.unit, map.b.at(k, 0).y}, style.colour.dim, number);
    });
}

namespace {

struct LegendRow {
    std::function<void(const Rect&)> swatch;
    std::string words;
};

// Has any warp stored a part of C by now?
bool has_stored(const MapScene& scene) {
    for (const WarpOrder& warp : scene.picture.warps)
        for (const uint32_t event : warp.global) {
            if (event > scene.event) break;
            if (scene.picture.instruction(event).kind == trace::Kind::store) return true;
        }
    return false;
}

// What the picture shows now, the most telling first.
std::vector<LegendRow> legend_rows(const MapScene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    const Palette& colour = style.colour;
    std::vector<LegendRow> rows;
    const base::Dim3 block = scene.picture.trace().block_index;
    rows.push_back({[&colour](const Rect& place) { fill(place, colour.selection); },
                    say(context, "map.legend_selection", block.x, block.y, scene.warp, scene.lane)});
    const std::string touches = lane_touches(scene);
    const bool store = scene.instruction && scene.instruction->kind == trace::Kind::store;
    if (!touches.empty())
        rows.push_back({[&colour, store](const Rect& place) { fill(place, store ? colour.store : colour.load); },
                        say(context, store ? "map.legend_stores" : "map.legend_loads", scene.lane, touches,
                            scene.instruction->mnemonic)});
    const KRange used = k_range(scene, scene.slab->used), fetched = k_range(scene, scene.slab->fetched);
    const auto halves = [&colour, both = scene.b != nullptr](const Rect& place, float alpha) { // one for A, one for B
        if (!both) return fill(place, with_alpha(colour.a, alpha));
        fill({place.x, place.y, place.width / 2, place.height}, with_alpha(colour.a, alpha));
        fill({place.x + place.width / 2, place.y, place.width / 2, place.height}, with_alpha(colour.b, alpha));
    };
    const bool direct = scene.picture.trace().shared_bytes == 0;
    if (used.last > used.first && !direct && scene.b)
        rows.push_back({[&colour, halves](const Rect& place) { halves(place, 0.8f), outline(place, colour.text); },
                        say(context, "map.legend_used", k_words(used))});
    if (fetched.last > fetched.first && scene.b)
        rows.push_back({[&style](const Rect& place) {
                            hatch(place, style.colour.load, 1.5f * style.unit), outline(place, style.colour.load, 2);
                        },
                        say(context, direct ? "map.legend_turn" : "map.legend_fetched", k_words(fetched))});
    if (scene.b)
        rows.push_back({[&colour, halves](const Rect& place) {
                            halves(place, 0.3f), fill(place, with_alpha(colour.selection, 0.3f));
                        },
                        context.tr("map.legend_needed")});
    if (!scene.c.map || scene.c.map->stores.empty()) // of a tile that blocks share, the last of them stores the sum
        rows.push_back({[&colour](const Rect& place) { fill(place, with_alpha(colour.c, 0.1f)); },
                        context.tr("map.legend_no_stores")});
    else
        rows.push_back({[&colour](const Rect& place) {
                            fill(place, with_alpha(colour.c, 0.3f)),
                                outline({place.x, place.y, place.width / 2, place.height}, colour.background);
                        },
                        context.tr("map.legend_warps")});
    if (!words_of(scene, *scene.a.buffer).empty() && shows_elements(scene, scene.layout.a))
        rows.push_back({[&colour](const Rect& place) {
                            fill(place, colour.a),
                                fill({place.x + place.width / 2, place.y, place.width / 2, place.height},
                                     faded(colour));
                        },
                        context.tr("map.legend_bits")});
    if (has_stored(scene))
        rows.push_back({[&colour](const Rect& place) { fill(place, with_alpha(colour.store, 0.6f)); },
                        context.tr("map.legend_stored")});
    rows.push_back({[halves](const Rect& place) { halves(place, 0.45f); },
                    context.tr(scene.b ? "map.legend_loaded" : "map.legend_loaded_a")});
    if (const auto blocks = BlockPaint::of(context))
        rows.push_back({[blocks](const Rect& place) { blocks->draw_ramp(place); }, blocks->words(context)});
    std::erase_if(rows, [](const LegendRow& row) { return row.words.empty(); });
    return rows;
}

} // namespace

void draw_map_legend(const MapScene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    const float digit = text_size(style.mono, "0").x, line = style.text->FontSize + style.unit;
    Rect room = scene.layout.corner;
    room.width -= 6 * digit, room.height -= style.mono->FontSize + style.unit; // for the numbers along k
    const Rect &area = scene.layout.area, &c = scene.layout.c.area;
    const Rect beside{c.right() + 6 * style.unit, area.y, area.right() - c.right() - 6 * style.unit, area.height};
    if (std::min(beside.width, 80 * style.unit) * beside.height > std::min(room.width, 80 * style.unit) * room.height)
        room = beside;
    if (room.width < 24 * style.unit) return;
    const std::vector<LegendRow> rows = legend_rows(scene);
    float y = room.y;
    for (size_t i = 0; i < rows.size() && y + line <= room.bottom(); ++i) {
        const float x = room.x + 5 * style.unit, width = room.right() - x;
        const float height = wrapped_size(style.text, width, rows[i].words).y; // in more lines where one is too narrow
        const bool last = y + std::max(height, style.text->FontSize) + style.unit + line > room.bottom();
        if (last && i + 1 < rows.size()) { // how many more there are, which the mouse tells
            const std::string more = fmt::format("+ {}", rows.size() - i);
            text(style.text, {x, y}, style.colour.dim, more);
            std::string all;
            for (size_t rest = i; rest < rows.size(); ++rest) all += (rest > i ? "\n" : "") + rows[rest].words;
            if (hovered({room.x, y, room.width, line})) tooltip(context, all);
            return;
        }
        rows[i].swatch(Rect{room.x, y + style.unit / 2, 3 * style.unit, line - 2 * style.unit});
        if (y + height > room.bottom()) text_cut(context, style.text, {x, y}, width, style.colour.text, rows[i].words);
        else text_wrapped(style.text, {x, y}, width, style.colour.text, rows[i].words);
        y += std::max(height, style.text->FontSize) + style.unit;
    }
}

} // namespace ui
