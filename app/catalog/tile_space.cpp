// Which settings of a kernel's parameters are legal, and which legal one is near.
#include "catalog/rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace catalog {
namespace {

// Where a value stands on its slider, in steps; between two offered values in proportion, beyond the ends by clamping.
double position(const std::vector<int>& values, int64_t value) {
    auto upper = std::lower_bound(values.begin(), values.end(), value);
    if (upper == values.end()) return static_cast<double>(values.size() - 1);
    auto at = static_cast<double>(upper - values.begin());
    if (*upper == value || upper == values.begin()) return at;
    double below = *(upper - 1), above = *upper;
    return at - (above - static_cast<double>(value)) / (above - below);
}

struct Move {
    int64_t value;
    double steps; // of the slider, away from where it stood
};

// Finds the legal setting with the fewest parameters changed and, among those, the fewest slider steps: for one more
// change at a time, tries values parameter by parameter and turns back at the first rule that is already broken.
class Search {
public:
    Search(const Kernel& kernel, const Rules& rules, const Row& start, size_t fixed) : rules_(rules), row_(start) {
        order_.push_back(fixed);
        for (size_t i = 0; i < start.size(); ++i)
            if (i != fixed) order_.push_back(i);
        for (size_t i : order_) moves_.push_back(moves_of(kernel.parameters[i], start[i], i == fixed));
        decided_.resize(order_.size());
        for (size_t rule = 0; rule < rules.count(); ++rule) decided_[last_used(rules.uses(rule))].push_back(rule);
    }

    std::optional<Row> run() {
        for (size_t changes = 0; changes < order_.size() && !best_; ++changes) descend(0, changes, 0);
        return best_;
    }

private:
    static std::vector<Move> moves_of(const Parameter& parameter, int64_t start, bool fixed) {
        std::vector<Move> moves{{start, 0}};
        if (fixed) return moves;
        double from = position(parameter.values, start);
        for (int value : parameter.values)
            if (value != start) moves.push_back({value, std::abs(position(parameter.values, value) - from)});
        std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.steps < b.steps; });
        return moves;
    }

    // The depth at which all parameters that a rule is about have their value.
    size_t last_used(const std::vector<size_t>& uses) const {
        size_t last = 0;
        for (size_t depth = 0; depth < order_.size(); ++depth)
            if (std::find(uses.begin(), uses.end(), order_[depth]) != uses.end()) last = depth;
        return last;
    }

    void descend(size_t depth, size_t changes_left, double steps) {
        if (steps >= best_steps_ || tried_ >= most_tried) return;
        if (depth == order_.size()) {
            best_ = row_;
            best_steps_ = steps;
            return;
        }
        int64_t before = row_[order_[depth]];
        for (const Move& move : moves_[depth]) {
            bool changed = &move != &moves_[depth].front();
            if (changed && changes_left == 0) break;
            row_[order_[depth]] = move.value;
            ++tried_;
            auto holds = [&](size_t rule) { return rules_.holds(rule, row_); };
            if (std::all_of(decided_[depth].begin(), decided_[depth].end(), holds))
                descend(depth + 1, changes_left - changed, steps + move.steps);
        }
        row_[order_[depth]] = before;
    }

    // A bound for rules that leave nothing: about a tenth of a second.
    static constexpr size_t most_tried = 1'000'000;

    const Rules& rules_;
    Row row_;
    std::vector<size_t> order_;                // parameters in the order in which they get their value
    std::vector<std::vector<Move>> moves_;     // in that order; staying comes first
    std::vector<std::vector<size_t>> decided_; // rules that can be judged once that parameter has its value
    std::optional<Row> best_;
    double best_steps_ = std::numeric_limits<double>::infinity();
    size_t tried_ = 0;
};

