#include "ui/draw/text_table.h"
#include "ui/memory/digits_switch.h"
#include "ui/time/moments.h"
#include "ui/time/stepping.h"
#include "views/digits.h"
#include "views/opcode.h"
#include "views/run_words.h"

#include <unordered_map>

namespace ui {

namespace {

// Characters of a column: every 32-bit number, and addresses of global memory.
constexpr size_t value_room = 11;

struct Scene { // of one frame
    Context& context;
    const BlockPicture& picture;
    const Pictures::Lives& lives;
    Earlier earlier;
    std::vector<const sim::Row*> rows;
    std::unordered_map<std::string_view, const sim::Row*> before; // of the earlier moment
    std::vector<bool> named{};                                    // per row: the step's instruction names it
    int warp = 0, lane = 0;
    int first = 0, lanes = 32; // columns in view
    float name = 0, line = 0, cell = 0, height = 0;
};

// Is the value still read later?
bool is_live(const Scene& scene, const sim::Row& row) {
    const auto life = scene.lives.find(row.name);
    return life == scene.lives.end() || life->second.live();
}

// The source line that wrote it last; 0: unknown.
int line_of(const Scene& scene, const sim::Row& row) {
    const auto life = scene.lives.find(row.name);
    return life == scene.lives.end() ? 0 : scene.picture.instruction(life->second.written).source_line;
}

// The source line that reads it next; 0: unknown, or none does.
int next_line_of(const Scene& scene, const sim::Row& row) {
    const auto life = scene.lives.find(row.name);
    if (life == scene.lives.end() || !life->second.live()) return 0;
    return scene.picture.instruction(life->second.read).source_line;
}

bool has(const trace::Listing& listing, const std::vector<int32_t>& numbers, std::string_view name) {
    return std::any_of(numbers.begin(), numbers.end(), [&](int32_t number) {
        return number >= 0 && listing.names[static_cast<size_t>(number)] == name;
    });
}

bool names(const trace::Listing& listing, const trace::Instruction& i, std::string_view name) {
    return has(listing, {i.guard}, name) || has(listing, i.written, name) || has(listing, i.read, name) ||
           has(listing, i.address, name);
}

// PTX's registers have types. What a register of machine code holds, the instruction that wrote it tells, or the one that reads it next.
ValueType type_of(const Scene& scene, const sim::Row& row) {
    const trace::Listing& listing = *scene.picture.trace().listing;
    const auto life = scene.lives.find(row.name);
    if (listing.engine == trace::Engine::ptx || row.bits == 1 || life == scene.lives.end())
        return value_type(row.name, row.bits);
    const auto& buffers = scene.picture.trace().buffers;
    const bool floats_move = std::all_of(buffers.begin(), buffers.end(), [](const trace::Buffer& buffer) {
        return buffer.element == base::NumberType::f32 && buffer.packing == base::Packing::none;
    });
    const auto computes = [&](const trace::Instruction& i) {
        const bool moves = i.space == trace::Space::shared || i.space == trace::Space::global;
        return i.unit == trace::Unit::fp32 || (moves && floats_move);
    };
    const trace::Instruction& writer = scene.picture.instruction(life->second.written);
    if (computes(writer)) return ValueType::f32;
    if (!life->second.live()) return ValueType::signed_integer;
    const trace::Instruction& reader = scene.picture.instruction(life->second.read);
    return computes(reader) && has(listing, reader.read, row.name) ? ValueType::f32 : ValueType::signed_integer;
}

// Those that the warp has written: data first, then addresses, then predicates; each as the program numbers them.
std::vector<const sim::Row*> by_type(const Scene& scene, const std::vector<sim::Row>& rows) {
    std::vector<const sim::Row*> sorted;
    for (const sim::Row& row : rows)
        if (scene.lives.contains(row.name)) sorted.push_back(&row);
    const auto rank = [&](const sim::Row* row) {
        switch (type_of(scene, *row)) {
        case ValueType::f32:
        case ValueType::f64: return 0;
        case ValueType::signed_integer: return 1;
        case ValueType::address: return 2;
        default: return 3;
        }
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const sim::Row* x, const sim::Row* y) { return rank(x) < rank(y); });
    return sorted;
}

bool has_changed(const Scene& scene, const sim::Row& row, int lane) {
    if (scene.before.empty()) return false;
    const auto old = scene.before.find(row.name);
    return old == scene.before.end() ||
           old->second->lanes[static_cast<size_t>(lane)] != row.lanes[static_cast<size_t>(lane)];
}

std::string cell_text(const Scene& scene, const sim::Row& row, int lane, size_t room) {
    return value_text(row.lanes[static_cast<size_t>(lane)], row.bits, type_of(scene, row), scene.context.view.digits,
                      room);
}

bool has_changed(const Scene& scene, const sim::Row& row) {
    for (int lane = 0; lane < trace::warp_size; ++lane)
        if (has_changed(scene, row, lane)) return true;
    return false;
}

// First what differs from the marked moment; then what is still needed, the newest first, before what nothing reads any more.
void sort_by_use(Scene& scene) {
    const auto written = [&](const sim::Row* row) { // 0 where that is unknown
        const auto life = scene.lives.find(row->name);
        return life == scene.lives.end() ? 0 : life->second.written;
    };
    std::stable_sort(scene.rows.begin(), scene.rows.end(),
                     [&](const sim::Row* x, const sim::Row* y) { return written(x) > written(y); });
    const auto first = [&](auto&& wanted) { std::stable_partition(scene.rows.begin(), scene.rows.end(), wanted); };
    first([&](const sim::Row* row) { return is_live(scene, *row); });
    if (scene.earlier.marked) first([&](const sim::Row* row) { return has_changed(scene, *row); });
}

void hover_cell(const Scene& scene, const sim::Row& row, int lane) {
    Context& context = scene.context;
    const uint64_t bits = row.lanes[static_cast<size_t>(lane)];
    const ValueType type = type_of(scene, row);
    using session::Digits;
    std::string words =
        say(context, "registers.tip", row.name, lane, value_text(bits, row.bits, type, Digits::real, 24),
            value_text(bits, row.bits, type, Digits::integer, 24), value_text(bits, row.bits, type, Digits::hex, 24));
    words += "\n" + say(context, "registers.tip_bits", static_cast<int>(row.bits));
    // It may hold a word of A or of B; nothing says which register does.
    if (has_packed_operands(scene.picture.trace()) && type == ValueType::signed_integer && row.bits == 32)
        words +=
            "\n" + say(context, "registers.tip_elements", value_text(bits, 32, ValueType::bits, Digits::natural, 32));
    if (const int line = line_of(scene, row); line > 0) words += "\n" + say(context, "registers.tip_line", line);
    if (!is_live(scene, row)) words += "\n" + std::string(context.tr("registers.tip_dead"));
    else if (const int line = next_line_of(scene, row); line > 0)
        words += "\n" + say(context, "registers.tip_next", line);
    if (has_changed(scene, row, lane)) {
        const auto old = scene.before.find(row.name);
        words += "\n" + (old == scene.before.end() ? std::string(context.tr("moments.was_nothing"))
                                                   : say(context, "moments.was",
                                                         value_text(old->second->lanes[static_cast<size_t>(lane)],
                                                                    row.bits, type, context.view.digits, 24)));
    }
    tooltip(context, words);
    context.view.hover.warp = scene.warp;
    context.view.hover.lane = lane;
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) context.view.selection.lane = lane;
}

