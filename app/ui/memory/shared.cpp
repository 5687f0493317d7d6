#include "sim/shared_arrays.h"
#include "ui/draw/kept.h"
#include "ui/draw/text_table.h"
#include "ui/memory/digits_switch.h"
#include "ui/time/moments.h"
#include "ui/time/stepping.h"
#include "views/digits.h"

namespace ui {

namespace {

constexpr size_t row_words = 32;
constexpr size_t tip_room = 32; // characters of a value that stands alone: a word of bits

struct Scene { // of one frame
    Context& context;
    const BlockPicture& picture;
    const sim::BlockState& state;
    const std::vector<analysis::Origin>& origin;
    std::vector<sim::SharedArray> arrays; // as the source names them
    Earlier earlier{};
    std::vector<uint32_t> read,
        written;            // lanes of the step's access, per word; empty when it accesses no shared memory
    bool has_digits = true; // room for them
    bool two_lines = false; // in each row, because words have two elements
    size_t words() const { return state.shared.size() / 4; }
};

bool is_written(const sim::BlockState& state, size_t word) {
    const auto& bytes = state.shared_written;
    return word * 4 + 3 < bytes.size() && bytes[word * 4] && bytes[word * 4 + 1] && bytes[word * 4 + 2] &&
           bytes[word * 4 + 3];
}

bool is_written(const Scene& scene, size_t word) { return is_written(scene.state, word); }

bool is_in_flight(const Scene& scene, size_t word) {
    const auto& bytes = scene.state.shared_in_flight;
    return word * 4 < bytes.size() && bytes[word * 4];
}

uint32_t value_at(const sim::BlockState& state, size_t word) {
    uint32_t value = 0;
    for (size_t byte = 0; byte < 4; ++byte) value |= static_cast<uint32_t>(state.shared[word * 4 + byte]) << (8 * byte);
    return value;
}

uint32_t value_at(const Scene& scene, size_t word) { return value_at(scene.state, word); }

// By the array that the word was loaded from.
ValueType word_type(const Scene& scene, size_t word) {
    const int buffer = word < scene.origin.size() ? scene.origin[word].buffer : -1;
    if (buffer < 0) return ValueType::f32;
    const trace::Buffer& from = scene.picture.trace().buffers[static_cast<size_t>(buffer)];
    if (from.packing != base::Packing::none) return ValueType::bits;
    switch (from.element) {
    case base::NumberType::bf16: return ValueType::bf16_pair;
    case base::NumberType::f64: return ValueType::f64;
    default: return ValueType::f32;
    }
}

bool shows_bits(const Scene& scene, size_t word) {
    return scene.context.view.digits == session::Digits::natural && word_type(scene, word) == ValueType::bits;
}

// The word as `room` characters; half of a double as the whole.
std::string word_text(const Scene& scene, const sim::BlockState& state, size_t word, size_t room) {
    const ValueType type = word_type(scene, word);
    const session::Digits digits = scene.context.view.digits;
    if (type != ValueType::f64) return value_text(value_at(state, word), 32, type, digits, room);
    const uint64_t lower = value_at(state, word & ~size_t{1}), upper = value_at(state, word | 1);
    return value_text(upper << 32 | lower, 64, type, digits, room);
}

// Words of two elements?
bool has_halves(const Scene& scene) {
    for (size_t word = 0; word < scene.words(); ++word)
        if (word_type(scene, word) == ValueType::bf16_pair) return true;
    return false;
}

// Between the marked moment and the step. Without a marked one the accesses of the step say it.
bool has_changed(const Scene& scene, size_t word) {
    const sim::BlockState* old = scene.earlier.marked ? scene.earlier.state.get() : nullptr;
    if (!old || old->shared.size() != scene.state.shared.size()) return false;
    return is_written(*old, word) != is_written(scene, word) || value_at(*old, word) != value_at(scene, word);
}

// The lanes that touch each word at the step.
void note_access(Scene& scene, uint32_t number) {
    const trace::Trace& trace = scene.picture.trace();
    if (number >= trace.events.size()) return;
    const trace::Event& event = trace.events[number];
    const trace::Instruction& instruction = scene.picture.instruction(number);
    if (instruction.space != trace::Space::shared || event.access == trace::no_access) return;
    std::vector<uint32_t>& lanes = instruction.kind == trace::Kind::load ? scene.read : scene.written;
    lanes.assign(scene.words(), 0);
    const uint32_t accessing = analysis::accessing_lanes(instruction, event.active);
    for (size_t lane = 0; lane < trace::warp_size; ++lane) {
        if (!(accessing >> lane & 1)) continue;
        const uint64_t first = trace.accesses[event.access][lane] / 4;
        for (uint64_t word = first; word < first + std::max<uint64_t>(1, instruction.bytes / 4u) && word < lanes.size();
             ++word)
            lanes[word] |= 1u << lane;
    }
}

ImU32 origin_colour(const Scene& scene, size_t word) {
    const Palette& colour = scene.context.style.colour;
    if (word >= scene.origin.size()) return colour.c;
    const int buffer = scene.origin[word].buffer;
    return buffer < 0                  ? colour.c
           : buffer == scene.picture.a ? colour.a
           : buffer == scene.picture.b ? colour.b
                                       : colour.c;
}

// The source's array that holds the word; nullptr where none does.
const sim::SharedArray* array_at(const Scene& scene, size_t word) {
    const sim::SharedArray* found = nullptr;
    for (const sim::SharedArray& array : scene.arrays)
        if (word * 4 >= array.offset && (array.bytes == 0 || word * 4 < size_t{array.offset} + array.bytes))
            found = &array;
    return found;
}

// The name, where the array begins or the picture does.
std::string row_array(const Scene& scene, size_t row, bool first) {
    const size_t end = std::min((row + 1) * row_words, scene.words());
    if (first)
        if (const sim::SharedArray* array = array_at(scene, row * row_words)) return array->name;
    for (size_t word = row * row_words; word < end; ++word)
        if (const sim::SharedArray* array = array_at(scene, word); array && word == array->offset / 4)
            return array->name;
    return {};
}

float array_room(const Scene& scene) {
    float room = 0;
    for (const sim::SharedArray& array : scene.arrays)
        room = std::max(room, text_size(scene.context.style.mono, array.name).x);
    return std::min(room, 12 * text_size(scene.context.style.mono, "0").x) + 2 * scene.context.style.unit;
}

void hover_word(Scene& scene, size_t word) {
    Context& context = scene.context;
    const std::string name = origin_name(scene.picture.trace(), scene.origin, word);
    std::string words = name.empty() ? std::string() : name + "\n";
    if (const sim::SharedArray* array = array_at(scene, word))
        words += say(context, "shared.tip_array", array->name, word - array->offset / 4) + "\n";
    if (is_written(scene, word)) words += word_text(scene, scene.state, word, tip_room) + "\n";
    else
        words +=
            std::string(context.tr(is_in_flight(scene, word) ? "shared.tip_in_flight" : "shared.tip_unwritten")) + "\n";
    if (has_changed(scene, word))
        words += (is_written(*scene.earlier.state, word)
                      ? say(context, "moments.was", word_text(scene, *scene.earlier.state, word, tip_room))
                      : std::string(context.tr("moments.was_nothing"))) +
                 "\n";
    words += say(context, "shared.tip", fmt::format("0x{:04x}", word * 4), word % row_words);
    if (!scene.read.empty() && scene.read[word])
        words += "\n" + say(context, "shared.tip_lanes_read", lane_list(scene.read[word]));
    if (!scene.written.empty() && scene.written[word])
        words += "\n" + say(context, "shared.tip_lanes_written", lane_list(scene.written[word]));
    tooltip(context, words);
    context.view.hover.bank = static_cast<int>(word % row_words);
    if (word < scene.origin.size() && scene.origin[word].buffer >= 0) {
        context.view.hover.array = scene.picture.trace().buffers[static_cast<size_t>(scene.origin[word].buffer)].name;
        context.view.hover.row = scene.origin[word].row;
        context.view.hover.column = scene.origin[word].column;
    }
}

ImU32 bit_colour(const Style& style) { return with_alpha(style.colour.text, 0.6f); }

// The bits of a word where its digits find no room: eight in a line, the first element first, a square for
// each -1.
void draw_bits(const Scene& scene, const Rect& place, uint32_t word) {
    constexpr int across = 8, down = 4;
    const float width = std::floor(place.width / across), height = std::floor(place.height / down);
    if (width < 2 || height < 2) return; // a square and what keeps it from the next one
    const ImVec2 at{std::round(place.x + (place.width - across * width) / 2),
                    std::round(place.y + (place.height - down * height) / 2)};
    const float gap = std::min(1.0f, width - 1);
    for (int bit = 0; bit < across * down; ++bit) {
        const float x = at.x + static_cast<float>(bit % across) * width,
                    y = at.y + static_cast<float>(bit / across) * height;
        if (word >> bit & 1) fill({x, y, width - gap, height - gap}, bit_colour(scene.context.style));
    }
}

// The lower one above the middle of the right edge, the upper one below.
void draw_halves(const Context& context, ImVec2 middle, uint32_t word, size_t room) {
    const Style& style = context.style;
    for (const bool upper : {false, true})
        text_right(style.mono, {middle.x, upper ? middle.y : middle.y - style.mono->FontSize}, style.colour.text,
                   half_text(word, upper, context.view.digits, room));
}

void draw_word(Scene& scene, const WordRows& rows, float y, size_t word) {
    Context& context = scene.context;
    const Style& style = context.style;
    const float inset = rows.cell > 6 ? 1.0f : 0.0f;
    const Rect place{rows.x(static_cast<int>(word % row_words)), y, rows.cell - inset, rows.height - 1};
    // A double is one number in one frame, drawn with the second of its words.
    const bool is_double = word_type(scene, word) == ValueType::f64, is_first_half = is_double && word % 2 == 0;
    const Rect whole = is_double ? Rect{place.x - rows.cell, y, place.width + rows.cell, place.height} : place;
    const ImU32 colour = origin_colour(scene, word);
    if (is_written(scene, word)) {
        fill(place, with_alpha(colour, 0.30f));
        const auto room = static_cast<size_t>(std::max(0.0f, (whole.width - 2) / text_size(style.mono, "0").x));
        const bool has_text = room >= 4 && !is_first_half && (!is_double || is_written(scene, word - 1));
        const bool has_lines = scene.two_lines && word_type(scene, word) == ValueType::bf16_pair;
        const std::string value = has_text && !has_lines ? word_text(scene, scene.state, word, room) : std::string();
        if (has_lines) draw_halves(context, {place.right() - 2, y + rows.height / 2}, value_at(scene, word), room);
        else if (!value.empty())
            text_right(style.mono, {place.right() - 2, y + (rows.height - style.mono->FontSize) / 2}, style.colour.text,
                       value);
        else if (shows_bits(scene, word)) draw_bits(scene, place, value_at(scene, word));
    } else {
        if (is_in_flight(scene, word)) fill(place, with_alpha(colour, 0.30f));
        hatch(place, with_alpha(style.colour.dim, 0.45f), 1.5f * style.unit);
    }
    if (has_changed(scene, word)) fill({place.x, place.bottom() - 2, place.width, 2}, style.colour.store);
    const uint32_t reads = scene.read.empty() ? 0 : scene.read[word],
                   writes = scene.written.empty() ? 0 : scene.written[word];
    if (reads | writes) {
        if (place.width < 3 * style.unit) fill(place, with_alpha(reads ? style.colour.load : style.colour.store, 0.7f));
        if (!is_first_half) outline(whole, reads ? style.colour.load : style.colour.store, 2);
    }
    const session::Hover& hover = context.session.view().hover;
    const bool selected = (reads | writes) >> context.session.view().selection.lane & 1;
    if (selected && !is_first_half) mark_selected(context, whole);
    else if (!is_first_half && word < scene.origin.size() &&
             is_hovered_word(scene.picture.trace(), scene.origin[word], hover))
        mark_hovered(context, whole);
    if (hovered(place)) hover_word(scene, word);
}

// Brings the first word of the step's access into view when the step changes.
void follow_step(const Scene& scene, uint32_t event, float row_height) {
    Kept<int> last("step", -1);
    if (last == static_cast<int>(event)) return;
    last = static_cast<int>(event);
    const std::vector<uint32_t>& lanes = scene.read.empty() ? scene.written : scene.read;
    const auto word = std::find_if(lanes.begin(), lanes.end(), [](uint32_t mask) { return mask != 0; }) - lanes.begin();
    if (word == static_cast<std::ptrdiff_t>(lanes.size())) return;
    const float y = static_cast<float>(word / static_cast<std::ptrdiff_t>(row_words)) * row_height;
    const float top = ImGui::GetScrollY(), height = ImGui::GetWindowHeight();
    if (y < top || y + 2 * row_height > top + height) ImGui::SetScrollY(std::max(0.0f, y - row_height));
}

// "B[8][0..31]", and whether the words have these elements in another order.
void draw_row_origin(const Scene& scene, ImVec2 at, float width, size_t row) {
    Context& context = scene.context;
    const Style& style = context.style;
    const auto [name, is_permuted] =
        words_name(scene.picture.trace(), scene.origin, row * row_words, (row + 1) * row_words);
    text_cut(context, style.mono, at, width, style.colour.text, is_permuted ? name + " \u2194" : name);
    if (is_permuted && hovered({at.x, at.y, width, style.mono->FontSize}))
        tooltip(context, say(context, "shared.tip_permuted", name));
}

// Beside the words: right edges of the array's name and of the address, and the width of what the words are of. 0: no room.
struct Labels {
    float names = 0, address = 0, origin = 0;
};

Labels labels_of(const Scene& scene, float width) {
    const Style& style = scene.context.style;
    Labels labels;
    if (width > 100 * style.unit) labels.names = array_room(scene);
    labels.address = labels.names + text_size(style.mono, "0x00000").x + 2 * style.unit;
    if (width > 150 * style.unit) labels.origin = text_size(style.mono, "A[000..000][00] ...").x + 2 * style.unit;
    return labels;
}

WordRows rows_of(const Scene& scene, const Rect& area) {
    const Style& style = scene.context.style;
    const Labels labels = labels_of(scene, area.width);
    const float line = style.mono->FontSize, height = (scene.two_lines ? 2 : 1) * line + style.unit;
    return word_rows({area.x, area.y, area.width - ImGui::GetStyle().ScrollbarSize, area.height},
                     labels.address + labels.origin, line + style.unit, height, 0);
}

// Are words as wide as numbers need?
bool has_room_for_digits(const Scene& scene) {
    return rows_of(scene, free_area()).cell > text_size(scene.context.style.mono, "0000").x + 3;
}

void draw_rows(Scene& scene, uint32_t event) {
    Context& context = scene.context;
    const Style& style = context.style;
    const Rect area = free_area();
    const auto [names, address, origin] = labels_of(scene, area.width);
    const WordRows rows = rows_of(scene, area);
    const float header = rows.header, height = rows.height;
    draw_word_header(context, rows, context.tr("banks.axis"), context.session.view().hover.bank);

    ImGui::SetCursorScreenPos({area.x, area.y + header});
    ImGui::BeginChild("words", {area.width, std::max(area.height - header, 1.0f)});
    const size_t count = (scene.words() + row_words - 1) / row_words;
    follow_step(scene, event, height);
    const ImVec2 origin_at = ImGui::GetCursorScreenPos();
    const auto first = static_cast<size_t>(std::max(0.0f, ImGui::GetScrollY() / height));
    const auto last = std::min(count, first + static_cast<size_t>(ImGui::GetWindowHeight() / height) + 2);
    for (size_t row = first; row < last; ++row) {
        const float y = origin_at.y + static_cast<float>(row) * height;
        const float line = y + (height - style.mono->FontSize) / 2;
        if (names > 0)
            text_cut(context, style.mono, {area.x, line}, names - style.unit, style.colour.text,
                     row_array(scene, row, row == first));
        text_right(style.mono, {area.x + address - 2 * style.unit, line}, style.colour.dim,
                   fmt::format("0x{:04x}", row * row_words * 4));
        if (origin > 0) draw_row_origin(scene, {area.x + address, line}, origin - style.unit, row);
        for (size_t word = row * row_words; word < std::min((row + 1) * row_words, scene.words()); ++word)
            draw_word(scene, rows, y, word);
    }
    ImGui::Dummy({1, static_cast<float>(count) * height});
    ImGui::EndChild();
    context.probe.mark("shared.words", area.x, area.y + header, area.width, area.height - header);
}

template <class Is>
size_t count_words(const Scene& scene, const Is& is) {
    size_t count = 0;
    for (size_t word = 0; word < scene.words(); ++word) count += is(word);
    return count;
}

std::string headline(const Scene& scene, uint32_t event) {
    const size_t written = count_words(scene, [&](size_t word) { return is_written(scene, word); });
    return say(scene.context, "shared.headline", thousands(scene.state.shared.size()), thousands(written),
               thousands(scene.words()), scene.picture.trace().events[event].warp, scene.picture.step(event));
}

// What the colours mean, and the switch of the digits.
void draw_first_line(Scene& scene, uint32_t event) {
    Context& context = scene.context;
    const Style& style = context.style;
    const Rect area = free_area();
    const size_t written = count_words(scene, [&](size_t word) { return is_written(scene, word); }),
                 in_flight = count_words(scene, [&](size_t word) { return is_in_flight(scene, word); });
    const std::string words = headline(scene, event);
    if (context.chrome.headline.empty()) context.chrome.headline = words;
    float x = area.x + text_cut(context, style.heading, {area.x, area.y}, area.width, style.colour.text, words) +
              6 * style.unit;
    const auto entry = [&](auto&& swatch, const std::string& label) {
        const float width = 4 * style.unit + text_size(style.text, label).x + 4 * style.unit;
        if (x + width > area.right()) return;
        swatch(Rect{x, area.y + style.unit / 2, 3 * style.unit, style.text->FontSize - style.unit});
        text(style.text, {x + 4 * style.unit, area.y}, style.colour.text, label);
        x += width;
    };
    if (scene.picture.a >= 0)
        entry([&](const Rect& r) { fill(r, with_alpha(style.colour.a, 0.5f)); }, say(context, "shared.of_array", "A"));
    if (scene.picture.b >= 0)
        entry([&](const Rect& r) { fill(r, with_alpha(style.colour.b, 0.5f)); }, say(context, "shared.of_array", "B"));
    if (has_packed_operands(scene.picture.trace()))
        entry(
            [&](const Rect& r) {
                fill({r.right() - r.height, r.y, r.height, r.height}, bit_colour(style));
            },
            context.tr("shared.bits"));
    if (scene.two_lines)
        entry(
            [&](const Rect& r) {
                const float line = (r.height - style.unit / 2) / 2;
                fill({r.x, r.y, r.width, line}, style.colour.text);
                fill({r.x, r.bottom() - line, r.width, line}, style.colour.dim);
            },
            context.tr("shared.halves"));
    if (!scene.read.empty())
        entry([&](const Rect& r) { outline(r, style.colour.load, 2); }, context.tr("shared.read_now"));
    if (!scene.written.empty())
        entry([&](const Rect& r) { outline(r, style.colour.store, 2); }, context.tr("shared.written_now"));
    if (in_flight > 0)
        entry(
            [&](const Rect& r) {
                fill(r, with_alpha(style.colour.c, 0.3f));
                hatch(r, style.colour.dim, 1.5f * style.unit);
            },
            context.tr("shared.in_flight"));
    if (written + in_flight < scene.words())
        entry([&](const Rect& r) { hatch(r, style.colour.dim, 1.5f * style.unit); }, context.tr("shared.unwritten"));
    const std::string_view narrow = context.tr("shared.narrow");
    if (!scene.has_digits && x + text_size(style.text, narrow).x <= area.right()) {
        text(style.text, {x, area.y}, style.colour.dim, narrow);
        x += text_size(style.text, narrow).x + 4 * style.unit;
    }
    digits_switch(context, x, area.right(), area.y);
    ImGui::Dummy({area.width, style.heading->FontSize + style.unit});
}

std::string changed_words(const Scene& scene) {
    size_t changed = 0;
    for (size_t word = 0; word < scene.words(); ++word) changed += has_changed(scene, word);
    return say(scene.context, "moments.words", changed);
}

std::string array_word(const Scene& scene, size_t word) {
    for (const sim::SharedArray& one : scene.arrays)
        if (word * 4 >= one.offset && word * 4 < one.offset + one.bytes)
            return fmt::format("{}[{}]", one.name, (word * 4 - one.offset) / 4);
    return {};
}

// What the event does to the word, in words.
std::string now_words(const Scene& scene, size_t word) {
    const Context& context = scene.context;
    std::string words;
    const auto add = [&](const std::string& said) { words += (words.empty() ? "" : ", ") + said; };
    if (!scene.read.empty() && scene.read[word]) add(say(context, "shared.read_by", lane_list(scene.read[word])));
    if (!scene.written.empty() && scene.written[word])
        add(say(context, "shared.written_by", lane_list(scene.written[word])));
    if (has_changed(scene, word)) add(context.tr("shared.changed"));
    return words;
}

// Those that columns are measured by: what the event touches, the last word of each array, and some of the many that are alike.
std::vector<size_t> measured_words(const Scene& scene) {
    return sampled_rows(scene.words(), [&](size_t word) {
        const bool touched =
            (!scene.read.empty() && scene.read[word]) || (!scene.written.empty() && scene.written[word]);
        const bool ends = std::any_of(scene.arrays.begin(), scene.arrays.end(), [&](const sim::SharedArray& one) {
            return word * 4 + 4 == one.offset + one.bytes;
        });
        return touched || ends || word + 1 == scene.words();
    });
}

LongTable table(const Scene& scene, uint32_t event) {
    const Context& context = scene.context;
    LongTable table;
    table.head = {.notes = {headline(scene, event)},
                  .columns = table_columns(context.tr, {{"shared.column_offset"},
                                                        {"banks.column_banks"},
                                                        {"shared.column_array"},
                                                        {"shared.column_value"},
                                                        {"shared.column_origin"},
                                                        {"shared.column_now"}})};
    if (scene.earlier.marked) table.head.notes.push_back(changed_words(scene));
    table.count = scene.words();
    table.widest = measured_words(scene);
    table.row = [&scene](size_t word) -> std::vector<std::string> {
        const char* none = is_in_flight(scene, word) ? scene.context.tr("shared.in_flight") : "-";
        return {fmt::format("0x{:04x}", word * 4),
                std::to_string(word % row_words),
                array_word(scene, word),
                is_written(scene, word) ? word_text(scene, scene.state, word, tip_room) : none,
                origin_name(scene.picture.trace(), scene.origin, word),
                now_words(scene, word)};
    };
    return table;
}

std::vector<sim::SharedArray> arrays_of(const session::Products& products) {
    return products.prepared.value ? sim::shared_arrays(*products.prepared.value->program)
                                   : std::vector<sim::SharedArray>();
}

} // namespace

void draw_shared(Context& context) {
    const session::Products& products = context.session.products();
    if (!face(context, products.block)) return;
    if (products.block.value->trace.shared_bytes == 0) return sentence(context, context.tr("shared.none"));
    if (!face(context, products.state)) return;
    const auto picture = shown_block(context);
    if (!picture) return sentence(context, context.tr("map.no_events"));
    const uint32_t last =
        picture->trace().events.empty() ? 0 : static_cast<uint32_t>(picture->trace().events.size() - 1);
    const uint32_t event = std::min(context.session.view().selection.event, last);
    Scene scene{context,
                *picture,
                *products.state.value,
                context.pictures.origin(*picture, event),
                arrays_of(products),
                earlier_contents(context),
                {},
                {}};
    note_access(scene, event);
    if (context.view.table) return draw_table(context, table(scene, event));
    scene.has_digits = has_room_for_digits(scene);
    scene.two_lines = scene.has_digits && has_halves(scene);
    draw_first_line(scene, event);
    if (scene.earlier.marked) draw_moment_line(context, *picture, scene.earlier, changed_words(scene));
    draw_rows(scene, event);
}

} // namespace ui
