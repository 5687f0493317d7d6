#include "ui/time/access.h"

#include "analysis/mapping.h"
#include "ui/draw/text_table.h"
#include "views/opcode.h"

#include <algorithm>
#include <utility>

namespace ui {

int selected_warp(const BlockPicture& picture, const session::Selection& selection) {
    return std::clamp(selection.warp, 0, std::max(static_cast<int>(picture.warps.size()) - 1, 0));
}

std::optional<AccessShown> access_shown(const BlockPicture& picture, const session::Selection& selection,
                                        trace::Space space) {
    const int number = selected_warp(picture, selection);
    if (picture.warps.empty()) return std::nullopt;
    const WarpOrder& warp = picture.warps[static_cast<size_t>(number)];
    const std::vector<uint32_t>& events = space == trace::Space::shared ? warp.shared : warp.global;
    if (events.empty()) return std::nullopt;

    const auto at = std::lower_bound(events.begin(), events.end(), selection.event);
    AccessShown shown = access_at(picture, at == events.end() ? events.back() : *at, space);
    shown.when = shown.event == selection.event ? AccessShown::When::current
                 : at == events.end()           ? AccessShown::When::last
                                                : AccessShown::When::next;
    const uint32_t here = warp.at_or_after(selection.event), there = warp.at_or_after(shown.event);
    shown.away = there > here ? there - here : here - there;
    return shown;
}

AccessShown access_at(const BlockPicture& picture, uint32_t number, trace::Space space) {
    const trace::Event& event = picture.trace().events[number];
    AccessShown shown;
    shown.event = number;
    shown.instruction = &picture.instruction(number);
    const bool source = shown.instruction->kind == trace::Kind::async_copy && space == trace::Space::global;
    shown.active = source ? analysis::reading_lanes(picture.trace(), event)
                          : analysis::accessing_lanes(*shown.instruction, event.active);
    shown.address = &picture.trace().accesses[event.access + (source ? 1 : 0)];
    shown.warp = event.warp;
    shown.step = picture.step(number);
    return shown;
}

namespace {

std::string remark_of(const Context& context, const AccessShown& shown) {
    const char* key = shown.when == AccessShown::When::current ? "access.current"
                      : shown.when == AccessShown::When::next  ? "access.next"
                                                               : "access.last";
    return say(context, key, shown.warp, shown.step, shown.away);
}

} // namespace

void draw_access_table(Context& context, const AccessShown& shown, Table table) {
    table.notes.insert(table.notes.begin(),
                       fmt::format("{}  {}", with_short_names(shown.instruction->text), remark_of(context, shown)));
    draw_table(context, table);
}

void draw_access_line(Context& context, const AccessShown& shown, std::string_view sentence) {
    const std::string remark = remark_of(context, shown);
    const Style& style = context.style;
    const float words =
        text_size(style.mono, shown.instruction->mnemonic).x + text_size(style.heading, sentence).x + 9 * style.unit;
    const bool room = words + text_size(style.text, remark).x <= free_area().width;
    draw_access_line(context, shown, sentence, room ? remark : say(context, "access.short", shown.warp, shown.step));
}

void draw_access_line(Context& context, const AccessShown& shown, std::string_view sentence,
                      const std::string& remark) {
    if (context.chrome.headline.empty()) context.chrome.headline = sentence;
    const Style& style = context.style;
    const Rect area = free_area();
    const std::string_view opcode = shown.instruction->mnemonic;
    const ImU32 colour = shown.load() ? style.colour.load : style.colour.store;
    const float height = std::max(style.mono->FontSize, style.heading->FontSize);
    const float base = area.y + height; // both fonts end on one line
    fill({area.x, area.y + style.unit / 2, style.unit, height - style.unit / 2}, colour);
    float x = area.x + 2 * style.unit;
    text(style.mono, {x, base - style.mono->FontSize}, style.colour.text, opcode);
    x += text_size(style.mono, opcode).x + 3 * style.unit;
    x += text_cut(context, style.heading, {x, base - style.heading->FontSize}, area.right() - x, style.colour.text,
                  sentence);

    x += 4 * style.unit;
    const ImU32 ink =
        shown.when == AccessShown::When::current ? style.colour.dim : style.colour.text; // not of this step
    if (text_size(style.text, remark).x <= area.right() - x)
        text_right(style.text, {area.right(), base - style.text->FontSize}, ink, remark);
    if (hovered({area.x, area.y, area.width, height}) && ImGui::GetIO().MousePos.x < x)
        tooltip(context, shown.instruction->text);
    ImGui::Dummy({area.width, height + style.unit});
}

namespace {

std::string boxes_name(const trace::Trace& trace, int buffer, const std::array<analysis::Rectangle, 2>& boxes) {
    const std::string& array = trace.buffers[static_cast<size_t>(buffer)].name;
    return element_run(array, boxes[0]) + (boxes[1].rows > 0 ? ", " + element_run(array, boxes[1]) : "");
}

} // namespace

std::string origin_name(const trace::Trace& trace, const std::vector<analysis::Origin>& origin, uint64_t word) {
    if (word >= origin.size() || origin[word].buffer < 0) return {};
    return boxes_name(trace, origin[word].buffer, analysis::elements_of(trace, origin[word]));
}

std::string accessed_name(const trace::Trace& trace, const std::vector<analysis::Origin>& origin, uint64_t offset,
                          uint32_t bytes) {
    const uint64_t word = offset / 4;
    if (bytes > 4 || word >= origin.size() || origin[word].buffer < 0)
        return words_name(trace, origin, word, word + bytes / 4).name;
    return boxes_name(trace, origin[word].buffer, analysis::elements_of(trace, origin[word], offset, bytes));
}

WordsName words_name(const trace::Trace& trace, const std::vector<analysis::Origin>& origin, size_t first, size_t end) {
    std::vector<analysis::Rectangle> parts;
    int array = -1;
    bool is_one_array = true;
    for (size_t word = first; word < std::min(end, origin.size()); ++word) {
        if (origin[word].buffer < 0) continue;
        if (parts.empty()) array = origin[word].buffer;
        is_one_array = origin[word].buffer == array;
        if (!is_one_array) break;
        for (const analysis::Rectangle& part : analysis::elements_of(trace, origin[word]))
            if (part.rows > 0 && (parts.empty() || part != parts.back()))
                parts.push_back(part); // a double is two words
    }
    if (parts.empty()) return {};
    const std::string& name = trace.buffers[static_cast<size_t>(array)].name;

    const auto by_rows = [](const analysis::Rectangle& a, const analysis::Rectangle& b) {
        return std::pair(a.row, a.column) < std::pair(b.row, b.column);
    };
    const auto by_columns = [](const analysis::Rectangle& a, const analysis::Rectangle& b) {
        return std::pair(a.column, a.row) < std::pair(b.column, b.row);
    };
    analysis::Rectangle whole;
    uint64_t elements = 0;
    for (const analysis::Rectangle& part : parts) {
        analysis::include(whole, part);
        elements += uint64_t{part.rows} * part.columns;
    }
    std::vector<analysis::Rectangle> sorted = parts;
    std::sort(sorted.begin(), sorted.end(), by_rows);
    const bool is_whole = is_one_array && elements == uint64_t{whole.rows} * whole.columns &&
                          std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if (is_whole)
        return {element_run(name, whole), !std::is_sorted(parts.begin(), parts.end(), by_rows) &&
                                              !std::is_sorted(parts.begin(), parts.end(), by_columns)};

    analysis::Rectangle run = parts.front();
    for (size_t i = 1; i < parts.size(); ++i) {
        const analysis::Rectangle& next = parts[i];
        const bool right = next.row == run.row && next.rows == run.rows && next.column == run.column + run.columns,
                   below = next.column == run.column && next.columns == run.columns && next.row == run.row + run.rows;
        if (!right && !below) break;
        analysis::include(run, next);
    }
    return {element_run(name, run) + " ...", false};
}

bool is_hovered_word(const trace::Trace& trace, const analysis::Origin& from, const session::Hover& hover) {
    if (from.buffer < 0 || hover.row < 0 || trace.buffers[static_cast<size_t>(from.buffer)].name != hover.array)
        return false;
    const auto boxes = analysis::elements_of(trace, from);
    return std::any_of(boxes.begin(), boxes.end(), [&](const analysis::Rectangle& box) {
        return hover.row >= box.row && hover.row < int64_t{box.row} + box.rows && hover.column >= box.column &&
               hover.column < int64_t{box.column} + box.columns;
    });
}

} // namespace ui
