#include "catalog/rules.h"

#include <fmt/format.h>

namespace catalog {

std::vector<std::string> parameter_names(const Kernel& kernel) {
    std::vector<std::string> names;
    for (const Parameter& parameter : kernel.parameters) names.push_back(parameter.name);
    return names;
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

Rules::Rules(const Kernel& kernel) {
    std::vector<std::string> names = parameter_names(kernel);
    for (const Rule& rule : kernel.rules) rules_.push_back({&rule, Expression::parse(rule.expression, names)});
}

const std::vector<size_t>& Rules::uses(size_t index) const {
    static const std::vector<size_t> none;
    const auto& expression = rules_[index].expression;
    return expression ? expression->uses() : none;
}

// A rule that has no value (it divides by zero) is not known to hold.
bool Rules::holds(size_t index, const Row& row) const {
    const auto& expression = rules_[index].expression;
    return expression && expression->evaluate(row).value_or(0) != 0;
}

const Rule* Rules::first_broken(const Row& row) const {
    for (size_t i = 0; i < rules_.size(); ++i)
        if (!holds(i, row)) return rules_[i].rule;
    return nullptr;
}

} // namespace catalog
