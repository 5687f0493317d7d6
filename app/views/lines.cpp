#include "views/lines.h"

#include <algorithm>

namespace views {

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    size_t begin = 0;
    while (true) {
        const size_t end = text.find('\n', begin);
        std::string_view line = text.substr(begin, end == std::string_view::npos ? end : end - begin);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (end == std::string_view::npos && line.empty() && !lines.empty()) return lines; // after the last newline
        lines.push_back(line);
        if (end == std::string_view::npos) return lines;
        begin = end + 1;
    }
}

int front_matter_lines(const std::vector<std::string_view>& lines) {
    if (lines.empty() || lines[0].substr(0, 2) != "/*" || lines[0].find("gemmscope") == std::string_view::npos)
        return 0;
    for (size_t i = 0; i < lines.size(); ++i)
        if (lines[i].find("*/") != std::string_view::npos) return static_cast<int>(i) + 1;
    return 0;
}

std::string joined_lines(std::string_view text) {
    std::string joined;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool breaks =
            text[i] == '\n' && i > 0 && i + 1 < text.size() && text[i - 1] != '\n' && text[i + 1] != '\n';
        const bool ascii = i > 0 && static_cast<unsigned char>(text[i - 1]) < 128;
        if (!breaks) joined += text[i];
        else if (ascii) joined += ' ';
    }
    return joined;
}

int function_line(const std::vector<std::string_view>& lines, std::string_view function) {
    constexpr size_t furthest = 4; // lines that attributes take before the name
    if (function.empty()) return 0;
    for (auto i = static_cast<size_t>(front_matter_lines(lines)); i < lines.size(); ++i) {
        if (lines[i].find("__global__") == std::string_view::npos) continue;
        for (size_t j = i; j < std::min(i + furthest, lines.size()); ++j) {
            const size_t at = lines[j].find(function), end = at + function.size();
            if (at == std::string_view::npos || end >= lines[j].size() || lines[j][end] != '(') continue;
            const char before = at > 0 ? lines[j][at - 1] : ' ';
            if (before == ' ' || before == '\t' || before == '*') return static_cast<int>(i) + 1;
        }
    }
    return 0;
}

int line_with(const std::vector<std::string_view>& lines, std::string_view text) {
    for (size_t i = static_cast<size_t>(front_matter_lines(lines)); i < lines.size(); ++i)
        if (lines[i].find(text) != std::string_view::npos) return static_cast<int>(i + 1);
    return 0;
}

} // namespace views
