#include "ui/draw/text_table.h"
#include "ui/memory/access_list.h"
#include "ui/memory/sector_picture.h"
#include "ui/time/stepping.h"

#include "analysis/sectors.h"

#include <bit>
#include <map>

namespace ui {

namespace {

constexpr int words_per_sector = analysis::sector_bytes / 4,
              sectors_per_line = analysis::line_bytes / analysis::sector_bytes;

struct Line { // of 128 bytes
    uint64_t address = 0;
    std::array<uint32_t, 32> lanes{}; // that touch each 4-byte word
    bool touched(int sector) const {
        for (int i = 0; i < words_per_sector; ++i)
            if (lanes[static_cast<size_t>(sector * words_per_sector + i)]) return true;
        return false;
    }
};

struct Scene { // of one frame
    Context& context;
    const BlockPicture& picture;
    AccessShown shown;
    analysis::Sectors count; // as the hardware has it
    int distinct;            // sectors that are drawn
    std::vector<Line> lines; // by address
    int lane;
    uint32_t peers = 0;
};

std::vector<Line> lines_of(const AccessShown& shown) {
    std::map<uint64_t, Line> lines;
    for (size_t lane = 0; lane < trace::warp_size; ++lane) {
        if (!(shown.active >> lane & 1)) continue;
        const uint64_t first = (*shown.address)[lane],
                       last = first + std::max<uint64_t>(shown.instruction->bytes, 1) - 1;
        for (uint64_t word = first / 4; word <= last / 4; ++word) {
            Line& line = lines[word * 4 / analysis::line_bytes];
            line.address = word * 4 / analysis::line_bytes * analysis::line_bytes;
            line.lanes[word % 32] |= 1u << lane;
        }
    }
    std::vector<Line> sorted;
    for (auto& [number, line] : lines) sorted.push_back(line);
    return sorted;
}

std::string element_at(const Scene& scene, uint64_t address) {
    const trace::Buffer* buffer = analysis::buffer_at(scene.picture.trace(), address);
    if (!buffer) return {};
    if (const auto row = analysis::padded_row(*buffer, address))
        return say(scene.context, "sectors.padding", buffer->name, *row);
    const auto at = analysis::element(*buffer, address);
    return at ? element_run(buffer->name, analysis::stored_with(*buffer, at->row, at->column)) : std::string();
}

// "A[0][24..27]" of the words' elements, if they lie in one row.
std::string run_name(const trace::Trace& trace, const Line& line, int word, int count) {
    const uint64_t first = line.address + static_cast<uint64_t>(word) * 4,
                   last = first + static_cast<uint64_t>(count) * 4 - 1;
    const trace::Buffer* buffer = analysis::buffer_at(trace, first);
    if (!buffer) return {};
    const auto from = analysis::element(*buffer, first), to = analysis::element(*buffer, last);
    if (!from || !to || from->row != to->row) return {};
    analysis::Rectangle run = analysis::stored_with(*buffer, from->row, from->column);
    analysis::include(run, analysis::stored_with(*buffer, to->row, to->column));
    return element_run(buffer->name, run);
}

// "A+0x01200": addresses are made up, offsets in the array are not.
std::string line_label(const trace::Trace& trace, uint64_t address) {
    const trace::Buffer* buffer = analysis::buffer_at(trace, address);
    return buffer ? fmt::format("{}+0x{:05x}", buffer->name, address - buffer->address)
                  : fmt::format("0x{:x}", address);
}

void hover_word(Scene& scene, const Line& line, int word) {
    Context& context = scene.context;
    const uint32_t lanes = line.lanes[static_cast<size_t>(word)];
    const uint64_t address = line.address + static_cast<uint64_t>(word) * 4;
    const trace::Trace& trace = scene.picture.trace();
    std::string words = element_at(scene, address);
    if (!words.empty()) words += "\n";
    words += line_label(trace, address) + "\n";
    if (lanes) words += say(context, "sectors.tip_used", lane_list(lanes));
    else if (line.touched(word / words_per_sector)) words += context.tr("sectors.tip_wasted");
    else words += context.tr("sectors.tip_untouched");
    tooltip(context, words);

    session::Hover& hover = context.view.hover;
    if (const trace::Buffer* buffer = analysis::buffer_at(trace, address))
        if (const auto at = analysis::element(*buffer, address))
            hover.array = buffer->name, hover.row = at->row, hover.column = at->column;
    if (!lanes) return;
    hover.warp = scene.shown.warp;
    hover.lane = std::countr_zero(lanes);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) select_lane(context, hover.lane);
}

// Words of one sector that the same lanes touch, from `word` on.
int run_length(const Line& line, int word) {
    const int end = (word / words_per_sector + 1) * words_per_sector;
    int last = word + 1;
    while (last < end && line.lanes[static_cast<size_t>(last)] == line.lanes[static_cast<size_t>(word)]) ++last;
    return last - word;
}

void draw_run(Scene& scene, const WordRows& rows, float y, const Line& line, int word, int count) {
    const Style& style = scene.context.style;
    const uint32_t lanes = line.lanes[static_cast<size_t>(word)];
    const ImU32 colour = scene.shown.load() ? style.colour.load : style.colour.store;
    Rect place = rows.words(y, word, count);
    place.width -= rows.cell > 6 ? 1.0f : 0.0f, place.height -= rows.height > 5 ? 1.0f : 0.0f;
    if (lanes) {
        fill(place, colour);
        const auto room = static_cast<size_t>(std::max(0.0f, place.width / text_size(style.mono, "0").x));
        const std::string label = lane_list(lanes, std::max<size_t>(room, 1));
        const std::string name = run_name(scene.picture.trace(), line, word, count);
        const bool readable = label.size() <= room + 1 && place.height >= style.mono->FontSize * 0.9f;
        const float middle = place.y + (place.height - style.mono->FontSize) / 2;
        if (readable && !name.empty() && label.size() + name.size() + 3 <= room) {
            text(style.mono, {place.x + 2 * style.unit, middle}, ink_on(colour), label);
            text_right(style.mono, {place.right() - 2 * style.unit, middle}, ink_on(colour), name);
        } else if (readable) {
            text_centred(style.mono, place, ink_on(colour), label);
        }
    } else {
        fill(place, with_alpha(colour, 0.16f));
        hatch(place, with_alpha(colour, 0.55f), 1.5f * style.unit);
    }
    if (lanes >> scene.lane & 1) mark_selected(scene.context, place);
    else if (lanes & scene.peers) mark_hovered(scene.context, place);
}

void draw_line(Scene& scene, const WordRows& rows, float y, const Line& line) {
    const Style& style = scene.context.style;
    draw_empty_row(scene.context, rows, y);
    for (int sector = 0; sector < sectors_per_line; ++sector) {
        if (!line.touched(sector)) continue;
        const int first = sector * words_per_sector;
        for (int word = first; word < first + words_per_sector;) {
            const int count = run_length(line, word);
            draw_run(scene, rows, y, line, word, count);
            word += count;
        }
        if (rows.height > 8) {
            Rect frame = rows.words(y, first, words_per_sector);
            outline({frame.x - 1, frame.y - 1, frame.width + 1, frame.height + 1},
                    scene.shown.load() ? style.colour.load : style.colour.store);
        }
    }
    for (int word = 0; word < 32; ++word)
        if (hovered({rows.x(word), y, rows.cell, rows.height})) hover_word(scene, line, word);
}

// The share of the moved bytes that the warp asked for.
float used_share(const Scene& scene) {
    const int moved = scene.count.sectors * analysis::sector_bytes;
    return moved ? static_cast<float>(scene.count.bytes_used) / static_cast<float>(moved) : 0;
}

std::string share_words(const Scene& scene) {
    return say(scene.context, "sectors.share", scene.count.bytes_used, scene.count.sectors * analysis::sector_bytes,
               used_share(scene) * 100);
}

// Why more sectors are counted than are drawn.
std::string past_l1_words(const Scene& scene) {
    return say(scene.context, "sectors.past_l1", scene.count.sectors, scene.distinct);
}

void draw_share(Scene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    const float share = used_share(scene);
    const ImU32 colour = scene.shown.load() ? style.colour.load : style.colour.store;
    const Rect area = free_area();
    const std::string words = share_words(scene);
    const float used = text_cut(context, style.text, {area.x, area.y}, area.width, style.colour.dim, words);
    const Rect bar{area.x + used + 3 * style.unit, area.y + style.unit,
                   std::min(area.width - used - 3 * style.unit, 60 * style.unit),
                   style.text->FontSize - 2 * style.unit};
    if (bar.width > 8 * style.unit) {
        const Rect part{bar.x, bar.y, bar.width * share, bar.height};
        fill(bar, with_alpha(colour, 0.16f));
        hatch(bar, with_alpha(colour, 0.55f), 1.5f * style.unit);
        fill(part, colour);
    }
    ImGui::Dummy({area.width, style.text->FontSize + style.unit});
}

void draw_repeated(Scene& scene) {
    if (scene.count.sectors == scene.distinct) return;
    Context& context = scene.context;
    const Rect area = free_area();
    const std::string words = past_l1_words(scene);
    text_cut(context, context.style.text, {area.x, area.y}, area.width, context.style.colour.text, words);
    context.probe.mark("sectors.past_l1", area.x, area.y, area.width, context.style.text->FontSize);
    ImGui::Dummy({area.width, context.style.text->FontSize + context.style.unit});
}

// Where a test finds each lane's first word.
void mark_lanes(const Scene& scene, const WordRows& rows) {
    if (!scene.context.probe.on) return;
    for (size_t lane = 0; lane < trace::warp_size; ++lane) {
        if (!(scene.shown.active >> lane & 1)) continue;
        const uint64_t address = (*scene.shown.address)[lane];
        size_t line = 0;
        while (line + 1 < scene.lines.size() && scene.lines[line + 1].address <= address) ++line;
        const float y = rows.area.y + rows.header + static_cast<float>(line) * rows.height;
        const Rect place = rows.words(y, static_cast<int>(address / 4 % 32), 1);
        scene.context.probe.mark(fmt::format("sectors.lane.{}", lane), place.x, place.y, place.width, place.height);
    }
}

// Below them the list of all accesses, if wanted and there is room.
void draw_lines(Scene& scene, bool with_list) {
    Context& context = scene.context;
    const Style& style = context.style;
    const Rect area = free_area();
    const float header = style.mono->FontSize + style.unit;
    const float label = text_size(style.mono, "A+0x000000").x + 2 * style.unit;
    const auto count = static_cast<float>(scene.lines.size());
    const float high =
        std::max(style.mono->FontSize + 3 * style.unit, 0.8f * (area.width - label) / 34); // no higher than wide
    const float height = std::clamp(std::floor((area.height - header) / std::max(count, 1.0f)), 4.0f, high);
    const WordRows rows = word_rows(area, label, header, height, 2 * style.unit);
    text_right(style.text, {area.x + label - 2 * style.unit, area.y}, style.colour.dim, context.tr("sectors.axis"));
    for (int sector = 0; sector < sectors_per_line; ++sector) {
        Rect place = rows.words(area.y, sector * words_per_sector, words_per_sector);
        place.height = header;
        const std::string title = say(context, "sectors.sector", sector);
        const bool fits = text_size(style.text, title).x <= place.width;
        text_centred(style.text, place, style.colour.dim, fits ? title : std::to_string(sector));
    }
    float y = area.y + header, label_free = 0;
    for (const Line& line : scene.lines) {
        draw_line(scene, rows, y, line);
        if (y >= label_free) {
            const trace::Trace& trace = scene.picture.trace();
            const bool inside = analysis::buffer_at(trace, line.address) != nullptr;
            text_right(inside ? style.mono : style.text,
                       {area.x + label - 2 * style.unit, y + (height - style.mono->FontSize) / 2},
                       inside ? style.colour.dim : style.colour.alarm,
                       inside ? line_label(trace, line.address) : std::string(context.tr("sectors.outside")));
            label_free = y + std::max(height, style.mono->FontSize);
        }
        y += height;
    }
    mark_lanes(scene, rows);
    const float rest = y + 4 * style.unit;
    if (with_list)
        draw_access_list(context, scene.shown, trace::Space::global, {area.x, rest, area.width, area.bottom() - rest});
    ImGui::Dummy({area.width, header + count * height});
}

// Coalesced: as few sectors as the bytes fill; in part, where at least half of what is moved is used.
std::string headline(const Scene& scene) {
    const int moved = scene.count.sectors * analysis::sector_bytes;
    const char* key = scene.count.sectors > scene.count.ideal
                          ? (2 * scene.count.bytes_used >= moved ? "sectors.partly" : "sectors.uncoalesced")
                      : scene.count.sectors == 1 ? "sectors.coalesced_one"
                                                 : "sectors.coalesced";
    return say(scene.context, key, scene.count.sectors, scene.count.ideal, scene.lines.size());
}

Table table(const Scene& scene) {
    const Strings& tr = scene.context.tr;
    Table table{.notes = {headline(scene), share_words(scene)},
                .columns = table_columns(tr, {{"sectors.column_lane"},
                                              {"sectors.column_offset"},
                                              {"sectors.column_line"},
                                              {"sectors.column_sector"},
                                              {"sectors.column_element"}})};
    if (scene.count.sectors != scene.distinct) table.notes.push_back(past_l1_words(scene));
    const trace::Trace& trace = scene.picture.trace();
    for (size_t lane = 0; lane < trace::warp_size; ++lane) {
        if (!(scene.shown.active >> lane & 1)) continue;
        const uint64_t address = (*scene.shown.address)[lane];
        size_t line = 0;
        while (line < scene.lines.size() && scene.lines[line].address + analysis::line_bytes <= address) ++line;
        table.rows.push_back({std::to_string(lane), line_label(trace, address), std::to_string(line + 1),
                              std::to_string(address / analysis::sector_bytes % sectors_per_line),
                              element_at(scene, address)});
    }
    return table;
}

Scene scene_of(Context& context, const BlockPicture& picture, const AccessShown& shown) {
    Scene scene{context,
                picture,
                shown,
                analysis::sectors_of(*shown.instruction, shown.active, *shown.address),
                analysis::sectors(shown.instruction->bytes, shown.active, *shown.address).sectors,
                lines_of(shown),
                context.session.view().selection.lane};
    const session::Hover& hover = context.session.view().hover;
    if (hover.lane >= 0 && (hover.warp < 0 || hover.warp == shown.warp)) scene.peers = 1u << hover.lane;
    return scene;
}

} // namespace

std::string sector_headline(Context& context, const BlockPicture& picture, const AccessShown& shown) {
    return headline(scene_of(context, picture, shown));
}

void draw_sector_picture(Context& context, const BlockPicture& picture, const AccessShown& shown) {
    Scene scene = scene_of(context, picture, shown);
    draw_share(scene);
    draw_repeated(scene);
    draw_lines(scene, false);
}

void draw_sectors(Context& context) {
    if (!face(context, context.session.products().block)) return;
    const auto picture = shown_block(context);
    if (!picture) return sentence(context, context.tr("map.no_events"));
    const session::Selection& selection = context.session.view().selection;
    const auto shown = access_shown(*picture, selection, trace::Space::global);
    if (!shown) return sentence(context, context.tr("sectors.none"));

    Scene scene = scene_of(context, *picture, *shown);
    if (context.view.table) return draw_access_table(context, scene.shown, table(scene));
    draw_access_line(context, scene.shown, headline(scene));
    draw_share(scene);
    draw_repeated(scene);
    draw_lines(scene, true);
}

} // namespace ui
