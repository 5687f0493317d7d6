// Aligned columns for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

class Table {
public:
    enum class Align { left, right };
    explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); } // missing cells are empty
    std::string text() const; // two spaces between columns, none at the ends; Chinese characters count two

private:
    std::vector<Align> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// "1,234,567"
std::string thousands(uint64_t);

} // namespace cli
