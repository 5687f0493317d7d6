#include "catalog/sweep_space.h"

#include "base/random.h"
#include "catalog/rules.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace catalog {
namespace {

constexpr size_t most_settings = 1'000'000, most_tried = 50'000'000;

bool has(const Kernel& kernel, std::string_view name) {
    return parameter_index(kernel, name) < kernel.parameters.size();
}

// A kernel that counts warps and not threads has tiles of warps. None that is known by its name: all.
std::vector<size_t> tile_parameters(const Kernel& kernel) {
    std::vector<std::string_view> names{"BM", "BN", "BK", "TM", "TN", "TX", "TY", "BX", "BY", "TILE"};
    if (!has(kernel, "TM") && !has(kernel, "TN")) names.insert(names.end(), {"WM", "WN"});
    std::vector<size_t> found, all;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        all.push_back(i);
        const bool named = std::find(names.begin(), names.end(), kernel.parameters[i].name) != names.end();
        if (named && !kernel.parameters[i].variant) found.push_back(i);
    }
    return found.empty() ? all : found;
}

// The rows that have any of the offered values of `varied`, the others as in the initial setting, and break no rule.
class Product {
public:
    Product(const Kernel& kernel, const Rules& rules, const std::vector<size_t>& varied, std::vector<Row>& found)
        : kernel_(kernel), rules_(rules), varied_(varied), found_(found), decided_(varied.size() + 1) {
        for (size_t rule = 0; rule < rules.count(); ++rule) decided_[last_used(rules.uses(rule))].push_back(rule);
    }
    // False: there are too many.
    bool run() { return holds(0) ? descend(0) : true; }

private:
    // How many of `varied` have their value when the rule can be judged.
    size_t last_used(const std::vector<size_t>& uses) const {
        size_t last = 0;
        for (size_t depth = 0; depth < varied_.size(); ++depth)
            if (std::find(uses.begin(), uses.end(), varied_[depth]) != uses.end()) last = depth + 1;
        return last;
    }
    bool holds(size_t depth) const {
        return std::all_of(decided_[depth].begin(), decided_[depth].end(),
                           [&](size_t rule) { return rules_.holds(rule, row_); });
    }
    bool descend(size_t depth) {
        if (depth == varied_.size()) return found_.push_back(row_), found_.size() <= most_settings;
        const Parameter& parameter = kernel_.parameters[varied_[depth]];
        const int64_t before = row_[varied_[depth]];
        for (const int value : parameter.values) {
            if (++tried_ > most_tried) return false;
            row_[varied_[depth]] = value;
            if (holds(depth + 1) && !descend(depth + 1)) return false;
        }
        row_[varied_[depth]] = before;
        return true;
    }

    const Kernel& kernel_;
    const Rules& rules_;
    const std::vector<size_t>& varied_;
    std::vector<Row>& found_;
    std::vector<std::vector<size_t>> decided_; // rules, by the depth at which they can be judged
    Row row_ = row_of(kernel_, {});
    size_t tried_ = 0;
};

std::vector<std::vector<size_t>> varied_together(const Kernel& kernel, SweepSpace space) {
    if (space == SweepSpace::tiles) return {tile_parameters(kernel)};
    std::vector<std::vector<size_t>> groups;
    if (space == SweepSpace::all) {
        auto& all = groups.emplace_back();
        for (size_t i = 0; i < kernel.parameters.size(); ++i)
            if (!kernel.parameters[i].variant) all.push_back(i);
        return groups;
    }
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
        for (size_t j = i + 1; j < kernel.parameters.size(); ++j) groups.push_back({i, j});
    if (kernel.parameters.size() == 1) groups.push_back({0});
    return groups;
}

} // namespace

std::optional<SweepSpace> sweep_space_named(std::string_view name) {
    constexpr std::array names{"tiles", "near", "all"};
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return {};
    return static_cast<SweepSpace>(at - names.begin());
}

base::Result<std::vector<Values>> sweep_settings(const Kernel& kernel, SweepSpace space) {
    const auto rules = Rules::of(kernel);
    std::vector<Row> rows;
    for (const auto& varied : varied_together(kernel, space))
        if (!Product(kernel, *rules, varied, rows).run())
            return base::Error{base::Failure::usage,
                               base::say("{} has more settings than can be gone through", kernel.id),
                               {},
                               base::say("sweep fewer of them: --space near")};
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const Row initial = row_of(kernel, {});
    const base::RandomStream random(1, 0);
    std::vector<std::tuple<size_t, uint64_t, size_t>> order; // changes, a random number, the row
    for (size_t i = 0; i < rows.size(); ++i) {
        size_t changes = 0;
        for (size_t j = 0; j < initial.size(); ++j) changes += rows[i][j] != initial[j];
        order.emplace_back(changes, random.bits(i), i);
    }
    std::sort(order.begin(), order.end());
    std::vector<Values> settings;
    for (const auto& [changes, number, row] : order) settings.push_back(values_of(kernel, rows[row]));
    return settings;
}

} // namespace catalog
