#include "views/diff.h"

#include <algorithm>

namespace views {
namespace {

using Lines = std::vector<std::string_view>;

// Furthest-reaching ends x on diagonal k = x - y before the d-th edit, for k in [-d - 1, d + 1]: one entry
// per d, so that the path can be walked back.
std::vector<std::vector<int>> furthest(const Lines& left, const Lines& right) {
    const int n = static_cast<int>(left.size()), m = static_cast<int>(right.size());
    std::vector<int> v(2 * (n + m) + 3, 0);
    const int zero = n + m + 1;
    std::vector<std::vector<int>> history;
    for (int d = 0; d <= n + m; ++d) {
        history.emplace_back(v.begin() + zero - d - 1, v.begin() + zero + d + 2);
        for (int k = -d; k <= d; k += 2) {
            const bool down = k == -d || (k != d && v[zero + k - 1] < v[zero + k + 1]);
            int x = down ? v[zero + k + 1] : v[zero + k - 1] + 1;
            int y = x - k;
            while (x < n && y < m && left[x] == right[y]) ++x, ++y;
            v[zero + k] = x;
            if (x >= n && y >= m) return history;
        }
    }
    return history;
}

std::vector<DiffLine> walk_back(const std::vector<std::vector<int>>& history, int n, int m) {
    std::vector<DiffLine> rows;
    int x = n, y = m;
    for (int d = static_cast<int>(history.size()) - 1; d >= 0; --d) {
        const std::vector<int>& v = history[d];
        const int zero = d + 1, k = x - y;
        const bool down = k == -d || (k != d && v[zero + k - 1] < v[zero + k + 1]);
        const int from_k = down ? k + 1 : k - 1;
        const int from_x = d == 0 ? 0 : v[zero + from_k], from_y = d == 0 ? 0 : from_x - from_k;
        while (x > from_x && y > from_y) --x, --y, rows.push_back({x, y, true});
        if (d == 0) break;
        if (down) --y, rows.push_back({-1, y, false});
        else --x, rows.push_back({x, -1, false});
    }
    std::reverse(rows.begin(), rows.end());
    return rows;
}

// Within a run of changes: removed line i beside added line i.
std::vector<DiffLine> pair_changes(const std::vector<DiffLine>& rows) {
    std::vector<DiffLine> paired;
    for (size_t i = 0; i < rows.size();) {
        if (rows[i].same) {
            paired.push_back(rows[i++]);
            continue;
        }
        std::vector<int> removed, added;
        for (; i < rows.size() && !rows[i].same; ++i)
            (rows[i].left >= 0 ? removed : added).push_back(std::max(rows[i].left, rows[i].right));
        for (size_t j = 0; j < std::max(removed.size(), added.size()); ++j)
            paired.push_back({j < removed.size() ? removed[j] : -1, j < added.size() ? added[j] : -1, false});
    }
    return paired;
}

// Rows of two texts too different for the search above: all of one beside all of the other.
std::vector<DiffLine> unrelated(const Lines& left, const Lines& right) {
    std::vector<DiffLine> rows;
    for (size_t i = 0; i < std::max(left.size(), right.size()); ++i)
        rows.push_back(
            {i < left.size() ? static_cast<int>(i) : -1, i < right.size() ? static_cast<int>(i) : -1, false});
    return rows;
}

} // namespace

std::vector<DiffLine> diff(const Lines& left, const Lines& right) {
    constexpr size_t largest = 4000; // lines of both; the search keeps a square of them
    if (left.size() + right.size() > largest) return unrelated(left, right);
    return pair_changes(
        walk_back(furthest(left, right), static_cast<int>(left.size()), static_cast<int>(right.size())));
}

std::vector<DiffFold> fold(const std::vector<DiffLine>& rows, int context) {
    const int count = static_cast<int>(rows.size());
    std::vector<char> shown(rows.size(), 0);
    for (int i = 0; i < count; ++i)
        if (!rows[i].same)
            for (int j = std::max(0, i - context); j <= std::min(count - 1, i + context); ++j) shown[j] = 1;
    std::vector<DiffFold> folds;
    for (int i = 0; i < count; ++i) {
        const bool hidden = !shown[i];
        if (folds.empty() || folds.back().hidden != hidden) folds.push_back({i, i, hidden});
        folds.back().last = i + 1;
    }
    return folds;
}

} // namespace views