void draw_row(const Scene& scene, ImVec2 at, size_t index) {
    Context& context = scene.context;
    const Style& style = context.style;
    const sim::Row& row = *scene.rows[index];
    const float line = at.y + (scene.height - style.mono->FontSize) / 2;
    if (scene.named[index]) fill({at.x, at.y + 1, style.unit / 2, scene.height - 2}, style.colour.selection);
    const bool live = is_live(scene, row);
    text_cut(context, style.mono, {at.x + 1.5f * style.unit, line}, scene.name - 2 * style.unit,
             scene.named[index] || live ? style.colour.text : style.colour.dim, row.name);
    if (const int written = line_of(scene, row); written > 0) {
        text_right(style.mono, {at.x + scene.name + scene.line - 2 * style.unit, line}, style.colour.dim,
                   std::to_string(written));
        if (hovered({at.x, at.y, scene.name + scene.line, scene.height})) {
            context.view.hover.source_line = written;
            tooltip(context, say(context, "registers.tip_line", written));
        }
    }
    for (int i = 0; i < scene.lanes; ++i) {
        const int lane = scene.first + i;
        const Rect place{at.x + scene.name + scene.line + static_cast<float>(i) * scene.cell, at.y, scene.cell - 1,
                         scene.height - 1};
        if (has_changed(scene, row, lane)) mark_changed(context, place);
        std::string value = cell_text(scene, row, lane, value_room);
        if (value.empty())
            value = "..." +
                    cell_text(scene, row, lane, 64).substr(cell_text(scene, row, lane, 64).size() - (value_room - 3));
        text_right(style.mono, {place.right() - style.unit, line},
                   !live                ? style.colour.dim
                   : lane == scene.lane ? style.colour.text
                                        : with_alpha(style.colour.text, 0.85f),
                   value);
        if (hovered(place)) hover_cell(scene, row, lane);
    }
}

