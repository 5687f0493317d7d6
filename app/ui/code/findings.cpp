#include "ui/code/findings.h"
#include "ui/draw/kept.h"

#include "analysis/conflict.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"

#include <algorithm>
#include <bit>

namespace ui {
namespace {

const char* kind_name(const Context& context, trace::FindingKind kind) {
    return context.tr(std::string("findings.") + trace::name(kind));
}

std::string place(const Context& context, const trace::Finding& finding) {
    std::string place;
    if (finding.source_line > 0) place = say(context, "findings.line", finding.source_line);
    if (finding.times > 1)
        place += (place.empty() ? "" : " · ") + say(context, "findings.times", thousands(finding.times));
    return place;
}

// What one of a finding's accesses is, in whichever block it is.
struct Access {
    base::Dim3 block;
    int64_t pc = -1;
    int warp = -1, source_line = 0;
    uint32_t lanes = 0;
};

Access access_of(const trace::Finding& finding, bool other) {
    if (other && finding.other) {
        const trace::Finding::Other& o = *finding.other;
        return {o.block, o.pc, o.warp, o.source_line, o.lanes};
    }
    return {finding.block, finding.pc, finding.warp, finding.source_line, finding.lanes};
}

bool is_of(const trace::Event& event, const Access& access) {
    return event.pc == access.pc && (access.warp < 0 || event.warp == access.warp) &&
           (!access.lanes || (event.active & access.lanes));
}

// The event at which the finding's own access happened, in the trace of its block. An instruction in a loop collides with another one
// in some turns only: of a race in shared memory it is the first execution that does.
std::optional<uint32_t> own_event(const trace::Trace& trace, const trace::Finding& finding) {
    const Access own = access_of(finding, false);
    std::optional<uint32_t> first;
    for (uint32_t i = 0; i < trace.events.size(); ++i) {
        if (!is_of(trace.events[i], own)) continue;
        if (!first) first = i;
        if (finding.kind != trace::FindingKind::shared_race || analysis::earlier_conflict(trace, i, own.lanes))
            return i;
    }
    return first;
}

// The last execution of the other access before the finding's own, or its first.
std::optional<uint32_t> other_event(const trace::Trace& trace, const trace::Finding& finding) {
    const Access other = access_of(finding, true);
    const uint32_t until = trace.block_index == finding.block ? own_event(trace, finding).value_or(0) : 0;
    std::optional<uint32_t> found;
    for (uint32_t i = 0; i < trace.events.size() && (i < until || !found); ++i)
        if (is_of(trace.events[i], other)) found = i;
    return found;
}

base::Dim3 block_of(const Jump& jump) {
    const auto* finding = std::get_if<trace::Finding>(&jump.to);
    return finding ? access_of(*finding, jump.other).block : base::Dim3{0, 0, 0};
}

std::optional<uint32_t> event_of(const trace::Trace& trace, const Jump& jump) {
    if (const auto* finding = std::get_if<trace::Finding>(&jump.to))
        return jump.other ? other_event(trace, *finding) : own_event(trace, *finding);
    const uint32_t event = std::get<uint32_t>(jump.to);
    return event < trace.events.size() ? std::optional(event) : std::nullopt;
}

// "The other access: line 120, warp 3", as a link. True if it was clicked.
bool draw_other(Context& context, const trace::Finding::Other& other, ImVec2 at, float width, const std::string& mark) {
    const Style& style = context.style;
    const std::string words = other.source_line > 0 ? say(context, "findings.other", other.source_line, other.warp)
                                                    : say(context, "findings.other_unknown", other.warp);
    const Rect place{at.x, at.y, std::min(text_size(style.text, words).x, width), style.text->FontSize};
    const bool over = hovered(place);
    const ImU32 ink = over ? style.colour.text : style.colour.dim;
    text_cut(context, style.text, at, width, ink, words);
    fill({place.x, place.bottom(), place.width, 1}, ink);
    context.probe.mark(mark, place.x, place.y, place.width, place.height);
    if (over) context.view.hover.pc = other.pc, context.view.hover.warp = other.warp;
    return clicked(place);
}

void draw_one(Context& context, const trace::Finding& finding, size_t index) {
    const Style& style = context.style;
    const float unit = style.unit, left = 3 * unit;
    const Rect area = free_area();
    const float wrap = std::max(area.width - left - unit, 10 * unit);
    const std::string text = context.tr(finding.text);
    const ImVec2 size = wrapped_size(style.text, wrap, text);
    const float line = style.text->FontSize;
    const Rect box{area.x, area.y, area.width, line + size.y + 2 * unit + (finding.other ? line : 0)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool over = hovered(box);
    const ImU32 colour = style.colour.finding;
    if (over) list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, with_alpha(colour, 0.14f));
    const bool error = finding.severity == trace::Severity::error; // a warning's bar is hollow
    if (error) list->AddRectFilled({box.x, box.y + unit}, {box.x + unit, box.bottom() - unit}, colour);
    else list->AddRect({box.x, box.y + unit}, {box.x + unit, box.bottom() - unit}, colour);
    const std::string where = place(context, finding);
    const float where_width = text_size(style.text, where).x;
    text_cut(context, style.text, {box.x + left, box.y + unit / 2}, wrap - where_width - 2 * unit, style.colour.text,
             kind_name(context, finding.kind));
    text_right(style.text, {box.right() - unit, box.y + unit / 2}, style.colour.dim, where);
    text_wrapped(style.text, {box.x + left, box.y + unit / 2 + style.text->FontSize}, wrap, style.colour.dim, text);
    context.probe.mark("finding." + std::to_string(index), box.x, box.y, box.width, box.height);
    if (over) {
        context.view.hover.pc = finding.pc;
        context.view.hover.warp = finding.warp;
    }
    const bool to_other =
        finding.other && draw_other(context, *finding.other, {box.x + left, box.bottom() - unit - line}, wrap,
                                    "finding." + std::to_string(index) + ".other");
    if (clicked(box)) {
        jump(context, {finding, to_other});
        follow_jump(context);
    }
    ImGui::Dummy({box.width, box.height});
}

} // namespace

void jump(Context& context, Jump jump) {
    session::Selection& selection = context.view.selection;
    if (const auto* finding = std::get_if<trace::Finding>(&jump.to)) {
        const Access access = access_of(*finding, jump.other);
        if (access.warp >= 0) selection.warp = access.warp;
        if (access.lanes) selection.lane = std::countr_zero(access.lanes);
        if (access.source_line > 0) context.view.code_tab = session::CodeTab::source;
    }
    selection.block = block_of(jump);
    context.view.playing = false;
    context.chrome.jump = std::move(jump);
}

void follow_jump(Context& context) {
    if (!context.chrome.jump) return;
    const Jump jump = *context.chrome.jump;
    const base::Dim3 wanted = block_of(jump);
    session::Selection& selection = context.view.selection;
    const auto& block = context.session.products().block;
    if (selection.block != wanted) return context.chrome.jump.reset(); // the user has gone elsewhere
    if (block.face != session::Slot<session::BlockRun>::Face::ready || block.value->trace.block_index != wanted) return;
    context.chrome.jump.reset();
    const trace::Trace& trace = block.value->trace;
    const auto event = event_of(trace, jump);
    if (!event) return;
    selection.event = *event;
    selection.warp = trace.events[*event].warp;
    const uint32_t active = trace.events[*event].active;
    if (active && !(active >> selection.lane & 1)) selection.lane = std::countr_zero(active);
}

const std::vector<trace::Finding>* findings_of(const session::Products& products) {
    if (products.grid.value) return &products.grid.value->findings;
    if (products.block.value) return &products.block.value->findings;
    return nullptr;
}

void draw_findings(Context& context, const std::vector<trace::Finding>& findings) {
    constexpr size_t few = 2,
                     most = 50; // few, so that the numbers stay in sight; beyond the most, the table has the rest
    Kept<bool> all("all findings");
    const size_t drawn = std::min(findings.size(), all ? most : few);
    for (size_t i = 0; i < drawn; ++i) draw_one(context, findings[i], i);
    if (findings.size() <= few) return;
    const std::string label =
        all ? context.tr("findings.fewer") : say(context, "findings.more", findings.size() - drawn);
    if (button(context, "finding.more", label.c_str())) all = !all;
    ImGui::Dummy({0, context.style.unit});
}

void append_findings(Table& table, const Context& context, const std::vector<trace::Finding>& findings) {
    for (const trace::Finding& finding : findings)
        table.rows.push_back({kind_name(context, finding.kind), place(context, finding), context.tr(finding.text)});
}

} // namespace ui
