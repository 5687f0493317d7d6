// Aligned columns for people.
#pragma once

#include "base/text.h"

#include <string>
#include <vector>

namespace cli {

class Table {
public:
    enum class Align { left, right };
    explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
    void row(std::vector<std::string> cells) { rows_.push_back({false, std::move(cells)}); } // missing cells are empty
    void heading(std::string text) {
        rows_.push_back({true, {std::move(text)}});
    }                         // across all columns, after an empty line
    std::string text() const; // two spaces between columns, none at the ends; Chinese characters count two

private:
    struct Row {
        bool heading = false;
        std::vector<std::string> cells;
    };
    std::vector<Align> columns_;
    std::vector<Row> rows_;
};

using base::thousands; // of numbers in a cell

} // namespace cli
