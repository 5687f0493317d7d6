// A text cut into lines, and the part of a kernel file that is its description.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace views {

// The lines of `text` without their ends; at least one. Views into `text`.
std::vector<std::string_view> split_lines(std::string_view text);

// Lines of the comment that a kernel file starts with ("/* gemmscope ... */"), its last line included; 0 if
// there is none.
int front_matter_lines(const std::vector<std::string_view>& lines);

// Each paragraph on one line: lines that the file broke are joined with a blank, those of Chinese, which has none, without.
std::string joined_lines(std::string_view text);

// 1-based line where the kernel `function` begins; 0: none does.
int function_line(const std::vector<std::string_view>& lines, std::string_view function);

// Likewise of the first line behind that comment that has `text`.
int line_with(const std::vector<std::string_view>& lines, std::string_view text);

} // namespace views
