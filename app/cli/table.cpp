#include "cli/table.h"

#include "views/table.h"

#include <algorithm>

namespace cli {

std::string Table::text() const {
    std::vector<size_t> widths(columns_.size(), 0);
    for (const auto& [heading, cells] : rows_) {
        for (size_t i = 0; !heading && i < std::min(cells.size(), widths.size()); ++i)
            widths[i] = std::max(widths[i], views::text_columns(cells[i]));
    }
    std::string text;
    for (const auto& [heading, cells] : rows_) {
        if (heading) {
            text += "\n" + cells.front() + "\n";
            continue;
        }
        std::string line;
        for (size_t i = 0; i < std::min(cells.size(), widths.size()); ++i) {
            const std::string padding(widths[i] - views::text_columns(cells[i]), ' ');
            if (i > 0) line += "  ";
            line += columns_[i] == Align::right ? padding + cells[i] : cells[i] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

} // namespace cli
