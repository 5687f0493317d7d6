// A view as text: what its picture shows, as a value. The window draws it (key T), `gemmscope render VIEW --table` prints it, a
// handout holds it.
#pragma once

#include "views/strings.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace views {

struct TableColumn {
    std::string head;
    std::string unit{}; // of all its cells; empty: words, counts, or the cells say it
};

struct Table {
    std::string title{};                // of the view, as its panel is called
    std::vector<std::string> notes{};   // sentences above it: of which moment, by which rule; without rows, why
    std::vector<TableColumn> columns{}; // each row is one thing
    std::vector<std::vector<std::string>> rows{}; // a shorter row leaves its last cells empty
};

// Columns by the keys of their headings in the tables of strings; a unit stands as it is.
struct ColumnKey {
    const char* key;
    const char* unit = "";
};
std::vector<TableColumn> table_columns(const Strings&, std::initializer_list<ColumnKey>);

std::string column_heading(const TableColumn&); // "start [µs]"
// Is every cell of the column a number, or empty? Such columns are set right-aligned.
bool is_numeric(const Table&, size_t column);
// How many columns of a terminal the text takes: East Asian wide characters (Unicode Standard Annex 11) take two.
size_t text_columns(std::string_view);

// With the title and the notes above it, two spaces between columns, none at the end of a line.
std::string aligned_text(const Table&);
// The heading and the rows alone: for spreadsheets by the clipboard, and as RFC 4180 has it (commas, quotes, CR LF).
std::string tab_separated(const Table&);
std::string comma_separated(const Table&);

} // namespace views