// Goes through all settings, parameter by parameter, and turns back at the first rule that is already broken.
class Enumeration {
public:
    Enumeration(const Kernel& kernel, const Rules& rules, size_t most)
        : kernel_(kernel), rules_(rules), most_(most), decided_(kernel.parameters.size()) {
        for (size_t rule = 0; rule < rules.count(); ++rule)
            if (!rules.uses(rule).empty()) decided_[rules.uses(rule).back()].push_back(rule);
    }

    // False: there are more than `most`, or too many to go through.
    bool run() { return descend(0); }
    std::vector<Values> found;

private:
    // For rules that leave little and are decided late: some seconds.
    static constexpr size_t most_tried = 50'000'000;

    bool descend(size_t parameter) {
        if (parameter == kernel_.parameters.size()) {
            found.push_back(values_of(kernel_, row_));
            return found.size() <= most_;
        }
        const Parameter& varied = kernel_.parameters[parameter];
        for (int value : varied.variant ? std::vector<int>{varied.initial} : varied.values) {
            if (++tried_ > most_tried) return false;
            row_[parameter] = value;
            auto holds = [&](size_t rule) { return rules_.holds(rule, row_); };
            if (!std::all_of(decided_[parameter].begin(), decided_[parameter].end(), holds)) continue;
            if (!descend(parameter + 1)) return false;
        }
        return true;
    }

    const Kernel& kernel_;
    const Rules& rules_;
    size_t most_;
    std::vector<std::vector<size_t>> decided_; // rules that can be judged once that parameter has its value
    Row row_ = row_of(kernel_, {});
    size_t tried_ = 0;
};

} // namespace

base::Result<std::vector<Values>> legal_settings(const Kernel& kernel, size_t most) {
    auto rules = Rules::of(kernel);
    Enumeration all(kernel, *rules, most);
    if (all.run()) return std::move(all.found);
    return base::Error{base::Failure::usage,
                       all.found.size() > most
                           ? base::say("{} has more than {} legal settings", kernel.id, most)
                           : base::say("{} offers more settings than can be gone through", kernel.id),
                       {},
                       base::say("offer fewer values")};
}

std::vector<const Rule*> broken_rules(const Kernel& kernel, const Values& values) {
    auto rules = Rules::of(kernel);
    Row row = row_of(kernel, values);
    std::vector<const Rule*> broken;
    for (size_t i = 0; i < rules->count(); ++i)
        if (!rules->holds(i, row)) broken.push_back(&kernel.rules[i]);
    return broken;
}

std::vector<Choice> choices(const Kernel& kernel, const Values& values, std::string_view name) {
    std::vector<Choice> found;
    size_t index = parameter_index(kernel, name);
    if (index == kernel.parameters.size()) return found;
    auto rules = Rules::of(kernel);
    Row row = row_of(kernel, values);
    for (int value : kernel.parameters[index].values) {
        row[index] = value;
        auto broken = rules->first_broken(row);
        found.push_back({value, broken ? &kernel.rules[*broken] : nullptr});
    }
    return found;
}

base::Result<Values> nearest_legal(const Kernel& kernel, const Values& values, std::string_view name, int value) {
    size_t index = parameter_index(kernel, name);
    if (index == kernel.parameters.size())
        return base::Error{base::Failure::usage,
                           base::say("{} has no parameter {}", kernel.id, name),
                           {},
                           base::say("its parameters are {}", base::names(parameter_names(kernel)))};
    const std::vector<int>& offered = kernel.parameters[index].values;
    if (value < offered.front() || value > offered.back())
        return base::Error{base::Failure::usage,
                           base::say("{} = {} is not offered", name, value),
                           {},
                           base::say("choose {} among {}", name, base::names(offered))};
    auto rules = Rules::of(kernel);
    Row row = row_of(kernel, values);
    row[index] = value;
    if (auto found = Search(kernel, *rules, row, index).run()) return values_of(kernel, *found);
    return base::Error{base::Failure::usage,
                       base::say("{} = {}: {}", name, value, clause(kernel.rules[*rules->first_broken(row)])),
                       {},
                       base::say("no values of the others allow {} = {}", name, value)};
}

} // namespace catalog
