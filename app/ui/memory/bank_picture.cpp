#include "ui/memory/bank_picture.h"

#include "ui/time/stepping.h"

#include <bit>

namespace ui {

namespace {

ImU32 degree_colour(const Style& style, int degree) {
    const int step = std::clamp(static_cast<int>(std::lround(std::log2(std::max(degree, 1)) / 5 * 8)), 0, 8);
    return style.colour.ramp[step];
}

// Element names of a box: "A[12][3..6]".
std::string box_name(const BankScene& scene, const WordBox& box) {
    return words_name(scene.picture.trace(), scene.origin, box.word, box.word + static_cast<size_t>(box.words)).name;
}

// Does the box hold the element that the mouse is over in another view?
bool holds_hovered(const BankScene& scene, const WordBox& box) {
    const session::Hover& hover = scene.context.session.view().hover;
    if (hover.array.empty()) return false;
    for (uint64_t word = box.word; word < box.word + static_cast<uint64_t>(box.words) && word < scene.origin.size();
         ++word)
        if (is_hovered_word(scene.picture.trace(), scene.origin[word], hover)) return true;
    return false;
}

void hover_box(BankScene& scene, const WordBox& box, int word) {
    Context& context = scene.context;
    const uint64_t at = box.word + static_cast<uint64_t>(word);
    session::Hover& hover = context.view.hover;
    hover.warp = scene.shown.warp;
    hover.lane = std::countr_zero(box.lanes);
    hover.bank = static_cast<int>(at % 32);
    if (at < scene.origin.size() && scene.origin[at].buffer >= 0) {
        hover.array = scene.picture.trace().buffers[static_cast<size_t>(scene.origin[at].buffer)].name;
        hover.row = scene.origin[at].row, hover.column = scene.origin[at].column;
    }
    const std::string name = origin_name(scene.picture.trace(), scene.origin, at);
    std::string words = say(context, "banks.tip", lane_list(box.lanes), fmt::format("0x{:04x}", at * 4), at % 32,
                            static_cast<int>(box.degree[static_cast<size_t>(word)]));
    if (!name.empty()) words = name + "\n" + words;
    if (std::popcount(box.lanes) > 1) words += "\n" + say(context, "banks.tip_broadcast", std::popcount(box.lanes));
    tooltip(context, words);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) select_lane(context, hover.lane);
}

// Where the lanes of all boxes are written, so that one picture has one way: in the boxes; beside them, with the elements; or in the
// boxes how many there are.
enum class Labels { inside, beside, counts };

float label_room(const WordRows& rows, const WordBox& box) {
    return rows.words(0, box.bank(), box.words).width - (rows.cell > 6 ? 1.0f : 0.0f) - 2;
}

std::string label_beside(const BankScene& scene, const WordBox& box) {
    return fmt::format("{} {}", lane_list(box.lanes, 24), box_name(scene, box));
}

Labels labels_of(const BankScene& scene, const WordRows& rows) {
    const Style& style = scene.context.style;
    const float digit = text_size(style.mono, "0").x;
    bool inside = true, beside = true;
    for (const BankRow& row : scene.words.rows)
        for (size_t i = 0; i < row.boxes.size(); ++i) {
            const WordBox& box = row.boxes[i];
            const float end = i + 1 < row.boxes.size() ? rows.x(row.boxes[i + 1].bank()) : rows.right();
            const float free = end - rows.x(box.bank() + box.words - 1) - rows.cell;
            const auto width = [&](const std::string& words) { return static_cast<float>(words.size()) * digit; };
            inside = inside && width(lane_list(box.lanes, 128)) <= label_room(rows, box) + digit / 2;
            beside = beside && width(label_beside(scene, box)) + 2 * style.unit <= free;
        }
    return inside ? Labels::inside : beside ? Labels::beside : Labels::counts;
}

// Lanes and element names. Dropped where there is no room, never shrunk.
void draw_box_text(const BankScene& scene, const WordBox& box, const Rect& place, Labels labels) {
    const Style& style = scene.context.style;
    if (place.height < style.mono->FontSize * 0.95f) return;
    const float digit = text_size(style.mono, "0").x;
    const float middle = place.y + (place.height - style.mono->FontSize) / 2;
    if (labels == Labels::beside)
        return text(style.mono, {place.right() + style.unit, middle}, style.colour.text, label_beside(scene, box));
    const auto room = static_cast<size_t>(std::max(0.0f, (place.width - 2) / digit));
    const std::string label = lane_list(box.lanes, labels == Labels::counts ? 0 : 128), name = box_name(scene, box);
    if (label.size() > room + 1) return; // "×" counts two
    const ImU32 ink = ink_on(degree_colour(style, box.degree[0]));
    if (!name.empty() && name.size() <= room && place.height >= 2 * style.mono->FontSize) { // one below the other
        const float half = place.height / 2, line = style.mono->FontSize;
        text_centred(style.mono, {place.x, place.y + half - line, place.width, line}, ink, label);
        text_centred(style.mono, {place.x, place.y + half, place.width, line}, ink, name);
        return;
    }
    if (name.empty() || label.size() + name.size() + 2 > room) {
        text_centred(style.mono, place, ink, label);
        return;
    }
    text(style.mono, {place.x + style.unit, middle}, ink, label);
    text_right(style.mono, {place.right() - style.unit, middle}, ink, name);
}

void draw_box(BankScene& scene, const WordRows& rows, float y, const WordBox& box, Labels labels) {
    const Style& style = scene.context.style;
    const float inset = rows.cell > 6 ? 1.0f : 0.0f, lower = rows.height > 5 ? 1.0f : 0.0f;
    for (int i = 0; i < box.words;) { // words of one degree in one piece
        int last = i;
        while (last + 1 < box.words && box.degree[static_cast<size_t>(last + 1)] == box.degree[static_cast<size_t>(i)])
            ++last;
        Rect place = rows.words(y, box.bank() + i, last - i + 1);
        fill({place.x, place.y, place.width - inset, place.height - lower},
             degree_colour(style, box.degree[static_cast<size_t>(i)]));
        i = last + 1;
    }
    Rect place = rows.words(y, box.bank(), box.words);
    place.width -= inset, place.height -= lower;
    draw_box_text(scene, box, place, labels);
    if (box.lanes >> scene.lane & 1) mark_selected(scene.context, place);
    else if (box.lanes & scene.peers || holds_hovered(scene, box)) mark_hovered(scene.context, place);
    if (hovered(place)) {
        const float x = ImGui::GetIO().MousePos.x - place.x;
        const int word =
            std::clamp(static_cast<int>(x / place.width * static_cast<float>(box.words)), 0, box.words - 1);
        hover_box(scene, box, word);
    }
}

float phase_room(const BankScene& scene) {
    if (scene.words.count.phases.size() < 2) return 0;
    return text_size(scene.context.style.text, say(scene.context, "banks.phase", 4)).x + 2 * scene.context.style.unit;
}

// Of the labels left of the words, with addresses.
float address_room(const BankScene& scene) {
    return phase_room(scene) + text_size(scene.context.style.mono, "0x00000").x + 2 * scene.context.style.unit - 1;
}

// In the middle of the phase's rows, which begin at `y`; left out where these are too low for it.
void draw_phase_label(const BankScene& scene, const WordRows& rows, float y, int phase) {
    const Style& style = scene.context.style;
    const auto lines = std::count_if(scene.words.rows.begin(), scene.words.rows.end(),
                                     [&](const BankRow& row) { return row.phase == phase; });
    const float height = static_cast<float>(lines) * rows.height;
    if (scene.words.count.phases.size() < 2 || height < 0.8f * style.text->FontSize) return;
    const float shown =
        rows.height >= style.text->FontSize ? rows.height : height; // beside its first row, or all of its thin ones
    const std::string words = say(scene.context, "banks.phase", phase + 1);
    const Rect place{rows.area.x, y + (shown - style.text->FontSize) / 2, text_size(style.text, words).x,
                     style.text->FontSize};
    text(style.text, {place.x, place.y}, style.colour.dim, words);
    if (hovered(place)) tooltip(scene.context, scene.context.tr("banks.phase_tip"));
}

// The words on the 32 banks, one line per row of shared memory and phase.
void draw_words(BankScene& scene, const WordRows& rows) {
    const Style& style = scene.context.style;
    draw_word_header(scene.context, rows, scene.context.tr("banks.axis"), scene.hovered_bank);
    const Labels labels = labels_of(scene, rows);
    float y = rows.area.y + rows.header;
    int phase = -1;
    for (const BankRow& row : scene.words.rows) {
        const bool new_phase = row.phase != phase;
        if (new_phase && phase >= 0) {
            fill({rows.area.x, y, rows.right() - rows.area.x, 1}, style.colour.dim);
            y += style.unit / 2 + 1;
        }
        phase = row.phase;
        draw_empty_row(scene.context, rows, y);
        for (const WordBox& box : row.boxes) draw_box(scene, rows, y, box, labels);
        if (new_phase) draw_phase_label(scene, rows, y, row.phase);
        if (rows.label > address_room(scene) && rows.height >= 0.8f * style.mono->FontSize)
            text_right(style.mono,
                       {rows.area.x + rows.label - 2 * style.unit, y + (rows.height - style.mono->FontSize) / 2},
                       style.colour.dim, fmt::format("0x{:04x}", row.row * 128));
        y += rows.height;
    }
    if (scene.hovered_bank >= 0)
        outline({rows.x(scene.hovered_bank) - 1, rows.area.y + rows.header - 1, rows.cell + 1,
                 y - rows.area.y - rows.header + 1},
                with_alpha(style.colour.selection, 0.5f));
}

// One lane of one wavefront.
void draw_served(BankScene& scene, const WordRows& rows, float y, int lane, uint32_t served) {
    Context& context = scene.context;
    const Style& style = context.style;
    const ImU32 colour = scene.shown.load() ? style.colour.load : style.colour.store;
    const float inset = rows.cell > 6 ? 1.0f : 0.0f, lower = rows.height > 5 ? 1.0f : 0.0f;
    const Rect place{rows.x(lane), y, rows.cell - inset, rows.height - lower};
    const bool here = served >> lane & 1;
    if (here) fill(place, colour);
    else if (inset > 0) fill(place, with_alpha(style.colour.line, 0.45f));
    if (here && place.height >= style.mono->FontSize * 0.9f &&
        place.width >= text_size(style.mono, "00").x + style.unit / 2)
        text_centred(style.mono, place, ink_on(colour), std::to_string(lane));
    if (here && lane == scene.lane) mark_selected(context, place);
    else if (here && scene.peers >> lane & 1) mark_hovered(context, place);
    if (!hovered(place)) return;
    context.view.hover.warp = scene.shown.warp;
    context.view.hover.lane = lane;
    const bool accesses = scene.shown.active >> lane & 1,
               executes = scene.picture.trace().events[scene.shown.event].active >> lane & 1;
    tooltip(context, say(context,
                         here       ? "banks.tip_served"
                         : accesses ? "banks.tip_waits"
                         : executes ? "banks.tip_no_row"
                                    : "banks.tip_inactive",
                         lane, lane_list(served)));
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) select_lane(context, lane);
}