// Lane numbers over the columns, the selected and the hovered one marked over the whole height.
void draw_lanes(const Scene& scene, const Rect& area) {
    Context& context = scene.context;
    const Style& style = context.style;
    text(style.text, {area.x + 1.5f * style.unit, area.y}, style.colour.dim, context.tr("registers.name"));
    text_right(style.text, {area.x + scene.name + scene.line - 2 * style.unit, area.y}, style.colour.dim,
               context.tr("registers.line"));
    for (int i = 0; i < scene.lanes; ++i) {
        const int lane = scene.first + i;
        const Rect column{area.x + scene.name + scene.line + static_cast<float>(i) * scene.cell, area.y, scene.cell - 1,
                          area.height};
        const bool selected = lane == scene.lane;
        if (selected) fill(column, with_alpha(style.colour.selection, 0.07f)), outline(column, style.colour.selection);
        else if (lane == context.session.view().hover.lane) fill(column, with_alpha(style.colour.selection, 0.05f));
        text_right(style.mono, {column.right() - style.unit, column.y}, selected ? style.colour.text : style.colour.dim,
                   scene.cell > text_size(style.text, say(context, "registers.lane", 31)).x
                       ? say(context, "registers.lane", lane)
                       : std::to_string(lane));
        const Rect head{column.x, column.y, column.width, scene.height};
        context.probe.mark(fmt::format("registers.lane.{}", lane), head.x, head.y, head.width, head.height);
        if (hovered(head)) context.view.hover.warp = scene.warp, context.view.hover.lane = lane;
        if (clicked(head)) context.view.selection.lane = lane;
    }
}

// The registers of the step's instruction stay on top; below them the others, scrolling.
void draw_rows(Scene& scene) {
    const Style& style = scene.context.style;
    const Rect area = free_area();
    const float digit = text_size(style.mono, "0").x;
    scene.name = std::max(digit * 7, text_size(style.text, scene.context.tr("registers.name")).x) + 3 * style.unit;
    scene.line = std::max(digit * 4, text_size(style.text, scene.context.tr("registers.line")).x) + 3 * style.unit;
    scene.cell = digit * value_room + 2 * style.unit;
    scene.height = style.mono->FontSize + style.unit;
    const float room = area.width - scene.name - scene.line - ImGui::GetStyle().ScrollbarSize;
    scene.lanes = std::clamp(static_cast<int>(room / scene.cell), 1, trace::warp_size);
    scene.first = std::clamp(scene.lane - scene.lanes / 2, 0, trace::warp_size - scene.lanes);
    draw_lanes(scene, area);
    float y = area.y + scene.height;
    const float half = area.y + area.height * 0.6f;
    std::vector<size_t> below;
    for (size_t row = 0; row < scene.rows.size(); ++row) {
        if (!scene.named[row] || y + scene.height >= half) {
            below.push_back(row);
            continue;
        }
        draw_row(scene, {area.x, y}, row);
        y += scene.height;
    }
    fill({area.x, y, area.width, 1}, style.colour.line);
    ImGui::SetCursorScreenPos({area.x, y + 2});
    ImGui::BeginChild("registers", {area.width, std::max(area.bottom() - y - 2, 1.0f)});
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const auto first = static_cast<size_t>(std::max(0.0f, ImGui::GetScrollY() / scene.height));
    const auto last = std::min(below.size(), first + static_cast<size_t>(ImGui::GetWindowHeight() / scene.height) + 2);
    for (size_t row = first; row < last; ++row)
        draw_row(scene, {origin.x, origin.y + static_cast<float>(row) * scene.height}, below[row]);
    ImGui::Dummy({1, static_cast<float>(below.size()) * scene.height});
    ImGui::EndChild();
}

void draw_first_line(const Scene& scene, const std::string& headline, std::string_view instruction) {
    Context& context = scene.context;
    if (context.chrome.headline.empty()) context.chrome.headline = headline;
    const Style& style = context.style;
    const Rect area = free_area();
    float x = area.x + text_cut(context, style.heading, {area.x, area.y}, area.width, style.colour.text, headline) +
              6 * style.unit;
    if (x + 20 * style.unit < area.right()) {
        fill({x, area.y + style.unit / 2, style.unit / 2, style.heading->FontSize - style.unit / 2},
             style.colour.selection);
        const float half = (area.right() - x) / 2;
        x += text_cut(context, style.mono,
                      {x + 1.5f * style.unit, area.y + style.heading->FontSize - style.mono->FontSize}, half,
                      style.colour.text, with_short_names(instruction)) +
             4 * style.unit;
    }
    digits_switch(context, x, area.right(), area.y);
    ImGui::Dummy({area.width, style.heading->FontSize + style.unit});
}

