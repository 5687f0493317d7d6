// What changed between two texts, line by line.
#pragma once

#include <string_view>
#include <vector>

namespace views {

struct DiffLine {
    int left = -1, right = -1; // 0-based lines; -1: not on that side
    bool same = false;         // equal on both sides
};

// The shortest edit script (E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986), as rows to
// draw side by side: equal lines share a row, and a run of removed lines shares rows with the run of added
// ones after it.
std::vector<DiffLine> diff(const std::vector<std::string_view>& left, const std::vector<std::string_view>& right);

struct DiffFold { // rows [first, last) of a diff
    int first = 0, last = 0;
    bool hidden = false; // equal rows further than `context` from any change
};
std::vector<DiffFold> fold(const std::vector<DiffLine>& rows, int context);

} // namespace views
