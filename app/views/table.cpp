#include "views/table.h"

#include "base/utf8.h"
#include "views/csv.h"

#include <algorithm>

namespace views {
namespace {

bool is_number(std::string_view cell) {
    if (cell == "-" || cell == "\u2013") return true; // stands where there is none
    return cell.find_first_of("0123456789") != std::string_view::npos &&
           cell.find_first_not_of("0123456789.,+-eE% ") == std::string_view::npos;
}

// The blocks of Annex 11 that our texts use: CJK with its punctuation, Hangul, full-width forms.
bool is_wide(char32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x20000 && c <= 0x3FFFD);
}

// A cell is one line: what breaks one, or separates cells, becomes a space.
std::string in_one_line(std::string cell) {
    std::replace_if(
        cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return cell;
}

std::vector<std::string> headings(const Table& table) {
    std::vector<std::string> cells;
    for (const TableColumn& column : table.columns) cells.push_back(column_heading(column));
    return cells;
}

// Heading and rows, each as wide as the table.
template <class Line>
std::string each_line(const Table& table, const Line& line) {
    std::string all = line(headings(table));
    for (std::vector<std::string> row : table.rows) {
        row.resize(table.columns.size());
        all += line(row);
    }
    return all;
}

} // namespace

std::vector<TableColumn> table_columns(const Strings& tr, std::initializer_list<ColumnKey> keys) {
    std::vector<TableColumn> columns;
    for (const ColumnKey& one : keys) columns.push_back({tr(one.key), one.unit});
    return columns;
}

std::string column_heading(const TableColumn& column) {
    return column.unit.empty() ? column.head : column.head + " [" + column.unit + "]";
}

bool is_numeric(const Table& table, size_t column) {
    return std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<std::string>& row) {
        return column >= row.size() || row[column].empty() || is_number(row[column]);
    });
}

size_t text_columns(std::string_view text) {
    size_t columns = 0;
    while (!text.empty()) {
        const base::Character first = base::first_character(text);
        columns += is_wide(first.code) ? 2 : 1;
        text.remove_prefix(first.bytes);
    }
    return columns;
}

std::string aligned_text(const Table& table) {
    std::vector<size_t> widths;
    std::vector<bool> right;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        widths.push_back(text_columns(column_heading(table.columns[i])));
        for (const auto& row : table.rows)
            if (i < row.size()) widths[i] = std::max(widths[i], text_columns(row[i]));
        right.push_back(is_numeric(table, i));
    }
    std::string all = table.title.empty() ? "" : table.title + "\n";
    for (const std::string& note : table.notes) all += note + "\n";
    if (!all.empty() && !table.columns.empty()) all += "\n";
    if (table.columns.empty()) return all;
    return all + each_line(table, [&](const std::vector<std::string>& cells) {
               std::string line;
               for (size_t i = 0; i < cells.size(); ++i) {
                   const std::string cell = in_one_line(cells[i]), padding(widths[i] - text_columns(cell), ' ');
                   line += (i ? "  " : "") + (right[i] ? padding + cell : cell + padding);
               }
               return line.erase(line.find_last_not_of(' ') + 1) + "\n";
           });
}

std::string tab_separated(const Table& table) {
    return each_line(table, [](const std::vector<std::string>& cells) {
        std::string line;
        for (size_t i = 0; i < cells.size(); ++i) line += (i ? "\t" : "") + in_one_line(cells[i]);
        return line + "\n";
    });
}

std::string comma_separated(const Table& table) {
    return each_line(table, [](const std::vector<std::string>& cells) {
        std::string line;
        for (size_t i = 0; i < cells.size(); ++i) line += (i ? "," : "") + csv_cell(cells[i]);
        return line + "\r\n";
    });
}

} // namespace views
