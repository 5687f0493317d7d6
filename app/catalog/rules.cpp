#include "catalog/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace catalog {

size_t parameter_index(const Kernel& kernel, std::string_view name) {
    auto is_it = [&](const Parameter& parameter) { return parameter.name == name; };
    auto found = std::find_if(kernel.parameters.begin(), kernel.parameters.end(), is_it);
    return static_cast<size_t>(found - kernel.parameters.begin());
}

std::string clause(const Rule& rule) {
    std::string_view reason = rule.reason.en;
    if (reason.ends_with('.')) reason.remove_suffix(1);
    return fmt::format("{} ({})", reason, rule.expression);
}

Row row_of(const Kernel& kernel, const Values& values) {
    Row row;
    for (const Parameter& parameter : kernel.parameters) {
        auto given = values.find(parameter.name);
        row.push_back(given == values.end() ? parameter.initial : given->second);
    }
    return row;
}

Values values_of(const Kernel& kernel, const Row& row) {
    Values values;
    for (size_t i = 0; i < row.size(); ++i) values[kernel.parameters[i].name] = static_cast<int>(row[i]);
    return values;
}

Rules::Rules(const Kernel& kernel) : names_(parameter_names(kernel)) {
    for (const Rule& rule : kernel.rules)
        rules_.push_back({rule.expression, Expression::parse(rule.expression, names_)});
}

std::shared_ptr<const Rules> Rules::of(const Kernel& kernel) {
    bool usable = kernel.compiled_rules && kernel.compiled_rules->are_of(kernel);
    return usable ? kernel.compiled_rules : std::make_shared<const Rules>(kernel);
}

bool Rules::are_of(const Kernel& kernel) const {
    auto is_named = [](const Parameter& parameter, const std::string& name) { return parameter.name == name; };
    auto says = [](const Rule& rule, const Compiled& compiled) { return rule.expression == compiled.text; };
    return std::equal(kernel.parameters.begin(), kernel.parameters.end(), names_.begin(), names_.end(), is_named) &&
           std::equal(kernel.rules.begin(), kernel.rules.end(), rules_.begin(), rules_.end(), says);
}

const std::vector<size_t>& Rules::uses(size_t rule) const {
    static const std::vector<size_t> none;
    const auto& expression = rules_[rule].expression;
    return expression ? expression->uses() : none;
}

// A rule that has no value (it divides by zero) is not known to hold.
bool Rules::holds(size_t rule, const Row& row) const {
    const auto& expression = rules_[rule].expression;
    return expression && expression->evaluate(row).value_or(0) != 0;
}

std::optional<size_t> Rules::first_broken(const Row& row) const {
    for (size_t rule = 0; rule < rules_.size(); ++rule)
        if (!holds(rule, row)) return rule;
    return {};
}

} // namespace catalog
