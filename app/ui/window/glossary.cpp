#include "ui/window/glossary.h"

#include "ui/draw/grid.h"
#include "ui/draw/text_field.h"
#include "views/opcode.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

// "PMPP: memory coalescing   Nsight Compute: uncoalesced global accesses"
std::string other_names(const Term& term) {
    std::string words;
    for (const auto& [whose, name] :
         {std::pair{"PMPP", &term.pmpp}, {"NVIDIA", &term.nvidia}, {"Nsight Compute", &term.nsight}})
        if (!name->empty()) words += fmt::format("{}{}: {}", words.empty() ? "" : "   ", whose, *name);
    return words;
}

void draw_search(Context& context) {
    const Style& style = context.style;
    ImGui::SetNextItemWidth(std::min(free_area().width, 80 * style.unit));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.unit, style.unit / 2});
    auto& typed = context.chrome.glossary_search;
    text_field("##glossary", context.tr("glossary.search"), typed);
    ImGui::PopStyleVar();
    const ImVec2 low = ImGui::GetItemRectMin(), size = ImGui::GetItemRectSize();
    context.probe.mark("glossary.search", low.x, low.y, size.x, size.y);
}

// The word, its sentence, its other names; at the right a button to the view that shows it.
void draw_term(Context& context, const Term& term) {
    const Style& style = context.style;
    const Strings& tr = context.tr;
    const Rect area = free_area();
    const PanelRow* view = find_panel(term.see);
    const std::string where = view ? say(context, "glossary.see", tr(view->title)) : std::string();
    const float button_width = view ? text_size(style.text, where).x + 4 * style.unit : 0;
    if (view) {
        ImGui::SetCursorScreenPos({area.right() - button_width, area.y});
        if (button(context, ("glossary." + term.id).c_str(), where.c_str()) && show_view(context.view, term.see))
            context.chrome.help = false;
    }
    const float width = area.width - button_width - 4 * style.unit;
    float y = area.y;
    text_cut(context, style.heading, {area.x, y}, width, style.colour.text, tr(term.term));
    y += style.heading->FontSize + style.unit / 2;
    y += text_wrapped(style.text, {area.x, y}, width, style.colour.text, tr(term.text)) + style.unit / 2;
    if (const std::string names = other_names(term); !names.empty())
        y += text_wrapped(style.text, {area.x, y}, width, style.colour.dim, names) + style.unit / 2;
    ImGui::SetCursorScreenPos({area.x, y + 2 * style.unit});
    ImGui::Dummy({1, 0});
}

void draw_opcode(Context& context, const OpcodeEntry& one) {
    const Style& style = context.style;
    const Rect area = free_area();
    const float used = text_size(style.mono, one.opcode).x + 2 * style.unit;
    text(style.mono, {area.x, area.y}, style.colour.text, one.opcode);
    text(style.text, {area.x + used, area.y}, style.colour.dim, one.language);
    const float y = area.y + style.text->FontSize + style.unit / 2;
    const float height =
        text_wrapped(style.text, {area.x, y}, area.width - 4 * style.unit, style.colour.text, one.text);
    ImGui::SetCursorScreenPos({area.x, y + height + 2 * style.unit});
    ImGui::Dummy({1, 0});
}

} // namespace

void draw_glossary(Context& context) {
    draw_search(context);
    ImGui::Dummy({1, context.style.unit});
    ImGui::BeginChild("terms", {0, 0}, false, ImGuiWindowFlags_NoNav);
    const auto found = find_terms(context.tr.glossary(), context.chrome.glossary_search.data());
    const auto opcodes = find_opcodes(context.tr, context.chrome.glossary_search.data());
    if (found.empty() && opcodes.empty()) paragraph(context.tr("glossary.not_found"));
    for (const Term* term : found) draw_term(context, *term);
    if (!opcodes.empty()) {
        const Rect area = free_area();
        text(context.style.heading, {area.x, area.y}, context.style.colour.dim, context.tr("glossary.opcodes"));
        ImGui::Dummy({1, context.style.heading->FontSize + context.style.unit});
    }
    for (const OpcodeEntry& one : opcodes) draw_opcode(context, one);
    ImGui::EndChild();
}

} // namespace ui