// "wavefront 3", or where the lines are too thin for words, "wavefronts 1 - 8" once for the group.
void draw_wavefront_labels(const BankScene& scene, const WordRows& rows, float y, int first, int count) {
    const Style& style = scene.context.style;
    const float right = rows.area.x + rows.label - 2 * style.unit, line = style.text->FontSize;
    if (rows.height >= 0.8f * line) {
        for (int i = 0; i < count; ++i)
            text_right(style.text, {right, y + (static_cast<float>(i) + 0.5f) * rows.height - line / 2},
                       style.colour.dim, say(scene.context, "banks.wavefront", first + i));
    } else if (static_cast<float>(count) * rows.height >= 0.8f * line) {
        text_right(style.text, {right, y + (static_cast<float>(count) * rows.height - line) / 2}, style.colour.dim,
                   count == 1 ? say(scene.context, "banks.wavefront", first)
                              : say(scene.context, "banks.wavefronts", first, first + count - 1));
    }
}

// One line per wavefront: the lanes that the hardware serves at once.
void draw_strip(BankScene& scene, const WordRows& rows) {
    Context& context = scene.context;
    const Style& style = context.style;
    draw_word_header(context, rows, context.tr("banks.lanes"), context.session.view().hover.lane, "L");
    for (int lane = 0; lane < 32; ++lane) {
        const Rect column{rows.x(lane), rows.area.y, rows.cell, rows.area.height};
        context.probe.mark(fmt::format("banks.lane.{}", lane), column.x, column.y + rows.header, column.width,
                           rows.height);
    }
    float y = rows.area.y + rows.header;
    int number = 1;
    for (const analysis::Phase& group : scene.words.count.phases) {
        if (number > 1) {
            fill({rows.area.x, y, rows.right() - rows.area.x, 1}, style.colour.dim);
            y += style.unit / 2 + 1;
        }
        const auto count = static_cast<int>(group.served.size());
        draw_wavefront_labels(scene, rows, y, number, count);
        number += count;
        for (const uint32_t served : group.served) {
            for (int lane = 0; lane < 32; ++lane) draw_served(scene, rows, y, lane, served);
            y += rows.height;
        }
    }
}

