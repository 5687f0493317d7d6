#include "ui/draw/text_table.h"

#include "ui/draw/draw.h"

#include <algorithm>

namespace ui {
namespace {

bool numeric(const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("0123456789.,+-e% ") == std::string::npos;
}

struct Column {
    float width = 0;
    bool right = true; // every cell is a number
};

std::vector<Column> measure(const TextTable& table, ImFont* font) {
    std::vector<Column> columns(table.columns.size());
    for (size_t i = 0; i < columns.size(); ++i) columns[i].width = text_size(font, table.columns[i]).x;
    for (const auto& row : table.rows)
        for (size_t i = 0; i < std::min(row.size(), columns.size()); ++i) {
            columns[i].width = std::max(columns[i].width, text_size(font, row[i]).x);
            if (!row[i].empty() && !numeric(row[i])) columns[i].right = false;
        }
    return columns;
}

void draw_row(ImFont* font, ImVec2 at, float gap, const std::vector<Column>& columns,
              const std::vector<std::string>& cells, ImU32 colour) {
    for (size_t i = 0; i < std::min(cells.size(), columns.size()); ++i) {
        if (columns[i].right) text_right(font, {at.x + columns[i].width, at.y}, colour, cells[i]);
        else text(font, at, colour, cells[i]);
        at.x += columns[i].width + gap;
    }
}

} // namespace

std::string tab_separated(const TextTable& table) {
    std::string all;
    const auto append = [&](const std::vector<std::string>& cells) {
        for (size_t i = 0; i < cells.size(); ++i) all += (i ? "\t" : "") + cells[i];
        all += '\n';
    };
    append(table.columns);
    for (const auto& row : table.rows) append(row);
    return all;
}

void draw_table(Context& context, const TextTable& table) {
    const Style& style = context.style;
    if (button(context, "table.copy", context.tr("table.copy"))) ImGui::SetClipboardText(tab_separated(table).c_str());
    const std::vector<Column> columns = measure(table, style.mono);
    const float gap = 4 * style.unit, row_height = style.mono->FontSize + style.unit;
    float width = 0;
    for (const Column& column : columns) width += column.width + gap;
    ImGui::BeginChild("table", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    ImVec2 at = ImGui::GetCursorScreenPos();
    draw_row(style.mono, at, gap, columns, table.columns, style.colour.dim);
    ImGui::Dummy({width, row_height - ImGui::GetStyle().ItemSpacing.y});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(table.rows.size()), row_height);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            at = ImGui::GetCursorScreenPos();
            draw_row(style.mono, at, gap, columns, table.rows[static_cast<size_t>(i)], style.colour.text);
            ImGui::Dummy({width, row_height - ImGui::GetStyle().ItemSpacing.y});
        }
    ImGui::EndChild();
}

} // namespace ui
