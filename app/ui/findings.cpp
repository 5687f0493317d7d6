#include "ui/findings.h"

#include "ui/draw.h"
#include "ui/grid.h"

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

// The first event of the traced block at which the finding's warp executes its instruction.
std::optional<uint32_t> event_of(const Context& context, const trace::Finding& finding) {
    const auto& block = context.session.products().block.value;
    if (!block || finding.pc < 0) return std::nullopt;
    const auto& events = block->trace.events;
    const auto found = std::find_if(events.begin(), events.end(), [&](const trace::Event& event) {
        return event.pc == finding.pc && (finding.warp < 0 || event.warp == finding.warp) &&
               (!finding.lanes || (event.active & finding.lanes));
    });
    if (found == events.end()) return std::nullopt;
    return static_cast<uint32_t>(found - events.begin());
}

void go_to(Context& context, const trace::Finding& finding) {
    session::Selection& selection = context.view.selection;
    if (finding.warp >= 0) selection.warp = finding.warp;
    if (finding.lanes) selection.lane = std::countr_zero(finding.lanes);
    if (finding.source_line > 0) context.view.code_tab = session::CodeTab::source;
    selection.block = finding.block;
    if (const auto event = event_of(context, finding)) selection.event = *event;
}

void draw_one(Context& context, const trace::Finding& finding, size_t index) {
    const Style& style = context.style;
    const float unit = style.unit, left = 3 * unit;
    const Rect area = free_area();
    const float wrap = std::max(area.width - left - unit, 10 * unit);
    const ImVec2 size = style.text->CalcTextSizeA(style.text->FontSize, FLT_MAX, wrap, finding.text.data(),
                                                  finding.text.data() + finding.text.size());
    const Rect box{area.x, area.y, area.width, style.text->FontSize + size.y + 2 * unit};
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool over = hovered(box);
    const ImU32 colour = style.colour.finding;
    if (over) list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, with_alpha(colour, 0.14f));
    const bool error = finding.severity == trace::Severity::error; // a warning's bar is hollow
    if (error)
        list->AddRectFilled({box.x, box.y + unit}, {box.x + unit, box.bottom() - unit}, colour);
    else
        list->AddRect({box.x, box.y + unit}, {box.x + unit, box.bottom() - unit}, colour);
    const std::string where = place(context, finding);
    const float where_width = text_size(style.text, where).x;
    text_cut(context, style.text, {box.x + left, box.y + unit / 2}, wrap - where_width - 2 * unit,
             style.colour.text, kind_name(context, finding.kind));
    text_right(style.text, {box.right() - unit, box.y + unit / 2}, style.colour.dim, where);
    list->AddText(style.text, style.text->FontSize, {box.x + left, box.y + unit / 2 + style.text->FontSize},
                  style.colour.dim, finding.text.data(), finding.text.data() + finding.text.size(), wrap);
    context.probe.mark("finding." + std::to_string(index), box.x, box.y, box.width, box.height);
    if (over) {
        context.view.hover.pc = finding.pc;
        context.view.hover.warp = finding.warp;
    }
    if (clicked(box)) go_to(context, finding);
    ImGui::Dummy({box.width, box.height});
}

} // namespace

const std::vector<trace::Finding>* findings_of(const session::Products& products) {
    if (products.grid.value) return &products.grid.value->findings;
    if (products.block.value) return &products.block.value->findings;
    return nullptr;
}

void draw_findings(Context& context, const std::vector<trace::Finding>& findings) {
    constexpr size_t
        few = 2,
        most = 50; // few, so that the numbers stay in sight; beyond the most, the table has the rest
    bool* all = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("all findings"), false);
    const size_t drawn = std::min(findings.size(), *all ? most : few);
    for (size_t i = 0; i < drawn; ++i) draw_one(context, findings[i], i);
    if (findings.size() <= few) return;
    const std::string label =
        *all ? context.tr("findings.fewer") : say(context, "findings.more", findings.size() - drawn);
    if (button(context, "finding.more", label.c_str())) *all = !*all;
    ImGui::Dummy({0, context.style.unit});
}

void append_findings(TextTable& table, const Context& context, const std::vector<trace::Finding>& findings) {
    for (const trace::Finding& finding : findings)
        table.rows.push_back({kind_name(context, finding.kind), place(context, finding), finding.text});
}

} // namespace ui