// What the layout needs to know, in pixels.
struct Measures {
    float header, gaps, between; // line of numbers; thin rules between phases, of each half; words to wavefronts
    float word_lines, strip_lines;
    float label, strip_label;
    float stacked() const { return 2 * header + 2 * gaps + between; } // all but the rows
};

Measures measure(const BankScene& scene, float width) {
    const Style& style = scene.context.style;
    const auto phases = static_cast<float>(scene.words.count.phases.size());
    Measures sizes{};
    sizes.header = style.mono->FontSize + style.unit;
    sizes.gaps = (phases - 1) * (style.unit / 2 + 1);
    sizes.between = 3 * style.unit;
    sizes.word_lines = static_cast<float>(scene.words.rows.size());
    sizes.strip_lines = static_cast<float>(scene.words.count.wavefronts);
    sizes.strip_label = text_size(style.text, say(scene.context, "banks.wavefronts", 10, 32)).x + 3 * style.unit;
    const bool addresses = width > 40 * style.text->FontSize;
    sizes.label = std::max(addresses ? address_room(scene) + 2 : phase_room(scene), sizes.strip_label);
    return sizes;
}

float draw_stacked(BankScene& scene, const Rect& area, const Measures& sizes, float row) {
    const Style& style = scene.context.style;
    const float line = style.mono->FontSize;
    WordRows strip = word_rows(area, sizes.label, sizes.header, 0, 0);
    strip.height =
        std::clamp(row, 3.0f, std::max(line + 3 * style.unit, strip.cell)); // no higher than wide, or than its number
    WordRows words = strip;                                                 // the same columns
    const float spare = area.height - sizes.stacked() - sizes.strip_lines * strip.height;
    words.height =
        std::clamp(std::floor(spare / sizes.word_lines), 3.0f, std::max(2 * line + 5 * style.unit, 1.5f * words.cell));
    words.area.height = sizes.header + sizes.word_lines * words.height + sizes.gaps;
    draw_words(scene, words);
    strip.area.y = words.area.bottom() + sizes.between;
    strip.area.height = sizes.header + sizes.strip_lines * strip.height + sizes.gaps;
    draw_strip(scene, strip);
    return strip.area.bottom();
}

