#include "ui/time/access.h"

#include "analysis/mapping.h"
#include "ui/draw/text_table.h"
#include "views/opcode.h"

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
    shown.active = event.active;
    const bool source = shown.instruction->kind == trace::Kind::async_copy && space == trace::Space::global;
    if (source) shown.active = analysis::reading_lanes(picture.trace(), event);
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

std::string origin_name(const trace::Trace& trace, const std::vector<analysis::Origin>& origin, uint64_t word) {
    if (word >= origin.size() || origin[word].buffer < 0) return {};
    const analysis::Origin& from = origin[word];
    return element_run(trace.buffers[static_cast<size_t>(from.buffer)].name, analysis::stored_with(trace, from));
}

bool is_hovered_word(const trace::Trace& trace, const analysis::Origin& from, const session::Hover& hover) {
    if (from.buffer < 0 || hover.row < 0 || trace.buffers[static_cast<size_t>(from.buffer)].name != hover.array)
        return false;
    const analysis::Rectangle box = analysis::stored_with(trace, from);
    return hover.row >= box.row && hover.row < int64_t{box.row} + box.rows && hover.column >= box.column &&
           hover.column < int64_t{box.column} + box.columns;
}

} // namespace ui
