#include "ui/window/help.h"

#include "session/view_fields.h"
#include "ui/code/editor.h"
#include "ui/draw/grid.h"
#include "ui/draw/surface.h"
#include "ui/window/glossary.h"
#include "ui/window/keys.h"

#include <algorithm>

namespace ui {

namespace {

// What the row's keys do; of the digits, which views they open.
std::string help_text(const Context& context, const KeyRow& row) {
    std::string views;
    for (size_t i = 0; i < session::names_of(session::MiddleTab{}).size(); ++i)
        views += (i ? ", " : "") + std::string(context.tr(panel_of(static_cast<session::MiddleTab>(i)).title));
    return say(context, row.help, views);
}

struct KeyColumns { // widths
    float keys = 0, help = 0;
};

KeyColumns key_columns(const Context& context) {
    KeyColumns columns;
    for (const KeyRow& row : key_table()) {
        columns.keys = std::max(columns.keys, text_size(context.style.mono, row.shown).x);
        columns.help = std::max(columns.help, text_size(context.style.text, help_text(context, row)).x);
    }
    for (const EditorKey& row : editor_keys()) {
        columns.keys = std::max(columns.keys, text_size(context.style.mono, row.shown).x);
        columns.help = std::max(columns.help, text_size(context.style.text, context.tr(row.help)).x);
    }
    return columns;
}

void draw_keys(const Context& context, const KeyColumns& columns, float pad, float line) {
    const Style& style = context.style;
    ImGui::BeginChild("key table", {0, 0}, false, ImGuiWindowFlags_NoNav);
    const auto draw_row = [&](const char* keys, const std::string& help) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float drop = style.text->Ascent - style.mono->Ascent;
        text(style.mono, {at.x, at.y + drop}, style.colour.text, keys);
        text(style.text, {at.x + columns.keys + pad, at.y}, style.colour.dim, help);
        ImGui::Dummy({columns.keys + pad + columns.help, line - ImGui::GetStyle().ItemSpacing.y});
    };
    for (const KeyRow& row : key_table()) draw_row(row.shown, help_text(context, row));
    ImGui::Dummy({0, style.unit});
    paragraph(context.tr("edit.keys_title"));
    for (const EditorKey& row : editor_keys()) draw_row(row.shown, context.tr(row.help));
    ImGui::EndChild();
}

} // namespace

void draw_help(Context& context) {
    const Style& style = context.style;
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const KeyColumns columns = key_columns(context);
    const float pad = 4 * style.unit, line = style.text->FontSize + 1.5f * style.unit;
    const float width =
        std::min(columns.keys + columns.help + 3 * pad + ImGui::GetStyle().ScrollbarSize, display.x - 2 * pad);
    const float height = std::min(line * static_cast<float>(key_table().size() + editor_keys().size() + 1) + 5 * pad +
                                      1.5f * style.heading->FontSize,
                                  display.y - 2 * pad);
    const Popup popup(context, "keys", {width, height}, pad);
    context.chrome.glossary = tab_row(context, "help", {context.tr("keys.title"), context.tr("glossary.title")},
                                      context.chrome.glossary, context.tr("keys.close")) != 0;
    ImGui::Dummy({0, style.unit});
    if (context.chrome.glossary) draw_glossary(context);
    else draw_keys(context, columns, pad, line);
    if (popup.clicked_elsewhere()) context.chrome.help = false;
}

} // namespace ui
