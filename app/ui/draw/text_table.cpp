#include "ui/draw/text_table.h"

#include "ui/draw/draw.h"

#include <algorithm>

namespace ui {
namespace {

struct Column {
    float width = 0;
    bool right = false; // every cell is a number
};

// Of a column only the widest cell is measured: a list of accesses has ten thousand rows.
std::vector<Column> measure(const Table& table, ImFont* font) {
    std::vector<Column> columns;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        std::string widest = column_heading(table.columns[i]);
        size_t most = text_columns(widest);
        for (const auto& row : table.rows)
            if (i < row.size() && text_columns(row[i]) > most) widest = row[i], most = text_columns(row[i]);
        columns.push_back({text_size(font, widest).x, is_numeric(table, i)});
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

// `sample`: notes, columns and the rows that these are measured by. `row(i)` makes one of `count`, `whole()` the table with all.
template <class Row, class Whole>
void draw(Context& context, const Table& sample, size_t count, const Row& row, const Whole& whole) {
    const Style& style = context.style;
    if (context.chrome.tables) context.chrome.tables->push_back(whole());
    for (const std::string& note : sample.notes) paragraph(note);
    if (sample.columns.empty()) return;
    if (button(context, "table.copy", context.tr("table.copy")))
        ImGui::SetClipboardText(tab_separated(whole()).c_str());
    const std::vector<Column> columns = measure(sample, style.mono);
    const float gap = 4 * style.unit, row_height = style.mono->FontSize + style.unit;
    float width = 0;
    for (const Column& column : columns) width += column.width + gap;
    ImGui::BeginChild("table", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    ImVec2 at = ImGui::GetCursorScreenPos();
    std::vector<std::string> heads;
    for (const TableColumn& column : sample.columns) heads.push_back(column_heading(column));
    draw_row(style.mono, at, gap, columns, heads, style.colour.dim);
    ImGui::Dummy({width, row_height - ImGui::GetStyle().ItemSpacing.y});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(count), row_height);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            at = ImGui::GetCursorScreenPos();
            draw_row(style.mono, at, gap, columns, row(static_cast<size_t>(i)), style.colour.text);
            ImGui::Dummy({width, row_height - ImGui::GetStyle().ItemSpacing.y});
        }
    ImGui::EndChild();
}

} // namespace

std::vector<size_t> sampled_rows(size_t count, const std::function<bool(size_t)>& wanted) {
    constexpr size_t samples = 200;
    const size_t step = std::max<size_t>(1, count / samples);
    std::vector<size_t> rows;
    for (size_t i = 0; i < count; ++i)
        if (i % step == 0 || wanted(i)) rows.push_back(i);
    return rows;
}

void draw_table(Context& context, const Table& table) {
    const auto row = [&](size_t i) -> const std::vector<std::string>& { return table.rows[i]; };
    draw(context, table, table.rows.size(), row, [&]() -> const Table& { return table; });
}

void draw_table(Context& context, const LongTable& table) {
    Table sample = table.head; // what columns are measured by
    for (const size_t i : table.widest) sample.rows.push_back(table.row(i));
    draw(context, sample, table.count, table.row, [&] {
        Table whole = table.head;
        for (size_t i = 0; i < table.count; ++i) whole.rows.push_back(table.row(i));
        return whole;
    });
}

} // namespace ui
