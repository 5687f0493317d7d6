#include "session/nearest.h"

#include "base/text.h"

#include <algorithm>
#include <numeric>

namespace session {
namespace {

// Insertions, deletions and substitutions that turn `a` into `b` (Levenshtein), one row of the table at a time.
size_t edits(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            size_t substituted = diagonal + (base::lower(a[i]) == base::lower(b[j]) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::string nearest(std::string_view given, const std::vector<std::string>& names) {
    given = given.substr(0, 64); // the table is quadratic, and nobody mistypes more
    std::string best;
    size_t fewest = given.size() / 2 + 1;
    for (const std::string& name : names) {
        size_t distance = edits(given, name);
        // "double" stands for "double_buffer": a beginning is as good as one edit.
        if (given.size() >= 3 && name.starts_with(given)) distance = std::min<size_t>(distance, 1);
        if (distance < fewest) fewest = distance, best = name;
    }
    return best;
}

} // namespace session