Table table(const Scene& scene) {
    const Strings& tr = scene.context.tr;
    Table table{.columns = table_columns(tr, {{"registers.name"}, {"registers.line"}, {"registers.column_use"}})};
    for (int lane = 0; lane < trace::warp_size; ++lane)
        table.columns.push_back({say(scene.context, "registers.lane", lane)});
    const auto use = [&](const sim::Row& row) {
        std::string words = tr(is_live(scene, row) ? "registers.live" : "registers.dead");
        if (scene.earlier.marked && has_changed(scene, row)) words += std::string(", ") + tr("shared.changed");
        return words;
    };
    for (const sim::Row* row : scene.rows) {
        const int line = line_of(scene, *row);
        std::vector<std::string> cells{row->name, line > 0 ? std::to_string(line) : std::string(), use(*row)};
        for (int lane = 0; lane < trace::warp_size; ++lane) cells.push_back(cell_text(scene, *row, lane, 20));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

// What the registers below are: PTX names values without end, and the machine code's are the hardware's.
std::string physical_words(const Context& context, const session::Products& products) {
    const auto& machine = products.machine.value;
    const std::string of = engine_of(products) == trace::Engine::ptx ? "registers.physical" : "registers.machine";
    return machine ? say(context, of, machine->resources.registers) : std::string(context.tr(of + "_unknown"));
}

void draw_physical(Context& context, const session::Products& products) {
    const Style& style = context.style;
    const Rect area = free_area();
    text_cut(context, style.text, {area.x, area.y}, area.width, style.colour.dim, physical_words(context, products));
    ImGui::Dummy({area.width, style.text->FontSize + style.unit});
}

} // namespace

void draw_registers(Context& context) {
    const session::Products& products = context.session.products();
    if (!face(context, products.block)) return;
    if (!face(context, products.state)) return;
    const auto picture = shown_block(context);
    if (!picture) return sentence(context, context.tr("map.no_events"));
    const session::Selection& selection = context.session.view().selection;
    const int warp = selected_warp(*picture, selection);
    const auto& warps = products.state.value->registers;
    if (static_cast<size_t>(warp) >= warps.size()) return sentence(context, context.tr("registers.none"));
    const uint32_t event =
        std::min<uint32_t>(selection.event, static_cast<uint32_t>(picture->trace().events.size()) - 1);
    Scene scene{context, *picture, context.pictures.lives(*picture, warp, event), earlier_contents(context), {}, {}};
    scene.rows = by_type(scene, warps[static_cast<size_t>(warp)]);
    if (scene.rows.empty()) return sentence(context, context.tr("registers.none"));
    scene.warp = warp, scene.lane = selection.lane;
    if (scene.earlier.state && static_cast<size_t>(warp) < scene.earlier.state->registers.size())
        for (const sim::Row& row : scene.earlier.state->registers[static_cast<size_t>(warp)])
            scene.before[row.name] = &row;
    sort_by_use(scene);

    const bool own = picture->trace().events[event].warp == warp;
    const trace::Instruction& instruction = picture->instruction(event);
    for (const sim::Row* row : scene.rows)
        scene.named.push_back(own && names(*picture->trace().listing, instruction, row->name));
    const auto live =
        std::count_if(scene.rows.begin(), scene.rows.end(), [&](const sim::Row* row) { return is_live(scene, *row); });
    const std::string headline =
        say(context, "registers.headline", warp, live, picture->trace().events[event].warp, picture->step(event),
            static_cast<std::ptrdiff_t>(scene.rows.size()) - live, executed_program(context));
    if (context.view.table) {
        Table twin = table(scene);
        twin.notes = {headline, physical_words(context, products)};
        return draw_table(context, twin);
    }
    draw_first_line(scene, headline, own ? instruction.text : std::string());
    const auto changed = std::count_if(scene.rows.begin(), scene.rows.end(),
                                       [&](const sim::Row* row) { return has_changed(scene, *row); });
    draw_moment_line(context, *picture, scene.earlier, say(context, "moments.registers", changed));
    draw_physical(context, products);
    draw_rows(scene);
}

} // namespace ui
