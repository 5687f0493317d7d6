#include "ui/code/machine.h"

#include "ui/draw/draw.h"
#include "ui/draw/text_table.h"

namespace ui {
namespace {

struct Fact {
    const char* key; // "machine.registers"; its tooltip is "machine.registers_tip"
    std::string value, unit;
};

// What ptxas reported and what the file is; the code itself is not shown.
std::vector<Fact> facts(const Context& context, const compile::MachineCode& code) {
    const Strings& tr = context.tr;
    const compile::Resources& used = code.resources;
    return {
        {"machine.arch", code.arch, ""},
        {"machine.registers", std::to_string(used.registers), tr("machine.per_thread")},
        {"machine.static_shared", thousands(used.static_shared_bytes), tr("machine.bytes_per_block")},
        {"machine.stack", thousands(used.stack_bytes), tr("machine.bytes_per_thread")},
        {"machine.spill_stores", thousands(used.spill_store_bytes), tr("machine.bytes_per_thread")},
        {"machine.spill_loads", thousands(used.spill_load_bytes), tr("machine.bytes_per_thread")},
        {"machine.cubin", thousands(code.cubin.size()), tr("machine.bytes")},
    };
}

void paragraph_in(const Context& context, ImU32 colour, std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    paragraph(text);
    ImGui::PopStyleColor();
    ImGui::Dummy({0, context.style.unit});
}

} // namespace

void draw_machine(Context& context) {
    const auto& slot = context.session.products().machine;
    if (!face(context, slot) || !slot.value) return;
    const Strings& tr = context.tr;
    const std::vector<Fact> rows = facts(context, *slot.value);
    if (context.view.table) {
        Table table{
            .columns = table_columns(tr, {{"machine.column_what"}, {"machine.column_value"}, {"machine.column_unit"}})};
        for (const Fact& fact : rows) table.rows.push_back({tr(fact.key), fact.value, fact.unit});
        table.rows.push_back({tr("machine.entry"), slot.value->entry, ""});
        return draw_table(context, table);
    }
    ImGui::BeginChild("machine");
    for (const Fact& fact : rows)
        number_row(context, tr(fact.key), fact.value, fact.unit, tr(std::string(fact.key) + "_tip"));
    ImGui::Dummy({0, context.style.unit});
    paragraph_in(context, context.style.colour.dim, tr("machine.entry"));
    ImGui::PushFont(context.style.mono);
    paragraph_in(context, context.style.colour.text, slot.value->entry);
    ImGui::PopFont();
    paragraph_in(context, context.style.colour.dim, tr("machine.executed"));
    ImGui::EndChild();
}

} // namespace ui