float draw_side_by_side(BankScene& scene, const Rect& area, const Measures& sizes) {
    const Style& style = scene.context.style;
    const float split = std::floor(area.width * 0.6f);
    const auto fit = [&](float lines) {
        return std::clamp(std::floor((area.height - sizes.header - sizes.gaps) / std::max(lines, 1.0f)), 3.0f,
                          style.mono->FontSize + 3 * style.unit);
    };
    WordRows words = word_rows({area.x, area.y, split - 3 * style.unit, area.height}, sizes.label, sizes.header,
                               fit(sizes.word_lines), 0);
    draw_words(scene, words);
    WordRows strip = word_rows({area.x + split, area.y, area.width - split, area.height}, sizes.strip_label,
                               sizes.header, fit(sizes.strip_lines), 0);
    draw_strip(scene, strip);
    return area.y + sizes.header + sizes.gaps +
           std::max(sizes.word_lines * words.height, sizes.strip_lines * strip.height);
}

} // namespace

BankScene bank_scene(Context& context, const BlockPicture& picture, const AccessShown& shown, const std::string& arch) {
    const session::Hover& hover = context.session.view().hover;
    BankScene scene{
        context,
        picture,
        shown,
        bank_words(analysis::wavefronts(analysis::bank_rule(arch), *shown.instruction, shown.active, *shown.address),
                   shown.instruction->bytes, *shown.address),
        context.pictures.origin(picture, shown.event),
        context.session.view().selection.lane,
        0,
        hover.bank};
    if (hover.lane >= 0 && (hover.warp < 0 || hover.warp == shown.warp)) scene.peers = 1u << hover.lane;
    return scene;
}

