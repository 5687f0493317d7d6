#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

// Columns that a terminal uses for UTF-8 text: characters from U+1100 upwards that we print are wide.
size_t width(const std::string& text) {
    size_t columns = 0;
    for (unsigned char byte : text) {
        if ((byte & 0xC0) == 0x80) continue; // continues a character
        columns += byte >= 0xE2 ? 2 : 1;     // three bytes from U+2000: the Chinese of the kernel files
    }
    return columns;
}

} // namespace

std::string Table::text() const {
    std::vector<size_t> widths(columns_.size(), 0);
    for (const auto& [heading, cells] : rows_) {
        for (size_t i = 0; !heading && i < std::min(cells.size(), widths.size()); ++i)
            widths[i] = std::max(widths[i], width(cells[i]));
    }
    std::string text;
    for (const auto& [heading, cells] : rows_) {
        if (heading) {
            text += "\n" + cells.front() + "\n";
            continue;
        }
        std::string line;
        for (size_t i = 0; i < std::min(cells.size(), widths.size()); ++i) {
            const std::string padding(widths[i] - width(cells[i]), ' ');
            if (i > 0) line += "  ";
            line += columns_[i] == Align::right ? padding + cells[i] : cells[i] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

} // namespace cli
