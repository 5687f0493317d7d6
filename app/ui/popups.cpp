#include "ui/popups.h"

#include "session/view_fields.h"
#include "ui/glossary.h"
#include "ui/grid.h"
#include "ui/keys.h"
#include "ui/wrap.h"

#include <algorithm>
#include <cmath>

namespace ui {

void notify(Context& context, std::string words) {
    context.chrome.notices.push_back({std::move(words), ImGui::GetTime() + notice_seconds});
}

void draw_notices(Context& context, float bottom) {
    auto& notices = context.chrome.notices;
    const double now = ImGui::GetTime();
    for (Notice& notice : notices)
        if (notice.until == 0) notice.until = now + notice_seconds;
    std::erase_if(notices, [&](const Notice& notice) { return notice.until <= now; });
    const Style& style = context.style;
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const float width = std::min(ImGui::GetIO().DisplaySize.x - 8 * style.unit, 160 * style.unit);
    float y = bottom - 2 * style.unit;
    for (size_t i = notices.size(); i-- > 0 && y > 0;) {
        const std::string& words = notices[i].text;
        const std::string lines = wrapped(style.text, width - 6 * style.unit, words);
        const ImVec2 size = text_size(style.text, lines);
        const float x = std::floor((ImGui::GetIO().DisplaySize.x - size.x) / 2);
        const Rect box{x - 3 * style.unit, y - size.y - 3 * style.unit, size.x + 6 * style.unit,
                       size.y + 3 * style.unit};
        list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()},
                            mixed(style.colour.panel, style.colour.text, 0.12f));
        list->AddRectFilled({box.x, box.y}, {box.x + style.unit / 2, box.bottom()}, style.colour.selection);
        list->AddText(style.text, style.text->FontSize, {x, std::floor(box.y + 1.5f * style.unit)}, style.colour.text,
                      lines.data(), lines.data() + lines.size());
        y = box.y - style.unit;
        draw_again(context, notices[i].until - now);
    }
}

void draw_remark(Context& context, std::string_view words, float bottom) {
    const Style& style = context.style;
    const float width = ImGui::GetIO().DisplaySize.x - 4 * style.unit;
    const float height = style.text->FontSize + 2 * style.unit;
    ImGui::GetForegroundDrawList()->AddRectFilled({0, bottom - height}, {ImGui::GetIO().DisplaySize.x, bottom},
                                                  mixed(style.colour.panel, style.colour.text, 0.06f));
    const ImVec4 clip{0, bottom - height, 2 * style.unit + width, bottom};
    ImGui::GetForegroundDrawList()->AddText(style.text, style.text->FontSize,
                                            {2 * style.unit, std::floor(bottom - height + style.unit)},
                                            style.colour.dim, words.data(), words.data() + words.size(), 0, &clip);
}

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
    return columns;
}

void draw_keys(const Context& context, const KeyColumns& columns, float pad, float line) {
    const Style& style = context.style;
    ImGui::BeginChild("key table", {0, 0}, false, ImGuiWindowFlags_NoNav);
    for (const KeyRow& row : key_table()) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float drop = style.text->Ascent - style.mono->Ascent;
        text(style.mono, {at.x, at.y + drop}, style.colour.text, row.shown);
        text(style.text, {at.x + columns.keys + pad, at.y}, style.colour.dim, help_text(context, row));
        ImGui::Dummy({columns.keys + pad + columns.help, line - ImGui::GetStyle().ItemSpacing.y});
    }
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
    const float height = std::min(
        line * static_cast<float>(key_table().size()) + 5 * pad + 1.5f * style.heading->FontSize, display.y - 2 * pad);
    ImGui::SetNextWindowPos({std::floor((display.x - width) / 2), std::floor((display.y - height) / 2)});
    ImGui::SetNextWindowSize({width, height});
    ImGui::SetNextWindowFocus();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {pad, pad});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, mixed(style.colour.panel, style.colour.text, 0.04f));
    ImGui::Begin("keys", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
    context.chrome.glossary = tab_row(context, "help", {context.tr("keys.title"), context.tr("glossary.title")},
                                      context.chrome.glossary, context.tr("keys.close")) != 0;
    ImGui::Dummy({0, style.unit});
    if (context.chrome.glossary) draw_glossary(context);
    else draw_keys(context, columns, pad, line);
    const bool inside =
        ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    const bool elsewhere = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !inside;
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    if (elsewhere) context.chrome.help = false;
}

} // namespace ui