std::string bank_headline(const BankScene& scene) {
    const analysis::Wavefronts& count = scene.words.count;
    const char* key = scene.words.worst > 1   ? "banks.conflict"
                      : count.wavefronts == 1 ? "banks.no_conflict_one"
                                              : "banks.no_conflict";
    return say(scene.context, key, count.wavefronts, count.ideal, scene.words.worst);
}

float bank_picture_height(const BankScene& scene, float row) {
    const Measures sizes = measure(scene, 0);
    return sizes.stacked() + (sizes.word_lines + sizes.strip_lines) * row;
}

float draw_bank_picture(BankScene& scene, const Rect& area, BankLayout layout) {
    const Style& style = scene.context.style;
    const Measures sizes = measure(scene, area.width);
    const float row = std::floor((area.height - sizes.stacked()) / (sizes.word_lines + sizes.strip_lines));
    const bool stacked =
        layout == BankLayout::stacked || row >= style.mono->FontSize + 2 || area.width < 150 * style.unit;
    return stacked ? draw_stacked(scene, area, sizes, row) : draw_side_by_side(scene, area, sizes);
}

void draw_bank_legend(const BankScene& scene, const Rect& line, float left) {
    Context& context = scene.context;
    const Style& style = context.style;
    const std::string title = context.tr("banks.legend");
    const float swatch = text_size(style.mono, "00").x + style.unit;
    const float width = text_size(style.text, title).x + 2 * style.unit + 6 * swatch;
    if (line.right() - width < left) return;
    float x = line.right() - width;
    text(style.text, {x, line.y}, style.colour.dim, title);
    x = line.right() - 6 * swatch;
    for (int degree = 1; degree <= 32; degree *= 2, x += swatch) {
        const Rect place{x, line.y, swatch - 1, line.height};
        fill(place, degree_colour(style, degree));
        text_centred(style.mono, place, ink_on(degree_colour(style, degree)), std::to_string(degree));
    }
}

} // namespace ui
